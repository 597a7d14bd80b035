"""Single faults in real packages with their own suites: how many are repaired, and how many to the old behaviour.

Faults are drawn with a fixed seed from functions that the suite runs, half of sorts that a search has edits for and
half of others (``repair_seeds``); one counts when it makes a test fail that passed, and ends within the time of some
clean runs. A fix is right when its tree is that of the release, or when every function that it leaves otherwise gives
the same as the release's on recorded calls and on generated ones made from them (``repair_replay``).
"""

from __future__ import annotations

import ast
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks import repair_recorder, repair_replay
from benchmarks.ground import Ground, plain_environment
from benchmarks.mutation_packages import environment
from benchmarks.repair_outcomes import Fix, Hopes, Outcome, ask, rows, scratch
from benchmarks.repair_seeds import Seed, seeds
from benchmarks.repair_syntax import same_tree
from benchmarks.rows import Row
from benchmarks.timing import NotRun
from benchmarks.trial_faults import unpacked

SEED = "repair 1"
BUDGET_SECONDS = 120.0
_DRAWN_MOST = 6
_FEWEST_OUTCOMES = 5
_CLEAN_SECONDS = 300
_PATIENCE = 10
"""Seconds of the clock for each of processor time: what sleeps for ever uses none."""
_REPLAY_SECONDS = 120
Calls = Mapping[tuple[str, str], Sequence[str]]
"""Recorded arguments by path and qualified name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A release with tests of its own."""

    name: str
    version: str
    product: str
    """The folder that holds the product."""
    tests: str
    path: str = "."
    """What is put on the path of imports, in the project."""
    options: str = ""
    """For pytest."""

    def make(self, ground: Ground) -> Path:
        folder = ground.folder / f"package-{self.name}"
        if folder.exists():
            return next(path for path in folder.iterdir() if path.is_dir())
        project = unpacked(ground, self.name, self.version)
        # Their own settings ask for plugins that are not here.
        (project / "pytest.ini").write_text(
            f"[pytest]\npythonpath = {self.path}\ntestpaths = {self.tests}\naddopts = {self.options}\n")
        return project


