# SPDX-License-Identifier: Apache-2.0
"""A second opinion on scenarios/schema.json: a validator of the keywords that it uses."""

import re

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
UNITS = {
    "duration": r"\d+(\.\d+)?(ns|us|ms|s|min|h)",
    "moment": r"never|\d+(\.\d+)?(ns|us|ms|s|min|h)",
    "size": r"\d+(\.\d+)?(B|KiB|MiB|GiB|TiB|kB|MB|GB)",
    "rate": r"\d+(\.\d+)?(bps|kbps|Mbps|Gbps|Tbps)",
    "probability": r"\d+(\.\d+)?(%|ppm)",
}
KNOWN = set(
    "$ref $defs $schema title description type properties required additionalProperties items "
    "minItems maxItems minProperties maxProperties minimum maximum enum const minLength oneOf "
    "x-unit x-select".split()
)


def _is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _resolve(root, schema):
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return schema


def _scalar(schema, value, path):
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    if isinstance(value, int):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{path}: {value} is out of range"
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            yield f"{path}: too short"
        if "x-unit" in schema and not re.fullmatch(UNITS[schema["x-unit"]], value):
            yield f"{path}: {value!r} is no {schema['x-unit']}"


def _object(root, schema, value, path):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key in schema.get("required", []):
        if key not in value:
            yield f"{path}: {key} is missing"
    for key, one in value.items():
        if key in properties:
            yield from errors(root, properties[key], one, f"{path}.{key}")
        elif others is False:
            yield f"{path}: unknown key {key}"
        elif isinstance(others, dict):
            yield from errors(root, others, one, f"{path}.{key}")


def _count(schema, value, path):
    kind = "Properties" if isinstance(value, dict) else "Items"
    least, most = schema.get(f"min{kind}", 0), schema.get(f"max{kind}", len(value))
    if not least <= len(value) <= most:
        yield f"{path}: {len(value)} {kind.lower()}"


def errors(root, schema, value, path="$"):
    """Yields what is wrong with `value`; asserts that the schema uses known keywords only."""
    schema = _resolve(root, schema)
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "x-select" in schema:
        member = schema["x-select"]
        fitting = [
            one
            for one in (_resolve(root, one) for one in schema["oneOf"])
            if isinstance(value, dict) and one["properties"][member]["const"] == value.get(member)
        ]
        if len(fitting) != 1:
            yield f"{path}: {member} fits {len(fitting)} alternatives"
            return
        schema = fitting[0]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_is_type(value, name) for name in types):
        yield f"{path}: is no {' or '.join(types)}"
        return
    yield from _scalar(schema, value, path)
    if isinstance(value, (dict, list)):
        yield from _count(schema, value, path)
    if isinstance(value, dict):
        yield from _object(root, schema, value, path)
    elif isinstance(value, list) and "items" in schema:
        for index, one in enumerate(value):
            yield from errors(root, schema["items"], one, f"{path}[{index}]")
