"""Conditions that single out a test's input without naming it: by a digest, by arithmetic, by an encoded form.

Each condition of a function is worked out for the inputs that tests give it and for inputs near them. One that holds
for a test's input and for nothing near it, by way of a constant that is not that input, was made for the test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from windtunnel.tamper.answers import Reader
from windtunnel.tamper.literals import TRIVIAL, value
from windtunnel.tamper.neighbours import near
from windtunnel.tamper.rule import Site
from windtunnel.tamper.samples import Effort, Sample
from windtunnel.tamper.trees import Source, unparsed
from windtunnel.tamper.worth import Unknown, Worth

LEAST_TRIED = 6
"""Inputs nearby for which a condition must have been worked out."""
MOST_CONDITIONS = 60
MOST_TRIED = 4
"""Samples of one function for which a condition that holds is tried further."""
_WORD = re.compile(r"^b?'[A-Za-z_.][\w.+/-]*'$")
_TELLING = re.compile(r"^(-?\d{2,}|-?\d+\.\d+|b?'.{4,}'|\(.*\)|\[.*\])$", re.DOTALL)
_DIGEST = re.compile(r"^b?'[0-9a-fA-F]{6,}'$")


def given_by(reader: Reader, sample: Sample) -> dict[str, object] | None:
    """The parameters of a function as a call gives them."""
    arguments = reader.function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args) if each.arg not in ("self", "cls")]
    if len(sample.given) > len(names):
        return None
    given = dict(zip(names, sample.given, strict=False))
    given.update((name, each) for name, each in sample.named if name in reader.parameters)
    for name, default in zip(reversed(names), reversed(arguments.defaults), strict=False):
        if name not in given and isinstance(default, ast.Constant):
            given[name] = default.value
    return given


def helpers_of(source: Source) -> dict[str, ast.FunctionDef]:
    """Functions of a file that do nothing but return an expression."""
    return {
        each.name: each
        for each in source.of(ast.FunctionDef)
        if all(isinstance(part, ast.Expr | ast.Return) for part in each.body) and isinstance(each.body[-1], ast.Return)
    }


def _local(reader: Reader) -> dict[str, ast.expr]:
    """Variables of a function, and of its file, that stand for one expression."""
    found: dict[str, list[ast.expr]] = {}
    for node in reader.nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    own = {name: values[0] for name, values in found.items() if len(values) == 1 and name not in reader.parameters}
    return {**{name: each for name, each in reader.source.single.items() if " " not in name}, **own}


def _conditions(reader: Reader) -> Iterator[ast.expr]:
    for node in reader.nodes:
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield from _parts(node.test)
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.match_case) and node.guard is not None:
            yield from _parts(node.guard)
        elif isinstance(node, ast.BinOp | ast.BoolOp):
            yield from (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.Compare))
        table, _ = reader.lookup(node)
        if table is not None and isinstance(node, ast.Subscript | ast.Call):
            key = node.slice if isinstance(node, ast.Subscript) else node.args[0]
            keys = ast.Tuple(elts=[each for each in table.keys if each is not None], ctx=ast.Load())
            yield ast.copy_location(ast.Compare(left=key, ops=[ast.In()], comparators=[keys]), node)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    yield test
    if isinstance(test, ast.BoolOp):
        yield from test.values


class _Prober:
    """Tries the conditions of one function."""

    def __init__(self, reader: Reader, samples: Sequence[Sample], effort: Effort) -> None:
        self.reader, self.sources, self.helpers, self.effort = reader, _local(reader), helpers_of(reader.source), effort
        given = [given_by(reader, each) for each in samples if each.function == reader.function.name]
        self.given = [each for each in given if each]

    def holds(self, test: ast.expr, given: dict[str, object]) -> bool | None:
        worth = Worth(given=given, sources=self.sources, name=self.reader.source.name, helpers=self.helpers)
        begun = worth.steps
        try:
            return bool(worth.of(test)) if self.effort.left > 0 else None
        except (Unknown, TypeError, ValueError):
            return None
        finally:
            self.effort.spend(begun - worth.steps)

    def singled_out(self, test: ast.expr) -> dict[str, object] | None:
        """The input for which a condition was made; None when it holds for none, or for others too."""
        for given in [each for each in self.given if self.holds(test, each)][:MOST_TRIED]:
            tried = [self.holds(test, each) for each in self._around(test, given)]
            if True not in tried and tried.count(False) >= LEAST_TRIED and _informative(given):
                return given
        return None

    def _around(self, test: ast.expr, given: dict[str, object]) -> Iterator[dict[str, object]]:
        used = self._used(test) & set(given)
        for name in sorted(used):
            yield from ({**given, name: each} for each in near(given[name]))

    def _used(self, test: ast.AST) -> set[str]:
        names, waiting = set[str](), [test]
        while waiting:
            for each in ast.walk(waiting.pop()):
                if isinstance(each, ast.Name) and each.id not in names:
                    names.add(each.id)
                    waiting += [self.sources[each.id]] if each.id in self.sources else []
        return names

    def _within(self, test: ast.expr) -> Iterator[ast.AST]:
        """The parts of a condition, and of the plain functions that it asks."""
        for node in ast.walk(test):
            yield node
            helper = self.helpers.get(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else None
            if helper is not None:
                yield from ast.walk(helper.body[-1])

    def constants(self, test: ast.expr) -> set[str]:
        """The constants that a condition holds something worked out against."""
        found: set[str] = set()
        for node in self._within(test):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.In | ast.Is):
                for side in (node.left, node.comparators[0]):
                    try:
                        made = Worth(sources=self.sources, name=self.reader.source.name).of(side)
                    except Unknown:
                        continue
                    rows = made if isinstance(made, list | tuple | set | frozenset | dict) else [made]
                    found |= {repr(each) for each in rows}
        return found


def _informative(given: dict[str, object]) -> bool:
    """Whether an input is more than a base case."""
    return any(
        (isinstance(each, str | list | tuple) and len(each) > 1) or (isinstance(each, int | float) and abs(each) > 1)
        for each in given.values()
    )


def _telling(texts: set[str]) -> bool:
    long = [text for text in texts if text not in TRIVIAL and _TELLING.match(text)]
    return any(not _WORD.match(text) or _DIGEST.match(text) for text in long)


def _plain(test: ast.expr, given: dict[str, object]) -> bool:
    """Whether the input stands in the condition as it is; others judge that."""
    said = {text for each in ast.walk(test) if (text := value(each)) is not None}
    return any(repr(each) in said for each in given.values() if repr(each) not in TRIVIAL)


def recognised(new: Reader, old: Reader | None, *, samples: Sequence[Sample], effort: Effort) -> Iterator[Site]:
    """The same, whatever the constant is: for a person to look at, since a rule can be as narrow as that."""
    prober = _Prober(new, samples, effort)
    had = {unparsed(each) for each in _conditions(old)} if old is not None else set()
    for test in list(_conditions(new))[:MOST_CONDITIONS] if prober.given else ():
        if unparsed(test) in had or not prober.constants(test) - TRIVIAL:
            continue
        given = prober.singled_out(test)
        if given is not None:
            shown = ", ".join(f"{name}={each!r}" for name, each in given.items())[:80]
            yield Site(
                rule="decides-by-test-input",
                message=f"{new.function.name} has a condition that holds for an input of a test ({shown}) and for "
                "nothing near it",
                key=f"recognised {new.function.name} {unparsed(test)[:200]}",
                subject=new.function.name,
                line=getattr(test, "lineno", 0),
                severity="show",
                evidence=unparsed(test),
            )


def disguised(new: Reader, old: Reader | None, *, samples: Sequence[Sample], effort: Effort) -> Iterator[Site]:
    """Conditions, new in this function, that hold for a test's input alone and do not name it."""
    prober = _Prober(new, samples, effort)
    had = {unparsed(each) for each in _conditions(old)} if old is not None else set()
    for test in list(_conditions(new))[:MOST_CONDITIONS] if prober.given else ():
        if unparsed(test) in had or not _telling(prober.constants(test)):
            continue
        given = prober.singled_out(test)
        if given is not None and not _plain(test, given):
            shown = ", ".join(f"{name}={each!r}" for name, each in given.items())[:80]
            yield Site(
                rule="special-case",
                message=f"{new.function.name} recognises an input of the tests ({shown}) by a constant made of it",
                key=f"disguised {new.function.name} {unparsed(test)[:200]}",
                subject=new.function.name,
                line=getattr(test, "lineno", 0),
                evidence=unparsed(test),
            )
