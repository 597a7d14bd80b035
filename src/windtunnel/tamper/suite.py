"""One Python test file: its tests with their claims, rows, marks and time limits."""

from __future__ import annotations

import ast
import re
import unittest
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from windtunnel.tamper.claims import Claim, Reader
from windtunnel.tamper.equality import truth
from windtunnel.tamper.literals import literal
from windtunnel.tamper.rule import Severity
from windtunnel.tamper.trees import parse, unparsed

_SKIP = re.compile(r"(^|\.)(skip|skipif|xfail|skipIf|skipUnless|expectedFailure|skip_if|ignore)$")
_ELSEWHERE = re.compile(
    r"sys\.platform|os\.name|sys\.version_info|platform\.|shutil\.which|find_spec|environ|getenv|hasattr\(|"
    r"sys\.implementation|is_windows|importlib|HAS_|WINDOWS|sys\.byteorder|PYPY|getuid|geteuid",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"sys\.platform\s*==\s*'linux'|sys\.platform\s*!=\s*'(win32|darwin)'|os\.name\s*==\s*'posix'|"
    r"sys\.platform\.startswith\('linux|version_info\s*>=|os\.name\s*!=\s*'nt'"
)
_MOCKS = re.compile(
    r"\b(patch(\.object|\.dict|\.multiple)?|monkeypatch\.(setattr|setitem|delattr)|mocker\.(patch|stub|spy)\S*)\("
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPUTED = "computed: "
"""Before a row that is no row but an expression which makes rows: what it makes cannot be told."""
MOST_FOLLOWED = 3
"""Elements of a constant up to which it is a value, followed into claims; a longer one is a table of entries."""


@dataclass(frozen=True, slots=True)
class Skip:
    """One reason for which a test does not run or may fail."""

    text: str
    severity: Severity


@dataclass(slots=True)
class Test:
    """One function of a test file."""

    name: str
    node: Function
    collected: bool
    claims: list[Claim]
    skips: list[Skip] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    """Parameter rows, in canonical form."""
    timeout: float | None = None
    mocks: list[str] = field(default_factory=list)

    @property
    def live(self) -> list[Claim]:
        """The claims that can fail."""
        return [claim for claim in self.claims if not claim.dead]


def _mark(node: ast.expr) -> Skip | None:
    """What a decorator or mark does to a test, when it silences it."""
    call = node if isinstance(node, ast.Call) else None
    name = unparsed(call.func if call else node)
    if not _SKIP.search(name):
        return None
    kind = name.rpartition(".")[2]
    condition = call.args[0] if call and call.args and kind in ("skipif", "skipIf", "skipUnless", "xfail") else None
    text = unparsed(node)
    if condition is None or kind in ("skip", "expectedFailure"):
        return Skip(text, "block")
    words = unparsed(condition)
    off = kind == "skipUnless"
    if truth(condition) is not None and not isinstance(condition, ast.Constant):
        return Skip(text, "block" if truth(condition) is not off else "show")
    if isinstance(condition, ast.Constant):
        on = bool(condition.value) if not isinstance(condition.value, str) else condition.value not in ("False", "0")
        return Skip(text, "block" if on is not off else "show")
    return Skip(text, "show" if _ELSEWHERE.search(words) and bool(_HERE.search(words)) is off else "block")


def marks(nodes: list[ast.expr]) -> Iterator[Skip]:
    """What a list of decorators silences."""
    for node in nodes:
        for each in node.elts if isinstance(node, ast.List | ast.Tuple) else [node]:
            if skip := _mark(each):
                yield skip


class Suite:
    """A test file made ready for comparison."""

    def __init__(self, tree: ast.Module) -> None:
        """Read every function once."""
        self.tree = tree
        stored = Counter(
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        self.named: dict[str, ast.expr] = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and stored[node.targets[0].id] == 1
        }
        self.constants = {name: value for name, value in self.named.items() if not _is_table(value)}
        self.skips = list(self._module_skips())
        self.tests = {test.name: test for test in self._read(tree.body, "", collected=True, outer=list(self.skips))}
        self.used = (
            {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
            | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        )

    def _module_skips(self) -> Iterator[Skip]:
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and any(
                getattr(target, "id", "") == "pytestmark" for target in node.targets
            ):
                yield from marks([node.value])
            elif (
                isinstance(node, ast.Assign)
                and any(
                    getattr(target, "id", "") in ("collect_ignore", "collect_ignore_glob") for target in node.targets
                )
            ) or (
                isinstance(node, ast.Assign)
                and getattr(node.targets[0], "id", "") == "__test__"
                and truth(node.value) is False
            ):
                yield Skip(unparsed(node), "block")
            elif isinstance(node, ast.Expr | ast.Raise):
                text = unparsed(node)
                if re.match(
                    r"(pytest\.)?(skip|xfail)\(|raise (unittest\.)?SkipTest|(sys\.)?exit\(|raise SystemExit", text
                ):
                    yield Skip(text, "block")

    def _read(self, body: list[ast.stmt], prefix: str, *, collected: bool, outer: list[Skip]) -> Iterator[Test]:
        for node in body:
            if isinstance(node, Function):
                yield self._test(node, prefix, collected=collected and node.name.startswith("test"), outer=outer)
            elif isinstance(node, ast.ClassDef):
                yield from self._class(node, prefix, collected=collected, outer=outer)
            elif isinstance(node, ast.If | ast.Try):
                yield from self._read(
                    node.body,
                    prefix,
                    collected=collected and not (isinstance(node, ast.If) and truth(node.test) is False),
                    outer=outer,
                )

    def _class(self, node: ast.ClassDef, prefix: str, *, collected: bool, outer: list[Skip]) -> Iterator[Test]:
        bases = " ".join(unparsed(base) for base in node.bases)
        is_case = node.name.startswith("Test") or "Test" in bases or "Case" in bases or "Mixin" in node.name
        off = any(
            isinstance(each, ast.Assign)
            and getattr(each.targets[0], "id", "") == "__test__"
            and truth(each.value) is False
            for each in node.body
        )
        skips = [*outer, *marks(node.decorator_list), *([Skip("__test__ = False", "block")] if off else [])]
        skips += [
            skip
            for each in node.body
            if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == "pytestmark"
            for skip in marks([each.value])
        ]
        yield from self._read(node.body, f"{prefix}{node.name}::", collected=collected and is_case, outer=skips)

    def _test(self, node: Function, prefix: str, *, collected: bool, outer: list[Skip]) -> Test:
        reader = Reader(function=node, constants=self.constants)
        inside = [Skip(f"{text}()", "show" if conditional else "block") for text, conditional in reader.skips]
        words = unparsed(node)
        return Test(
            name=prefix + node.name,
            node=node,
            collected=collected,
            claims=reader.found,
            skips=[*outer, *marks(node.decorator_list), *inside, *self._row_skips(node)],
            rows=list(self._rows(node)),
            timeout=_timeout(node.decorator_list),
            mocks=[match[0] for match in _MOCKS.finditer(words)],
        )

    def _tables(self, node: Function) -> Iterator[ast.expr]:
        for each in node.decorator_list:
            if isinstance(each, ast.Call) and unparsed(each.func).endswith(
                ("parametrize", "parameterized.expand", "expand", "data")
            ):
                values = each.args[1] if len(each.args) > 1 else each.args[0] if each.args else None
                if isinstance(values, ast.Name):
                    values = self.named.get(values.id, values)
                if isinstance(values, ast.List | ast.Tuple | ast.Set):
                    yield from values.elts
                elif values is not None and not isinstance(values, ast.Dict):
                    yield values

    def entries(self) -> Counter[str]:
        """The entries of the tables that the file keeps under names and uses."""
        found = Counter[str]()
        for name, value in self.named.items():
            if name in self.used and _is_table(value):
                found.update(_entries(value))
        return found

    def _rows(self, node: Function) -> Iterator[str]:
        for row in self._tables(node):
            if isinstance(row, ast.Call) and unparsed(row.func).endswith("param"):
                parts = row.args
            else:
                parts = row.elts if isinstance(row, ast.Tuple | ast.List) else [row]
            computed = isinstance(row, ast.Name | ast.Call | ast.BinOp | ast.ListComp) and parts == [row]
            text = ", ".join(literal(part) or unparsed(part) for part in parts)
            yield f"{COMPUTED}{text}" if computed else text

    def _row_skips(self, node: Function) -> Iterator[Skip]:
        for row in self._tables(node):
            if isinstance(row, ast.Call):
                for word in row.keywords:
                    if word.arg == "marks":
                        yield from marks([word.value])

    def reachable(self) -> Iterator[Test]:
        """Tests, and functions that something in the file uses."""
        yield from (
            test
            for test in self.tests.values()
            if test.collected
            or test.node.name in self.used
            or any("fixture" in unparsed(each) for each in test.node.decorator_list)
            or test.node.name in ("setUp", "tearDown", "setup_method", "teardown_method")
        )

    def redefined(self) -> set[str]:
        """Assertions of unittest that a class of the file replaces with its own."""
        return {
            node.name
            for each in ast.walk(self.tree)
            if isinstance(each, ast.ClassDef)
            for node in each.body
            if isinstance(node, ast.FunctionDef)
            and node.name.startswith(("assert", "fail"))
            and hasattr(unittest.TestCase, node.name)
        }

    def imported(self) -> set[str]:
        """Names that the file imports."""
        return {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom | ast.Import)
            for alias in node.names
        }

    def defined(self) -> set[str]:
        """Names that the file makes itself, anywhere."""
        made = {node.name for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        return made | {
            node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

    def tables(self) -> list[frozenset[str]]:
        """Literals that stand together in a row, or in the arguments of one of the file's own functions."""
        found = []
        for node in ast.walk(self.tree):
            parts: list[ast.expr] = []
            if isinstance(node, ast.Tuple | ast.List):
                parts = node.elts
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                parts = (
                    [*node.args, *(word.value for word in node.keywords)]
                    if any(test.node.name == name for test in self.tests.values()) or name == "param"
                    else []
                )
            if parts:
                found.append(
                    frozenset(text for part in parts for each in ast.walk(part) if (text := literal(each)) is not None)
                )
        return found


def _is_table(node: ast.expr) -> bool:
    if isinstance(node, ast.Dict):
        return True
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > MOST_FOLLOWED


def _entries(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            yield f"{unparsed(key) if key else '**'}: {unparsed(value)}"
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        yield from map(unparsed, node.elts)


@lru_cache(maxsize=64)
def suite(data: bytes | None) -> Suite:
    """A test file made ready; an empty one where there is none that can be read."""
    return Suite(parse(data) or ast.Module(body=[], type_ignores=[]))


def _timeout(decorators: list[ast.expr]) -> float | None:
    for node in decorators:
        if isinstance(node, ast.Call) and unparsed(node.func).endswith("timeout"):
            for value in (
                *node.args[:1],
                *(word.value for word in node.keywords if word.arg in ("timeout", "seconds")),
            ):
                text = literal(value)
                if text is not None and re.match(r"^[\d.]+$", text):
                    return float(text)
    return None
