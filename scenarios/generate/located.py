# SPDX-License-Identifier: Apache-2.0
"""JSON with places: where each value and each key of a text stands, so that errors can say it.

A place is (line, column), both from 1, columns in characters. Paths are tuples of keys and indexes.
"""

import json
import re

DEPTH_MAX = 64
SPACE = re.compile(r"[ \t\n\r]*")
SCALAR = re.compile(r'[^\s,:\[\]{}"]+')


class LocatedError(Exception):
    """What is wrong at a place of a file: str() is "file:line:column: path: what"."""

    def __init__(self, file, place, path, what):
        where = f"{file}:{place[0]}:{place[1]}" if place else file
        super().__init__(f"{where}: {spell(path)}: {what}" if path is not None else
                         f"{where}: {what}")


def spell(path):
    """("vary", "ip", 1) as "$.vary.ip[1]"."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[^.\[\]\"]+", step):
            text += f".{step}"
        else:
            text += f'["{step}"]'
    return text


class Document:
    """A parsed file. `root` is its value; error() makes an error at a path."""

    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.values = {}  # path -> offset of the value
        self.keys = {}  # path -> offset of the key
        self.at = 0
        self.root = self._value((), 0)
        self._space()
        if self.at < len(text):
            raise self._wrong("text after the end of the value")

    def error(self, path, what, of_key=False):
        path = tuple(path)
        offset = (self.keys if of_key else self.values).get(path)
        while offset is None and path:
            path = path[:-1]
            offset = self.values.get(path)
        return LocatedError(self.file, self._place(offset), path, what)

    def _place(self, offset):
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    def _wrong(self, what, offset=None):
        place = self._place(self.at if offset is None else offset)
        return LocatedError(self.file, place, None, f"not valid JSON: {what}")

    def _space(self):
        self.at = SPACE.match(self.text, self.at).end()

    def _take(self, character):
        self._space()
        if self.text[self.at : self.at + 1] != character:
            return False
        self.at += 1
        return True

    def _value(self, path, depth):
        self._space()
        self.values[path] = self.at
        start = self.text[self.at : self.at + 1]
        if depth > DEPTH_MAX:
            raise self._wrong(f"nested more than {DEPTH_MAX} deep")
        if start == "{":
            return self._object(path, depth)
        if start == "[":
            return self._array(path, depth)
        if start == '"':
            return self._string()
        word = SCALAR.match(self.text, self.at)
        if not word:
            raise self._wrong("a value is wanted")
        try:
            value = json.loads(word.group())
        except ValueError:
            raise self._wrong(f'"{word.group()}" is no value') from None
        self.at = word.end()
        return value

    def _string(self):
        try:
            value, self.at = json.decoder.scanstring(self.text, self.at + 1, True)
        except ValueError as error:
            raise self._wrong(str(error).split(":", maxsplit=1)[0].lower()) from None
        return value

    def _object(self, path, depth):
        result = {}
        self.at += 1
        if self._take("}"):
            return result
        while True:
            self._space()
            key_at = self.at
            if self.text[self.at : self.at + 1] != '"':
                raise self._wrong("a key in double quotes is wanted")
            key = self._string()
            if key in result:
                raise self._wrong(f'the key "{key}" stands here twice', key_at)
            self.keys[(*path, key)] = key_at
            if not self._take(":"):
                raise self._wrong('":" is wanted after a key')
            result[key] = self._value((*path, key), depth + 1)
            if self._take("}"):
                return result
            if not self._take(","):
                raise self._wrong('"," or "}" is wanted')

    def _array(self, path, depth):
        result = []
        self.at += 1
        if self._take("]"):
            return result
        while True:
            result.append(self._value((*path, len(result)), depth + 1))
            if self._take("]"):
                return result
            if not self._take(","):
                raise self._wrong('"," or "]" is wanted')


def read(path):
    """The Document of a file; LocatedError when it cannot be had."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise LocatedError(path, None, None, f"not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise LocatedError(path, None, None, f"cannot be read: {error.strerror}") from None
    return Document(path, text)
