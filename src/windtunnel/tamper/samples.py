"""The calls that tests make with known arguments: which inputs a function was shown, and what was expected of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from windtunnel.tamper.trees import dotted, parse
from windtunnel.tamper.worth import Unknown, Worth

MOST_ROWS = 40
"""Rows of a table of test cases that are read."""
MOST_SAMPLES = 400
_RAISING = {"raises", "assertRaises", "assertRaisesRegex"}
_EQUAL = {f"assert{kind}" for kind in ("Equal", "Equals", "ListEqual", "TupleEqual", "DictEqual", "Is", "AlmostEqual")}
_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call in a test."""

    function: str
    given: tuple[object, ...]
    named: tuple[tuple[str, object], ...] = ()
    expected: str = ""
    """The canonical text of the answer that the test expects, where it names one."""
    raises: str = ""
    """The exception that it expects instead."""
    test: str = ""
    """The test that makes the call."""


@dataclass(slots=True)
class Effort:
    """What may still be spent on working out conditions and answers of one change, in steps of some microseconds."""

    left: int = 400_000

    def spend(self, steps: int) -> bool:
        """Take some of it; whether there was enough."""
        self.left -= steps
        return self.left > 0


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class _Case:
    """One test with one row of its table."""

    def __init__(self, test: ast.FunctionDef, given: Mapping[str, object], constants: Mapping[str, ast.expr]) -> None:
        self.test, self.given = test, given
        self.sources = {**constants, **_assigned(test)}
        for name in given:
            self.sources.pop(name, None)

    def worth(self, node: ast.AST) -> object:
        return Worth(given=self.given, sources=self.sources, name=lambda each: dotted(each, {})).of(node)

    def samples(self) -> Iterator[Sample]:
        for node in ast.walk(self.test):
            for call, expected, raises in self._calls(node):
                try:
                    yield from self._sample(call, expected, raises)
                except Unknown:
                    continue

    def _calls(self, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None, str]]:
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.Is):
            yield node.left, node.comparators[0], ""
            yield node.comparators[0], node.left, ""
        elif isinstance(node, ast.Call) and _last(node.func) in _EQUAL and len(node.args) >= _PAIR:
            yield node.args[0], node.args[1], ""
            yield node.args[1], node.args[0], ""
        elif isinstance(node, ast.With | ast.AsyncWith):
            kinds = [each.context_expr for each in node.items if isinstance(each.context_expr, ast.Call)]
            for kind in kinds:
                if _last(kind.func) in _RAISING and kind.args:
                    calls = [each for part in node.body for each in ast.walk(part) if isinstance(each, ast.Call)]
                    yield from ((call, None, _last(kind.args[0])) for call in calls)
        elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Call):
            yield node.test, ast.Constant(value=True), ""

    def _sample(self, call: ast.expr, expected: ast.expr | None, raises: str) -> Iterator[Sample]:
        call = self.sources.get(call.id, call) if isinstance(call, ast.Name) else call
        call = call.value if isinstance(call, ast.Await) else call
        if isinstance(call, ast.Call):
            known = "" if expected is None else repr(self.worth(expected))
            yield Sample(
                function=_last(call.func),
                given=tuple(self.worth(each) for each in call.args),
                named=tuple((str(word.arg), self.worth(word.value)) for word in call.keywords),
                expected=known,
                raises=raises,
                test=self.test.name,
            )
        elif isinstance(call, ast.ListComp) and isinstance(call.elt, ast.Call) and expected is not None:
            yield from self._several(call, expected)

    def _several(self, made: ast.ListComp, expected: ast.expr) -> Iterator[Sample]:
        """``[f(each) for each in (1, 2)] == [3, 4]``."""
        rows, answers = self.worth(made.generators[0].iter), self.worth(expected)
        target = made.generators[0].target
        if isinstance(rows, list | tuple) and isinstance(answers, list) and isinstance(target, ast.Name):
            for row, answer in zip(rows[:MOST_ROWS], answers, strict=False):
                inner = _Case(self.test, {**self.given, target.id: row}, self.sources)
                yield from inner._sample(made.elt, ast.Constant(value=answer), "")


def _assigned(scope: ast.AST) -> dict[str, ast.expr]:
    """Names that a scope gives one value alone."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _tables(test: ast.FunctionDef, constants: Mapping[str, ast.expr]) -> list[dict[str, object]]:
    """The rows that ``parametrize`` gives a test; one empty row where there are none."""
    rows: list[dict[str, object]] = [{}]
    for call in (each for each in test.decorator_list if isinstance(each, ast.Call)):
        if _last(call.func) != "parametrize" or len(call.args) < _PAIR:
            continue
        try:
            names = Worth().of(call.args[0])
        except Unknown:
            continue
        listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        if isinstance(listed, list | tuple):
            more = list(_bound([str(name) for name in listed], call.args[1], constants))
            rows = [{**row, **each} for row in rows for each in more][:MOST_ROWS] if more else rows
    return rows


def _bound(names: list[str], table: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[dict[str, object]]:
    table = constants.get(table.id, table) if isinstance(table, ast.Name) else table
    for row in table.elts[:MOST_ROWS] if isinstance(table, ast.List | ast.Tuple) else ():
        cells = row.args if isinstance(row, ast.Call) and _last(row.func) == "param" else None
        try:
            worth = Worth(sources=constants, name=lambda each: dotted(each, {}))
            values = [worth.of(each) for each in cells] if cells is not None else worth.of(row)
        except Unknown:
            continue
        values = [values] if len(names) == 1 and cells is None else values
        if isinstance(values, list | tuple) and len(values) == len(names):
            yield dict(zip(names, values, strict=True))


@lru_cache(maxsize=256)
def _read(data: bytes) -> tuple[Sample, ...]:
    tree = parse(data)
    found: list[Sample] = []
    top = [each for each in tree.body if isinstance(each, ast.Assign)] if tree else []
    constants = _assigned(ast.Module(body=list(top), type_ignores=[]))
    for test in ast.walk(tree) if tree else ():
        if isinstance(test, ast.FunctionDef) and len(found) < MOST_SAMPLES:
            for row in _tables(test, constants):
                found += _Case(test, row, constants).samples()
    return tuple(_distinct(found))


def _distinct(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Each once: told apart by their texts, since what they were given need not be hashable."""
    seen: set[str] = set()
    for sample in samples:
        if (text := repr(sample)) not in seen:
            seen.add(text)
            yield sample


def samples(tests: Mapping[str, bytes]) -> list[Sample]:
    """The calls of all tests whose arguments are known."""
    return [each for path, data in tests.items() if path.endswith(".py") for each in _read(data)]
