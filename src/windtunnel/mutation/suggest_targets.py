"""Which functions to ask about which mutants, with which tests, and where a test for each would go."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from windtunnel.core.mutation import Fate, Judged

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_MOST_TESTS = 40
_MOST_TARGETS, _MOST_MUTANTS = 150, 400
"""Functions and mutants of one run; those with most survivors come first."""
OUTSIDE = "it acts when its file is loaded, and no function uses what it changes"
BEYOND = "more were left than one run looks at"


@dataclass(frozen=True, slots=True)
class Owner:
    """A function that a test can call: outermost, or a method of an outermost class."""

    function: str
    first: int
    """Its first line, decorators included."""
    last: int
    names: frozenset[str] = field(compare=False)
    """All that its body mentions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One function to ask about."""

    path: str
    owner: Owner
    mutants: tuple[Judged, ...]
    tests: tuple[str, ...]
    file: str
    """The test file that reaches it most; empty where there is none."""


@cache
def scripts() -> Mapping[str, bytes]:
    """What runs inside, besides what judges mutants."""
    folder = Path(__file__).parent / "inside" / "suggest"
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}


def targets_of(
    judged: Sequence[Judged], files: Mapping[str, bytes], *, is_test: Callable[[str], bool],
) -> tuple[list[Target], dict[str, str]]:
    """All there are, and why some mutants belong to none."""
    owners = {path: list(owners_of(data)) for path, data in files.items()}
    reaching: dict[tuple[str, Owner], Counter[str]] = {}
    asked: dict[tuple[str, Owner], list[Judged]] = {}
    outside: list[Judged] = []
    for one in judged:
        owner = _around(owners.get(one.mutant.path, ()), one.mutant.line)
        wanted = one.fate in (Fate.SURVIVED, Fate.UNTESTED)
        if owner is not None:
            reaching.setdefault((one.mutant.path, owner), Counter()).update([*one.tests, *([one.by] if one.by else [])])
            if wanted:
                asked.setdefault((one.mutant.path, owner), []).append(one)
        elif wanted and one.mutant.path in files:
            outside.append(one)
    none = {one.mutant.id: OUTSIDE for one in outside}
    for one in outside:
        key = _user(one, owners[one.mutant.path], files[one.mutant.path], reaching)
        if key is not None:
            asked.setdefault(key, []).append(one)
            del none[one.mutant.id]
    found = [Target(path=path, owner=owner, mutants=tuple(ones), tests=tests, file=_file(tests, path, is_test))
             for (path, owner), ones in asked.items()
             for tests in [tuple(name for name, _ in reaching.get((path, owner), Counter()).most_common(_MOST_TESTS))]]
    return _bounded(found, none), none


def _bounded(found: list[Target], none: dict[str, str]) -> list[Target]:
    kept: list[Target] = []
    mutants = 0
    for target in sorted(found, key=lambda one: (not one.tests, -len(one.mutants), one.path, one.owner.first)):
        mutants += len(target.mutants)
        if len(kept) < _MOST_TARGETS and mutants <= _MOST_MUTANTS:
            kept.append(target)
        else:
            none.update({one.mutant.id: BEYOND for one in target.mutants})
    return kept


def owners_of(source: bytes) -> Iterator[Owner]:
    """Functions of a file that a test can reach; none of a file that is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from _owners(tree.body, "")


def _owners(body: Sequence[ast.stmt], prefix: str) -> Iterator[Owner]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            names = frozenset(part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node)
                              if isinstance(part, ast.Name | ast.Attribute))
            yield Owner(prefix + node.name, first, node.end_lineno or first, names)
        elif isinstance(node, ast.ClassDef):
            yield from _owners(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _owners([*node.body, *node.orelse], prefix)


def _around(owners: Sequence[Owner], line: int) -> Owner | None:
    return next((owner for owner in owners if owner.first <= line <= owner.last), None)


def _user(
    one: Judged, owners: Sequence[Owner], source: bytes, reaching: Mapping[tuple[str, Owner], Counter[str]],
) -> tuple[str, Owner] | None:
    """The function that uses what a line outside of functions gives a name to; the one that most tests reach."""
    names = {name for node in ast.walk(ast.parse(source)) if isinstance(node, _ASSIGNMENTS)
             and node.lineno <= one.mutant.line <= (node.end_lineno or node.lineno) for name in _assigned(node)}
    users = [(one.mutant.path, owner) for owner in owners if owner.names & names]
    return max(users, key=lambda key: (sum(reaching.get(key, Counter()).values()), -key[1].first), default=None)


def _assigned(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> Iterator[str]:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _file(tests: Sequence[str], path: str, is_test: Callable[[str], bool]) -> str:
    """The one with most of them; among equals the one that is named after the product's file."""
    files = Counter(name.split("::", 1)[0] for name in tests)
    known = [name for name in files if name.endswith(".py") and is_test(name)]
    stem = PurePosixPath(path).stem
    return max(known, key=lambda name: (files[name], stem in PurePosixPath(name).stem, name), default="")


def new_file(path: str, *, taken: Callable[[str], bool], folder: str) -> str:
    """A test file that is not there yet, for a file of the product."""
    stem = PurePosixPath(path).stem.strip("_") or "product"
    names = (str(PurePosixPath(folder) / f"test_{stem}{more}.py") for more in ("", *(f"_{n}" for n in range(2, 100))))
    return next(name for name in names if not taken(name))