PACKAGES = (
    Package(name="toolz", version="1.2.0", product="toolz", tests="toolz/tests"),
    Package(name="parse", version="1.22.4", product="parse", tests="tests"),
    Package(name="more-itertools", version="11.2.1", product="more_itertools", tests="tests/test_recipes.py",
            options="-k 'not Prime and not median and not large'"),
    Package(name="boltons", version="26.2.0", product="boltons", tests="tests"),
    Package(name="tomlkit", version="0.15.2", product="tomlkit", tests="tests/test_items.py tests/test_api.py"),
    Package(name="mistune", version="3.4.0", product="src/mistune", tests="tests", path="src"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the suite of a release does."""

    project: Path
    package: Package
    python: str
    passed: frozenset[str]
    reached: Mapping[str, str]
    calls: Calls = field(repr=False)
    seconds: float


def part_rows(ground: Ground, fix: Fix, *, wanted: int) -> Iterator[Row]:
    """All packages together, by the sort of the fault."""
    found: list[Outcome] = []
    missing: list[str] = []
    for package in PACKAGES:
        try:
            found += measured(ground, fix, package=package, wanted=wanted // len(PACKAGES))
        except NotRun as absent:
            missing.append(f"{package.name}: {absent}")
    if not found:
        raise NotRun("; ".join(missing) or "no fault was drawn")
    note = "; ".join(["the release's tree, or the same on recorded and generated calls", *missing])
    yield from rows("seeded faults", found, hopes=Hopes(repaired=70.0, right=60.0, seconds=30.0), note=note)


def measured(ground: Ground, fix: Fix, *, package: Package, wanted: int,
             told: Callable[[Outcome], None] = lambda _: None) -> list[Outcome]:
    """So many faults of one package, one fix after the other."""
    base = recorded(ground, package)
    found: list[Outcome] = []
    for number, seed in enumerate(noticed(ground, base, wanted=wanted)):
        project = broken(ground, base, seed, name=f"{package.name}-{number}")
        kind = seed.kind if seed.usual else f"other: {seed.kind}"
        name = " ".join(f"{package.name} {seed}".split())[:120]
        found.append(ask(fix, project, name=name, kind=kind, budget=BUDGET_SECONDS,
                         test=f"{base.python} -m pytest", differs=partial(differs, base, project)))
        told(found[-1])
        shutil.rmtree(project, ignore_errors=True)
    return found


def recorded(ground: Ground, package: Package) -> Recorded:
    """Its suite once, with its calls kept."""
    project, python = package.make(ground), environment(ground)
    to = ground.folder / f"calls-{package.name}"
    report, seconds = run_suite(python, project, seconds=_CLEAN_SECONDS, more={
        "REPAIR_RECORD_ROOT": str(project / package.product), "REPAIR_RECORD_TO": str(to),
        "PYTHONPATH": str(Path(repair_recorder.__file__).parent)}, plugin="repair_recorder")
    passed = frozenset(line.split()[0] for line in report if line.endswith(" PASSED"))
    if not passed or not to.exists():
        raise NotRun(f"the tests of {package.name} do not pass here")
    kept = pickle.loads(to.read_bytes())
    reached, calls = {}, {}
    for (file, line, qualified), those in kept.items():
        path = Path(file).relative_to(project).as_posix()
        reached[f"{path}:{line}"] = qualified
        calls[path, qualified] = [one.hex() for one in those]
    return Recorded(project=project, package=package, python=python, passed=passed, reached=reached, calls=calls,
                    seconds=seconds)


def run_suite(python: str, project: Path, *, seconds: float, more: Mapping[str, str] | None = None,
              plugin: str = "") -> tuple[list[str], float]:
    """A line for each test, and the processor time; nothing where it takes more of it than these seconds."""
    argv = ["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(math.ceil(seconds)), python, "-B", "-m", "pytest", "-v",
            "-p", "no:cacheprovider", "--tb=no", "--no-header", *(["-p", plugin] if plugin else [])]
    before = os.times()
    try:
        done = subprocess.run(
            argv, cwd=project, env=plain_environment() | {"PYTHONHASHSEED": "0"} | dict(more or {}), text=True,
            capture_output=True, errors="replace", timeout=_PATIENCE * seconds, check=False)
    except subprocess.TimeoutExpired:
        return [], seconds
    if done.returncode < 0:
        return [], seconds
    after = os.times()
    lines = [line.partition(" [")[0].rstrip() for line in done.stdout.splitlines()]
    return lines, after.children_user + after.children_system - before.children_user - before.children_system


def noticed(ground: Ground, base: Recorded, *, wanted: int) -> Iterator[Seed]:
    """Faults that make a test fail which passed; half of them usual."""
    left = {True: wanted - wanted // 2, False: wanted // 2}
    drawn = seeds(base.project, base.package.product, reached=base.reached, seed=f"{SEED} {base.package.name}")
    for number, seed in enumerate(drawn):
        if number > _DRAWN_MOST * wanted or not any(left.values()):
            return
        if left[seed.usual]:
            project = broken(ground, base, seed, name=f"{base.package.name}-drawn")
            report, _ = run_suite(base.python, project, seconds=10 + 3 * base.seconds)
            shutil.rmtree(project, ignore_errors=True)
            if any(line.split()[0] in base.passed for line in report if line.endswith((" FAILED", " ERROR"))):
                left[seed.usual] -= 1
                yield seed


def broken(ground: Ground, base: Recorded, seed: Seed, *, name: str) -> Path:
    """A copy of the release with the fault in it."""
    made = scratch(ground, name)
    shutil.copytree(base.project, made, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    (made / seed.mutation.path).write_bytes(seed.mutation.data)
    return made


def differs(base: Recorded, project: Path, texts: Mapping[str, str]) -> str:
    """What tells the fixed tree from the release; the fix is written into the copy."""
    for path, text in texts.items():
        (project / path).write_text(text)
        if not (base.project / path).exists():
            return f"writes {path}"
    for path in texts:
        good, given = (base.project / path).read_text(), (project / path).read_text()
        if same_tree(good, given):
            continue
        names = changed_functions(good, given)
        if not names:
            return f"{path}: changed outside of functions"
        for name in names:
            if found := _replayed(base, project, path=path, name=name):
                return found
    return ""


def changed_functions(good: str, given: str) -> list[str]:
    """Qualified names of the functions that differ; none where something else differs too."""
    ours, theirs = _bodies(good), _bodies(given)
    if ours.pop("") != theirs.pop("") or ours.keys() != theirs.keys():
        return []
    return [name for name, text in ours.items() if theirs[name] != text]


def _bodies(text: str) -> dict[str, str]:
    """Each outermost function or method as a text, and what is left without them."""
    found: dict[str, str] = {}

    def walk(node: ast.Module | ast.ClassDef, prefix: str) -> None:
        for child in list(node.body):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + child.name] = found.get(prefix + child.name, "") + ast.dump(child)
                node.body.remove(child)
            elif isinstance(child, ast.ClassDef):
                walk(child, f"{prefix}{child.name}.")

    tree = ast.parse(text)
    walk(tree, "")
    return found | {"": ast.dump(tree)}


def _replayed(base: Recorded, project: Path, *, path: str, name: str) -> str:
    calls = base.calls.get((path, name), ())
    if not calls:
        return f"{name}: no call was recorded to compare by"
    one, other = (_outcomes(base, tree, path=path, name=name, calls=calls) for tree in (base.project, project))
    if len(one) < _FEWEST_OUTCOMES or one[-1].startswith("cannot be called"):
        return f"{name}: cannot be called from outside"
    apart = next(((a, b) for a, b in zip(one, other, strict=False) if a != b), None)
    return f"{name}: {apart[1][:120]}, not {apart[0][:120]}" if apart else ""


def _outcomes(base: Recorded, tree: Path, *, path: str, name: str, calls: Sequence[str]) -> list[str]:
    root = (tree / base.package.path).resolve()
    module = ".".join((tree / path).resolve().relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    asked = {"paths": [str(root), str(tree)], "module": module, "function": name, "calls": list(calls)}
    try:
        done = subprocess.run([base.python or sys.executable, "-B", repair_replay.__file__], input=json.dumps(asked),
                              capture_output=True, text=True, timeout=_REPLAY_SECONDS, check=False, cwd=tree,
                              env=plain_environment() | {"PYTHONHASHSEED": "0"})
        told: list[str] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, IndexError, ValueError):
        return ["cannot be called"]
    return told
