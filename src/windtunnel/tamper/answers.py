"""The answers that a Python function gives for inputs that stand in its own text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from windtunnel.tamper.literals import literal
from windtunnel.tamper.literals import value as made
from windtunnel.tamper.trees import Source
from windtunnel.tamper.worth import Unknown

MOST_ROWS = 100
"""Inputs of one condition that are read."""
NARROW = 2
"""Numbers that a range lets through at most, to be no range."""
RAISES = "raises:"
"""What stands before the name of an exception that is the answer."""
_WHOLE = re.compile(r"^-?\d{1,15}$")


@dataclass(frozen=True, slots=True)
class Case:
    """One answer for one input."""

    inputs: tuple[str, ...]
    answer: str
    node: ast.AST


def _subject(node: ast.AST) -> list[str] | None:
    """The variables that a comparison holds against literals; None when it computes something first."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Tuple | ast.List):
        parts = [_subject(each) for each in node.elts]
        return None if None in parts else [name for part in parts for name in part or ()]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return _subject(node.func.value)
    if (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and getattr(node.func, "id", "") in ("str", "int", "list", "tuple", "repr", "sorted", "float")
    ):
        return _subject(node.args[0])
    return None


def _flat(node: ast.AST, value: ast.AST) -> list[str]:
    if isinstance(node, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        return [text for each in value.elts if (text := made(each)) is not None]
    text = made(value)
    return [] if text is None else [text]


def pinned(test: ast.AST, source: Source | None = None) -> tuple[list[str], list[list[str]]] | None:
    """Variables that a condition fixes, and the inputs it lets through; names of constants are followed in a source."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [pinned(value, source) or _of_parts(value) for value in test.values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        rows = islice(product(*(part[1] for part in known)), MOST_ROWS)
        return [name for part in known for name in part[0]], [[text for each in row for text in each] for row in rows]
    if isinstance(test, ast.BoolOp):
        either = [part for part in (pinned(value, source) for value in test.values) if part is not None]
        return (either[0][0], [row for part in either for row in part[1]]) if either else None
    if isinstance(test, ast.Call) and getattr(test.func, "id", "") == "any" and len(test.args) == 1:
        inner = test.args[0]
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            return _run_over(inner, pinned(inner.elt, source))
    return _single(test, source)


def _single(test: ast.AST, source: Source | None) -> tuple[list[str], list[list[str]]] | None:
    """What one comparison fixes."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _difference(test.operand)
    if not isinstance(test, ast.Compare):
        return None
    return _compared(test, source) if len(test.ops) == 1 else _between(test)


def _of_parts(test: ast.AST) -> tuple[list[str], list[list[str]]] | None:
    """``line.quantity == 10``: counts beside other conditions alone, since one part can be the kind of a thing."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        root, text = test.left, made(test.comparators[0])
        while isinstance(root, ast.Attribute):
            root = root.value
        return ([root.id], [[text]]) if isinstance(root, ast.Name) and text is not None else None
    return None


def _run_over(
    inner: ast.GeneratorExp | ast.ListComp, fixed: tuple[list[str], list[list[str]]] | None
) -> tuple[list[str], list[list[str]]] | None:
    """A loop's variable stands for what the loop runs over."""
    first = inner.generators[0]
    if fixed is None or not isinstance(first.target, ast.Name) or not isinstance(first.iter, ast.Name):
        return fixed
    return [first.iter.id if name == first.target.id else name for name in fixed[0]], fixed[1]


def _difference(node: ast.AST) -> tuple[list[str], list[list[str]]] | None:
    """``n - 10``, which is nothing for one input alone."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.BitXor):
        names, text = _subject(node.left), made(node.right)
        return (names, [[text]]) if names and text is not None else None
    return None


def _between(test: ast.Compare) -> tuple[list[str], list[list[str]]] | None:
    """A range so narrow that it is a list of one or two numbers."""
    names = _subject(test.comparators[0])
    low, high = made(test.left), made(test.comparators[-1])
    if names is None or low is None or high is None or not _WHOLE.match(low) or not _WHOLE.match(high):
        return None
    if not all(isinstance(each, ast.Lt | ast.LtE) for each in test.ops):
        return None
    first, last = int(low) + isinstance(test.ops[0], ast.Lt), int(high) - isinstance(test.ops[-1], ast.Lt)
    return (names, [[str(number)] for number in range(first, last + 1)]) if 0 <= last - first < NARROW else None


def _compared(test: ast.Compare, source: Source | None) -> tuple[list[str], list[list[str]]] | None:
    left, right = test.left, test.comparators[0]
    if made(left) is not None:
        left, right = right, left
    sign = test.ops[0]
    if isinstance(sign, ast.Eq) and made(right) == "0" and (apart := _difference(left)) is not None:
        return apart
    names = _subject(left)
    if names is None:
        return None
    if isinstance(sign, ast.Eq | ast.Is) and made(right) is not None:
        return names, [_flat(left, right)]
    if isinstance(sign, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        return names, [_flat(left, each) for each in right.elts if made(each) is not None]
    if isinstance(sign, ast.Eq | ast.In) and source is not None and isinstance(right, ast.Name | ast.Call):
        rows = _options(right, source, one=isinstance(sign, ast.Eq))
        return (names, rows) if rows else None
    return None


def _options(node: ast.Name | ast.Call, source: Source, *, one: bool) -> list[list[str]]:
    """The constants that a name stands for, or that a loop gives it one after the other."""
    running = source.single.get(f"{node.id} of") if isinstance(node, ast.Name) else None
    try:
        worth = source.worth(running or node)
    except Unknown:
        return []
    if one and running is None:
        return [[repr(worth)]]
    rows = worth if isinstance(worth, list | tuple | set | frozenset | dict) else ()
    return [[*map(repr, row)] if isinstance(row, tuple) else [repr(row)] for row in islice(rows, MOST_ROWS)]


def _answer(body: Sequence[ast.stmt]) -> str | None:
    last = body[-1]
    if isinstance(last, ast.Return | ast.Assign):
        return made(last.value)
    if isinstance(last, ast.Raise) and last.exc is not None:
        raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
        return f"{RAISES}{raised.attr if isinstance(raised, ast.Attribute) else getattr(raised, 'id', '')}"
    return None


def tables(source: Source, scope: ast.AST) -> dict[str, ast.Dict]:
    """The literal tables that a scope gives names to, with what it puts into them later."""
    found = {
        target.id: node.value
        for node in source.inside(scope)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    found |= _made_tables(source, scope)
    for node in source.inside(scope):
        name, rows = _put(node)
        if name in found and rows:
            held = found[name]
            found[name] = ast.Dict(keys=[*held.keys, *(key for key, _ in rows)],
                                   values=[*held.values, *(each for _, each in rows)])  # fmt: skip
    return found


def _made_tables(source: Source, scope: ast.AST) -> dict[str, ast.Dict]:
    """Tables that are made of constants by a call: ``dict(zip(inputs, answers))``."""
    found = {}
    for node in source.inside(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.DictComp):
            try:
                made = source.worth(node.value)
            except Unknown:
                continue
            name = getattr(node.targets[0], "id", "")
            if isinstance(made, dict) and name and all(map(_written, (*made, *made.values()))):
                rows = [(_node(key), _node(each)) for key, each in made.items()]
                found[name] = ast.Dict(keys=[key for key, _ in rows], values=[each for _, each in rows])
    return found


def _written(value: object) -> bool:
    """Whether a value can be written as a literal."""
    if isinstance(value, tuple | list):
        return all(map(_written, value))
    return value is None or isinstance(value, int | float | str | bytes)


def _node(value: Any) -> ast.expr:  # noqa: ANN401 -- whatever can be written as a literal
    if isinstance(value, tuple | list):
        kind = ast.Tuple if isinstance(value, tuple) else ast.List
        return kind(elts=[_node(each) for each in value], ctx=ast.Load())
    return ast.Constant(value=value)


def _put(node: ast.AST) -> tuple[str, list[tuple[ast.expr, ast.expr]]]:
    """The rows that a statement puts into a table, and the table's name."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return getattr(node.targets[0].value, "id", ""), [(node.targets[0].slice, node.value)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
        given: list[tuple[ast.expr, ast.expr]] = [
            (ast.Constant(value=word.arg), word.value) for word in node.keywords if word.arg
        ]
        for table in (each for each in node.args if isinstance(each, ast.Dict)):
            given += [(key, each) for key, each in zip(table.keys, table.values, strict=True) if key is not None]
        return getattr(node.func.value, "id", ""), given
    return "", []


class Reader:
    """The cases of one function."""

    def __init__(
        self, source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, *, shared: Mapping[str, ast.Dict]
    ) -> None:
        """``shared`` are the tables of the whole file."""
        self.source, self.function = source, function
        arguments = function.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        optional = len(arguments.defaults) + len(arguments.kw_defaults)
        required = names[: len(names) - optional] if optional else names
        self.required = {name for name in required or names if name not in ("self", "cls")}
        self.parameters = {name for name in names if name not in ("self", "cls")}
        self.nodes = list(source.inside(function))
        self.tables = {**shared, **tables(source, function)}
        self.returned = {
            node.value.id for node in self.nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
        }

    def cases(self) -> Iterator[Case]:
        """Every answer that is a literal, for inputs that are."""
        for node in self.nodes:
            if isinstance(node, ast.If | ast.IfExp):
                answer = _answer(node.body) if isinstance(node, ast.If) else made(node.body)
                yield from self._conditions(node.test, answer)
            elif isinstance(node, ast.Match):
                yield from self._match(node)
            elif isinstance(node, ast.Return) or self._kept(node):
                for table in self._lookups(node, wanted=self.required):
                    yield from self.rows(table)

    def _conditions(self, test: ast.AST, answer: str | None) -> Iterator[Case]:
        fixed = pinned(test, self.source) if answer is not None else None
        if fixed is not None and self.required and self.required <= set(fixed[0]):
            yield from (Case(tuple(row), str(answer), test) for row in fixed[1])

    def _match(self, node: ast.Match) -> Iterator[Case]:
        if not self.required <= set(_subject(node.subject) or ()) or not self.required:
            return
        for case in node.cases:
            values = [made(each.value) for each in ast.walk(case.pattern) if isinstance(each, ast.MatchValue)]
            answer = _answer(case.body)
            if answer is not None and values and case.guard is None:
                rows = [values] if isinstance(case.pattern, ast.MatchSequence) else [[value] for value in values]
                yield from (Case(tuple(str(value) for value in row), answer, case.body[0]) for row in rows)

    def _kept(self, node: ast.AST) -> bool:
        """Whether a statement makes the answer, which another one gives."""
        return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in self.returned

    def _lookups(self, node: ast.AST, *, wanted: set[str]) -> Iterator[ast.Dict]:
        """The tables that something anywhere in a statement is looked up in, by these variables."""
        for each in ast.walk(node):
            table, names = self.lookup(each)
            if table is not None and wanted and wanted <= names:
                yield table

    def _table(self, node: ast.AST) -> ast.Dict | None:
        """The table that a statement answers from, without working on what it finds there."""
        if not isinstance(node, ast.Return) and not self._kept(node):
            return None
        table, names = self.lookup(getattr(node, "value", None))
        return table if self.required and self.required <= names else None

    def lookup(self, value: ast.AST | None) -> tuple[ast.Dict | None, set[str]]:
        """The table that an expression looks something up in, and the variables that it does so by."""
        key: ast.AST | None = None
        base: ast.AST | None = None
        if isinstance(value, ast.Subscript):
            base, key = value.value, value.slice
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "get"
            and value.args
        ):
            base, key = value.func.value, value.args[0]
        table = base if isinstance(base, ast.Dict) else self.tables.get(getattr(base, "id", ""))
        return table, set(_subject(key) or ()) if key is not None else set()

    def rows(self, table: ast.Dict) -> Iterator[Case]:
        """The cases of a table."""
        for key, value in zip(table.keys, table.values, strict=True):
            answer = made(value)
            inputs = _flat(key, key) if key is not None and len(self.required) > 1 else [made(key) or ""]
            if answer is not None and inputs != [""]:
                yield Case(tuple(inputs), answer, value)

    def computed(self) -> bool:
        """Whether some answer is worked out."""
        for node in self.nodes:
            if isinstance(node, ast.Yield | ast.YieldFrom):
                return True
            if isinstance(node, ast.Return) and node.value is not None and literal(node.value) is None:
                if self._table(node) is not None or (isinstance(node.value, ast.IfExp) and literal(node.value.orelse)):
                    continue
                table_name = isinstance(node.value, ast.Name) and any(
                    isinstance(each, ast.Assign)
                    and getattr(each.targets[0], "id", "") == node.value.id
                    and (self._table(each) is not None or literal(each.value) is not None)
                    for each in self.nodes
                )
                if not table_name:
                    return True
        return False

    def uses_input(self) -> bool:
        """Whether it looks at what it is asked."""
        used = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        return bool(self.required & used)


def functions(source: Source | None) -> dict[str, Reader]:
    """The functions of a file, by name."""
    if source is None:
        return {}
    shared = tables(source, source.tree)
    return {
        node.name: Reader(source, node, shared=shared)
        for node in source.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
