"""One step of a workflow: a function to call, a statement to run, or nothing that would run at all."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Literal

BARE = "simple_functions"
"""The module of a step that names a function alone."""
_NAME = r"[A-Za-z_]\w*"
_DOTTED = re.compile(rf"({_NAME}(?:\.{_NAME})*)\.({_NAME})")
_COLON = re.compile(rf"({_NAME}(?:\.{_NAME})*):({_NAME}(?:\.{_NAME})*)")
_MOST_STEP = 10_000
_OPEN, _CLOSE, _QUOTES = "([{", ")]}", "\"'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step as it will be run."""

    text: str
    kind: Literal["call", "statement", "nothing"]
    module: str = ""
    function: str = ""
    reason: str = ""
    """Why it is nothing that would run."""


def split_steps(text: str) -> tuple[str, ...]:
    """A JSON list, or steps with commas between them; a comma in brackets or quotes is part of its step."""
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            return tuple(one.strip() for one in found if one.strip())
    return tuple(one for part in _parts(text) if (one := part.strip()))


def _parts(text: str) -> list[str]:
    parts, start, depth, quote = [], 0, 0, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        elif letter == "," and depth <= 0:
            parts.append(text[start:place])
            start, depth = place + 1, 0
    return [*parts, text[start:]]


def step(text: str) -> Step:
    """What the text stands for; a bare name is a function of ``simple_functions``."""
    if len(text) > _MOST_STEP:
        return Step(text="", kind="nothing", reason=f"it is longer than {_MOST_STEP} characters")
    if text.isidentifier():
        return Step(text=text, kind="call", module=BARE, function=text)
    if (named := _COLON.fullmatch(text)) or (named := _DOTTED.fullmatch(text)):
        return Step(text=text, kind="call", module=named[1], function=named[2])
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Step(text=text, kind="nothing", reason=f"it is neither a function's name nor Python: {error}"[:200])
    if all(map(_only_defines, tree.body)):
        return Step(text=text, kind="nothing", reason="it only defines or imports, and calls nothing")
    return Step(text=text, kind="statement")


def _only_defines(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
        return statement.value is None or isinstance(statement.value, ast.Constant | ast.Name | ast.Lambda)
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
                      | ast.Pass)
