"""Literal values in tests and in product code, told apart from those that mean nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from windtunnel.tamper.records import stored_units
from windtunnel.tamper.script import SCRIPT, Script, read_script
from windtunnel.tamper.trees import dotted, parse
from windtunnel.tamper.worth import Unknown, constant

TRIVIAL = frozenset(map(repr, (0, 1, -1, "", None, True, False, [], (), {}, 0.0, 1.0, -1.0, b"", set())))
MOST_UNIT = 40
"""Literals of one test; a test with more says too little about which belong together."""
_NUMBER = re.compile(r"^\d+$")
_MADE = {"date", "datetime", "time", "timedelta", "frozenset", "bytes", "complex"}

Unit = frozenset[str]
"""Literals, and names as ``name:x``, that stand together in a test."""


class _Anything(frozenset[str]):
    __slots__ = ()

    def issuperset(self, other: Iterable[object], /) -> bool:  # noqa: ARG002 -- whatever it is
        return True


ANYTHING: Unit = _Anything()
"""A test in which everything stands together: for asking whether tests need to be read at all."""


def literal(node: ast.AST | None) -> str | None:
    """The canonical text of a literal; None for anything that is computed."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if not isinstance(node, ast.UnaryOp | ast.List | ast.Tuple | ast.Dict | ast.Set):
        return None
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def value(node: ast.AST | None) -> str | None:
    """The canonical text of a literal, or of an object made of nothing but literals: ``date(2024, 5, 10)``."""
    text = literal(node)
    if text is None and isinstance(node, ast.BinOp | ast.Call | ast.Subscript | ast.JoinedStr):
        text = _worked_out(node)
    if text is not None or not isinstance(node, ast.Call):
        return text
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    parts = [value(each) for each in (*node.args, *(word.value for word in node.keywords))]
    made = name in _MADE or name[:1].isupper()
    return f"{name}({', '.join(map(str, parts))})" if made and parts and None not in parts else None


def _worked_out(node: ast.AST) -> str | None:
    """The canonical text of what constants are made into: ``60 * 60``, ``"ab"[::-1]``."""
    try:
        made = constant(node, name=lambda each: dotted(each, {}))
    except Unknown:
        return None
    return repr(made) if isinstance(made, int | float | str | bytes | list | tuple | dict) else None


def _together(node: ast.AST) -> Unit:
    found = set()
    for each in ast.walk(node):
        if (text := value(each)) is not None:
            found.add(text)
        if isinstance(each, ast.Name):
            found.add(f"name:{each.id}")
        elif isinstance(each, ast.Attribute):
            found.add(f"name:{each.attr}")
    return frozenset(found)


def _claimed(test: ast.expr) -> Unit:
    """The answer that a bare ``assert f(x)`` expects."""
    if isinstance(test, ast.Call | ast.Name | ast.Attribute):
        return frozenset({"True"})
    return frozenset({"False"} if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ())


def _python(data: bytes) -> Iterator[Unit]:
    tree = parse(data)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Assert):
            yield _together(node) | _claimed(node.test)
        elif isinstance(node, ast.Expr) or (isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1):
            yield _together(node)
        elif isinstance(node, ast.Dict):
            yield from (
                _together(key) | _together(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            )
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            whole = _together(node)
            if len([text for text in whole if not text.startswith("name:")]) <= MOST_UNIT:
                yield whole


def number(text: str) -> str:
    """A script's number as Python would write it."""
    if _NUMBER.match(text):
        return text.lstrip("0") or "0"
    try:
        value = float(text.rstrip("n"))
    except ValueError:
        return text
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)  # noqa: PLR2004 -- exact in a float


def script_literal(script: Script, index: int) -> str | None:
    """The canonical text of the literal at an index of a script."""
    if index >= len(script.words):
        return None
    word = script.words[index]
    if word.kind == "string":
        return repr(word.text)
    if word.kind == "number":
        return number(word.text)
    return {"true": "True", "false": "False", "null": "None", "undefined": "None"}.get(script.text(index))


def _span(script: Script, start: int, end: int) -> Unit:
    found = set()
    for index in range(start, end):
        text = script_literal(script, index)
        if text is not None:
            negative = script.text(index - 1) == "-" and script.text(index - 2) in ("(", ",", "[", ":", "=", "return")
            found.add(f"-{text}" if negative else text)
        elif script.words[index].kind == "name":
            found.add(f"name:{script.words[index].text}")
    return frozenset(found)


def _script(data: bytes) -> Iterator[Unit]:
    script = read_script(data)
    for index, word in enumerate(script.words):
        if word.kind == "name" and word.text in ("expect", "assert", "strictEqual", "deepEqual", "equal", "is"):
            end = index + 1
            while script.text(end) in (".", "(") or (script.words[end : end + 1] and script.text(end - 1) == "."):
                end = script.closing(end) + 1 if script.text(end) == "(" else end + 1
            yield _span(script, index, end)
        elif word.kind == "mark" and word.text == "[":
            yield _span(script, index, script.closing(index))
        elif word.kind == "name" and word.text in ("it", "test") and script.text(index + 1) == "(":
            whole = _span(script, index + 3, script.closing(index + 1))
            if len([text for text in whole if not text.startswith("name:")]) <= MOST_UNIT:
                yield whole


@lru_cache(maxsize=512)
def _units(data: bytes, *, script: bool) -> tuple[Unit, ...]:
    return tuple(_script(data) if script else _python(data))


def units(tests: Mapping[str, bytes]) -> list[Unit]:
    """What stands together in the tests."""
    found: list[Unit] = []
    for path, data in tests.items():
        if path.endswith(".py") or SCRIPT.search(path):
            found += _units(data, script=not path.endswith(".py"))
        else:
            found += stored_units(path, data)
    return found


def telling(texts: Iterable[str]) -> bool:
    """Whether one of the literals is more than a base case."""
    return any(text not in TRIVIAL for text in texts)
