"""Alternatives to a changed function: one small edit of the code before the change, or of the change itself."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from windtunnel.mutation.alternatives.expressions import CONSTANT, Scope, answers, conditions, edits
from windtunnel.mutation.alternatives.functions import Function, Target, bare
from windtunnel.mutation.alternatives.statements import bodies, guards

MOST = 160
"""Of one function; those at the changed places first."""
_MOST_CONDITIONS, _MOST_CONSTANTS = 10, 6
DECIDING = ("condition", "dropped", "comparison", "boundary", "boolean", "widened", "narrowed", "statement changed")
"""Kinds that alter when something is done, and not what."""
_USUAL = (-1, 0, 1, 2, "")
_Made = tuple[str, str, str]
"""Base, kind and text."""
_MOST_NODES = 1500
_MOST_LETTERS, _MOST_NUMBER, _MOST_LITERALS = 80, 1e12, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The function with one edit."""

    target: int
    base: str
    """``old``: the code before the change was edited; ``fix``: the change itself."""
    kind: str
    text: str
    size: int
    """How many nodes of the tree it has."""


def alternatives(target: Target, number: int, *, most: int = MOST) -> list[Alternative]:
    """For one function, the nearest to the change first, those of the old code and of the change in turn."""
    after = bare(target.after)
    before = bare(target.before) if target.before is not None else None
    if sum(1 for _ in ast.walk(after)) > _MOST_NODES:
        return []
    scope = _scope([each for each in (before, after) if each is not None])
    bases = [("fix", after, before), *([("old", before, after)] if before is not None else [])]
    streams = [_made(base, function, other, scope=scope) for base, function, other in bases]
    found: dict[str, Alternative] = {}
    for each in _in_turn(streams):
        if len(found) >= most:
            break
        base, kind, text = each
        if text:
            found.setdefault(text, Alternative(target=number, base=base, kind=kind, text=text, size=len(text)))
    return list(found.values())


def _in_turn(streams: Sequence[Iterator[_Made]]) -> Iterator[_Made]:
    for pair in zip_longest(*streams):
        yield from (each for each in pair if each is not None)


def constants(functions: Sequence[Function | None]) -> list[int | float | str]:
    """Numbers and texts in them; long ones and huge ones are left out."""
    found: dict[int | float | str, None] = {}
    for node in (node for function in functions if function is not None for node in ast.walk(function)):
        value = node.value if isinstance(node, ast.Constant) else None
        if (isinstance(value, str) and len(value) <= _MOST_LETTERS) or (
                isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_NUMBER):
            found[value] = None
    return list(found)[:_MOST_LITERALS]


def new_literals(targets: Sequence[Target]) -> list[int | float | str]:
    """Numbers and texts that the change brings into functions, but for the usual ones."""
    before = constants([target.before for target in targets])
    after = constants([bare(target.after) for target in targets if target.changed])
    return [value for value in after if value not in before and value not in _USUAL]


def _made(base: str, function: Function, other: Function | None, *, scope: Scope) -> Iterator[_Made]:
    """Texts of edits, the nearest to what differs between the two first; each made when it is asked for."""
    changed = _changed_lines(function, other)
    ranked = []
    for order, edit in enumerate(_edits(function, scope)):
        distance = min((abs(edit.line - each) for each in changed), default=0)
        beside = edit.kind not in DECIDING and not edit.kind.startswith(CONSTANT)
        ranked.append(((distance > 0) * 2 + beside, distance, order, edit))
    for *_, edit in sorted(ranked, key=lambda one: one[:3]):
        yield base, edit.kind, edit.text(function)


def _changed_lines(function: Function, other: Function | None) -> list[int]:
    """Lines of the text of one that the other does not have; where it has all, those around what is missing."""
    own = ast.unparse(function).splitlines()
    theirs = ast.unparse(other).splitlines() if other is not None else []
    found: list[int] = []
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, own, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            found += range(start + 1, max(end, start + 1) + 1)
    return found


@dataclass(frozen=True, slots=True)
class _Edit:
    """One part of a tree to be replaced."""

    line: int
    kind: str
    holder: ast.AST
    name: str
    at: int | None
    new: object

    def text(self, function: Function) -> str:
        """The function with it; the tree is as it was afterwards. Empty where that cannot be written."""
        kept = getattr(self.holder, self.name)
        try:
            setattr(self.holder, self.name, self.new if self.at is None else [
                *kept[:self.at], self.new, *kept[self.at + 1:]])
            return ast.unparse(function)
        except (ValueError, RecursionError, AttributeError, TypeError):
            return ""
        finally:
            setattr(self.holder, self.name, kept)


def _edits(function: Function, scope: Scope) -> Iterator[_Edit]:
    for holder, name, at, node in _sites(function):
        for kind, new in _proposals(holder, name, node, scope=scope):
            yield _Edit(node.lineno, kind, holder, name, at, new)
    for holder, name, body in _lists(function):
        for kind, changed in bodies(body, scope.conditions):
            yield _Edit(body[0].lineno, kind, holder, name, None, changed)
    for kind, changed in guards(function.body, scope.conditions, _ends(function)):
        yield _Edit(function.body[0].lineno, kind, function, "body", None, changed)


def _proposals(holder: ast.AST, name: str, node: ast.expr, *, scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    yield from edits(node, scope)
    if _decides(holder, name):
        yield from conditions(node, scope)
    if isinstance(holder, ast.Return):
        yield from answers(node)


def _sites(function: Function) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    for node in ast.walk(function):
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            if isinstance(value, ast.expr):
                yield node, name, None, value
            elif isinstance(value, list):
                yield from ((node, name, at, part) for at, part in enumerate(value) if isinstance(part, ast.expr))


def _lists(function: Function) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            value = getattr(node, name, None)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield node, name, value


def _decides(holder: ast.AST, name: str) -> bool:
    return name == "test" or (isinstance(holder, ast.comprehension) and name == "ifs")


def _scope(functions: Sequence[Function]) -> Scope:
    names: dict[str, None] = {}
    found: dict[str, ast.expr] = {}
    for function in functions:
        names |= dict.fromkeys(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))
        names |= dict.fromkeys(node.id for node in ast.walk(function)
                               if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        for node in ast.walk(function):
            if isinstance(node, ast.If | ast.IfExp | ast.While):
                parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
                found |= {ast.unparse(part): part for part in parts}
    for name in list(names)[:4]:
        for empty in (ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name, ctx=ast.Load())),):
            found.setdefault(ast.unparse(empty), empty)
    known = constants(functions)
    return Scope(
        names=[name for name in names if name not in ("self", "cls")],
        numbers=[value for value in known if type(value) is int][:_MOST_CONSTANTS],
        texts=[value for value in known if isinstance(value, str)][:_MOST_CONSTANTS],
        conditions=list(found.values())[:_MOST_CONDITIONS])


def _ends(function: Function) -> list[ast.stmt]:
    """How the function could end early: as it ends elsewhere, or with an empty answer."""
    found: dict[str, ast.stmt] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Raise):
            found.setdefault(ast.unparse(node), node)
    for value in ("None", "0", "[]", "''", "False", "True", *(each.arg for each in function.args.args[:3])):
        made = ast.parse(f"return {value}").body[0]
        found.setdefault(ast.unparse(made), made)
    return list(found.values())[:10]
