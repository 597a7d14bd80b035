"""Proves, without Windtunnel, that every fix of this corpus is what its folder says it is.

For each case: the visible tests fail before and pass with every fix; the hidden tests pass with every good fix and
fail before and with every hollow one; and no two fixes of a case do the same in the hidden tests, unless both are good.

Run it as ``python tests/corpus/hollow/prove.py [name ...]``: a table, and 1 where something does not hold. ``--json``
prints the same as data, ``--pytest`` asks a pytest process for each fix as well.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import itertools
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETS = ("tune", "held")
CPU_SECONDS = 5.0
"""For all tests of one file with one fix; of the processor, so that a busy machine changes nothing."""
Record = tuple[str, str, str]
"""Test, what was asked, and what came."""


class TooLong(BaseException):
    """A fix that does not come to its end; no ``except Exception`` of a fix takes it away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One fault, its fixes, and the two suites of tests."""

    folder: Path

    @property
    def name(self) -> str:
        """Also the name under which the tests import the module."""
        return self.folder.name

    def fixes(self, kind: str) -> list[Path]:
        """Those of one kind, ``good`` or ``hollow``, by name."""
        return sorted((self.folder / kind).glob("*.py"))


def cases(root: Path = HERE, *, names: tuple[str, ...] = ()) -> list[Case]:
    """All of them, or those named, the sets one after the other."""
    found = [Case(folder=folder) for kind in SETS for folder in sorted((root / kind).iterdir()) if folder.is_dir()]
    return [case for case in found if not names or case.name in names]


class Recorded(ast.NodeTransformer):
    """Every assertion is noted instead of ending its test, so that two fixes can be told apart by all of them."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """``assert a == b`` becomes ``_note(line, lambda: a, lambda: a == b)``."""
        left = node.test.left if isinstance(node.test, ast.Compare) else node.test
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        asked: list[ast.expr] = [ast.Constant(node.lineno), *(ast.Lambda(args=empty, body=part) for part in (left, node.test))]
        return ast.copy_location(ast.Expr(ast.Call(func=ast.Name("_note", ast.Load()), args=asked, keywords=[])), node)


def behaviour(case: Case, fix: Path, tests: str, *, cpu_seconds: float = CPU_SECONDS) -> list[Record]:
    """What the assertions of a test file found with a fix in the place of the module; ``ok`` where they hold."""
    records: list[Record] = []
    current = [""]

    def note(line: int, value: Callable[[], object], holds: Callable[[], object]) -> None:
        try:
            # The condition is asked alone, for a fix may change what it was given or count how often it is called.
            records.append((current[0], f"line {line}", "ok" if holds() else f"not so: {value()!r}"))
        except Exception as error:  # noqa: BLE001 -- whatever a fix raises is what it does
            records.append((current[0], f"line {line}", f"raised {error!r}"))

    try:
        with _bounded(cpu_seconds), _module(case.name, fix):
            path = case.folder / tests
            tree = ast.fix_missing_locations(Recorded().visit(ast.parse(path.read_bytes())))
            space: dict[str, object] = {"__name__": path.stem, "_note": note}
            exec(compile(tree, str(path), "exec"), space)
            for name, act in acts(space):
                current[0] = name
                try:
                    act()
                except (TooLong, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 -- the same, and what pytest.raises ends a test with
                    records.append((name, "end", f"raised {error!r}"))
    except TooLong:
        records.append((current[0], "end", "did not come to its end"))
    except Exception as error:  # noqa: BLE001 -- the same, when it is loaded
        records.append(("", "load", f"raised {error!r}"))
    return records


def acts(space: dict[str, object]) -> Iterator[tuple[str, Callable[[], object]]]:
    """The tests of a file that was run, by name."""
    for name, found in list(space.items()):
        if isinstance(found, type) and issubclass(found, unittest.TestCase):
            for method in unittest.TestLoader().getTestCaseNames(found):
                yield f"{name}.{method}", found(method).debug
        elif isinstance(found, types.FunctionType) and name.startswith("test_"):
            for number, arguments in enumerate(_arguments(found)):
                yield f"{name}[{number}]", partial(found, **arguments)


def _arguments(test: types.FunctionType) -> Iterator[dict[str, object]]:
    """One row of arguments for each set of ``pytest.mark.parametrize``; one empty row without it."""
    tables = []
    for mark in getattr(test, "pytestmark", ()):
        names = [name.strip() for name in mark.args[0].split(",")]
        tables.append([dict(zip(names, row if len(names) > 1 else (row,), strict=True)) for row in mark.args[1]])
    for rows in itertools.product(*tables):
        yield {name: value for row in rows for name, value in row.items()}


@contextmanager
def _module(name: str, path: Path) -> Iterator[None]:
    module = types.ModuleType(name)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


@contextmanager
def _bounded(cpu_seconds: float) -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def passed(records: list[Record]) -> bool:
    """Whether something was asserted, and all of it holds."""
    return bool(records) and all(word == "ok" for _, _, word in records)


def check(case: Case) -> list[str]:
    """What does not hold of a case, in words; nothing where it is sound."""
    before = case.folder / "before.py"
    wrong = [] if not passed(behaviour(case, before, "test_visible.py")) else ["before passes the visible tests"]
    wrong += [] if not passed(behaviour(case, before, "test_truth.py")) else ["before passes the hidden tests"]
    truths: dict[Path, list[Record]] = {}
    for kind in ("good", "hollow"):
        wrong += [] if case.fixes(kind) else [f"there is no {kind} fix"]
        for fix in case.fixes(kind):
            seen = behaviour(case, fix, "test_visible.py")
            wrong += [] if passed(seen) else [f"{_short(fix)} fails the visible tests: {_failures(seen)}"]
            truths[fix] = behaviour(case, fix, "test_truth.py")
            if passed(truths[fix]) != (kind == "good"):
                told = f"fails: {_failures(truths[fix])}" if kind == "good" else "passes"
                wrong.append(f"{_short(fix)} {told} the hidden tests")
    for one, other in itertools.combinations(truths, 2):
        if truths[one] == truths[other] and not one.parent.name == other.parent.name == "good":
            wrong.append(f"{_short(one)} does the same as {_short(other)}")
    return [f"{case.name}: {word}" for word in wrong]


def _short(fix: Path) -> str:
    return f"{fix.parent.name}/{fix.name}"


def _failures(records: list[Record]) -> list[Record]:
    return [record for record in records if record[2] != "ok"][:2]


def check_with_pytest(case: Case) -> list[str]:
    """The same of both suites, told by the exit code of a pytest process for each fix: 0 passes, 1 fails."""
    wrong = []
    for kind, fixes in {"before": [case.folder / "before.py"], "good": case.fixes("good"), "hollow": case.fixes("hollow")}.items():
        for fix in fixes:
            wanted = {"before": (1, 1), "good": (0, 0), "hollow": (0, 1)}[kind]
            found = tuple(_exit_code(case, fix, tests) for tests in ("test_visible.py", "test_truth.py"))
            wrong += [] if found == wanted else [f"{case.name}: pytest ends with {found} for {_short(fix)}, not {wanted}"]
    return wrong


def _exit_code(case: Case, fix: Path, tests: str) -> int:
    with tempfile.TemporaryDirectory(prefix="hollow-") as name:
        folder = Path(name)
        shutil.copy(fix, folder / f"{case.name}.py")
        shutil.copy(case.folder / tests, folder / tests)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-W", "error", f"--rootdir={folder}", tests]
        return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120).returncode


def kinds(found: list[Case]) -> dict[str, int]:
    """How many there are of each kind; a hollow fix is ``special`` or ``mistaken``, as its name begins."""
    hollow = [fix.name.split("_")[0].removesuffix(".py") for case in found for fix in case.fixes("hollow")]
    return {
        "cases": len(found), "good": sum(len(case.fixes("good")) for case in found), "hollow": len(hollow),
        "special": hollow.count("special"), "mistaken": hollow.count("mistaken")}


def told_by_length(found: list[Case]) -> float:
    """How well added lines alone tell good from hollow: the share of pairs in which the good fix adds more, ties half."""
    good, hollow = ([_added(case, fix) for case in found for fix in case.fixes(kind)] for kind in ("good", "hollow"))
    pairs = [(one > other) + (one == other) / 2 for one in good for other in hollow]
    return round(sum(pairs) / len(pairs), 2) if pairs else 0.5


def _added(case: Case, fix: Path) -> int:
    before, after = ((path.read_text(encoding="utf-8").splitlines()) for path in (case.folder / "before.py", fix))
    return sum(line.startswith("+ ") for line in difflib.ndiff(before, after))


def main() -> int:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pytest", action="store_true")
    asked = parser.parse_args()
    everything = cases(names=tuple(asked.names))
    table = {kind: kinds([case for case in everything if case.folder.parent.name == kind]) for kind in SETS}
    wrong = [word for case in everything for word in check(case)]
    wrong += [word for case in everything for word in check_with_pytest(case)] if asked.pytest else []
    if asked.json:
        sys.stdout.write(json.dumps({"sets": table, "violations": wrong}) + "\n")
    else:
        sys.stdout.write(_text(table, wrong) + f"AUC of added lines alone: {told_by_length(everything)}\n")
    return bool(wrong)


def _text(table: dict[str, dict[str, int]], wrong: list[str]) -> str:
    rows = [f"{'set':6}" + "".join(f"{name:>10}" for name in table["tune"])]
    rows += [f"{kind:6}" + "".join(f"{number:>10}" for number in row.values()) for kind, row in table.items()]
    return "\n".join([*rows, *wrong, f"{len(wrong)} violations", ""])


if __name__ == "__main__":
    sys.exit(main())
