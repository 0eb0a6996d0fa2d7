# SPDX-License-Identifier: Apache-2.0
"""What the wdk headers declare: names by header, with their kind. Reads the text; no compiler."""
import os
import re

KINDS = ("function", "inline", "macro", "type", "constant", "variable")

# Markers of declarations that are no part of them.
MARKERS = re.compile(
    r"\b(?:_IRQL_\w+|_When_|_At_|_Must_inspect_result_|_Return_type_success_|DECLSPEC_ALIGN|"
    r"__attribute__|__asm__|visibility)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
WORDS = re.compile(r"\b(?:NTAPI|WSKAPI|NTAPI_INLINE|FASTCALL|DECLSPEC_NORETURN|DECLSPEC_CACHEALIGN|"
                   r"FORCEINLINE|_Must_inspect_result_|EXTERN_C|CONST|volatile|const|static)\b")


def is_internal(name):
    return name.startswith(("_NDKSIM", "NDKSIM_WDK_", "Ndksim", "NDKSIM_GUARD", "_ndksim"))


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def macros_of(text):
    """Names of macros, and the text without preprocessor lines."""
    joined = text.replace("\\\n", " ")
    names = []
    rest = []
    for line in joined.split("\n"):
        stripped = line.lstrip()
        if not stripped.startswith("#"):
            rest.append(line)
            continue
        match = re.match(r"#\s*define\s+(\w+)(\(?)(.*)", stripped)
        if match and not is_internal(match.group(1)):
            value = match.group(3).strip()
            other = re.fullmatch(r"_?\w*[a-z]\w*", value) and not re.match(r"[0-9(]", value)
            names.append((match.group(1), "macro" if match.group(2) or other else "constant"))
    return names, "\n".join(rest)


def declarations(text):
    """Splits at the top level; a function's body ends a declaration too."""
    depth = 0
    start = 0
    for i, char in enumerate(text):
        if char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
            if char == "}" and depth == 0:
                head = text[start:text.index("{", start)]
                if "(" in MARKERS.sub(" ", head) and not head.lstrip().startswith("typedef"):
                    yield head + "{}"
                    start = i + 1
        elif char == ";" and depth == 0:
            yield text[start:i]
            start = i + 1


def split_commas(text):
    depth = 0
    part = ""
    for char in text:
        depth += char in "({["
        depth -= char in ")}]"
        if char == "," and depth == 0:
            yield part
            part = ""
        else:
            part += char
    yield part


def enumerators(text):
    for body in re.findall(r"\benum\b[^{;]*\{([^{}]*)\}", text):
        for part in body.split(","):
            match = re.match(r"\s*(\w+)", part)
            if match:
                yield match.group(1)


def without_bodies(text):
    while "{" in text:
        shorter = re.sub(r"\{[^{}]*\}", " ", text)
        if shorter == text:
            raise ValueError("braces do not match: " + text[:80])
        text = shorter
    return text


def typedef_names(text):
    """In order; the first one is what the others point to, or are other names of."""
    for part in split_commas(text):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", part)
        function = re.search(r"(\w+)\s*\(", part)
        if pointer:
            yield pointer.group(1)
        elif function:
            yield function.group(1)
        else:
            words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", part))
            if words:
                yield words[-1]


def names_of_text(text):
    names, text = macros_of(without_comments(text))
    for declaration in declarations(text):
        names += [(name, "constant") for name in enumerators(declaration)]
        plain = WORDS.sub(" ", MARKERS.sub(" ", without_bodies(declaration)))
        plain = " ".join(plain.split())
        if plain.startswith("typedef"):
            first, *others = typedef_names(plain[len("typedef"):])
            names += [(first, "type")] + [(name, "type of " + first) for name in others]
        elif "(" in plain:
            kind = "inline" if declaration.endswith("{}") else "function"
            names.append((re.search(r"(\w+) ?\(", plain).group(1), kind))
        elif plain.startswith("extern"):
            names.append((re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", plain))[-1], "variable"))
        elif re.match(r"(struct|union) (\w+)$", plain) and "{" in declaration:
            names.append((plain.split()[-1], "type"))
    return [(name, kind) for name, kind in names if name != "DEFINE_GUID" or kind == "macro"
            if not is_internal(name)]


def names_of(folder):
    """{header: [(name, kind)]}, by path, names as in the text. What is no kit's is left out."""
    found = {}
    for root, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith(".h") and not file.startswith("ndksim"):
                path = os.path.join(root, file)
                with open(path, encoding="utf-8") as stream:
                    names = names_of_text(stream.read())
                seen = set()
                found[os.path.relpath(path, folder)] = [
                    entry for entry in names if not (entry[0] in seen or seen.add(entry[0]))]
    return dict(sorted(found.items()))
