"""What is mutated: three packages with their own tests, or a small one that is made up; how much of it is measured.

Each lies here in two forms: as it was released, and as it was before one of its own fixes, whose code and tests are the
change that the gate is asked about.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import FULL, Ground
from benchmarks.timing import NotRun
from benchmarks.trial_faults import unpacked
from benchmarks.trial_projects import QUICK, make_project, path_of
from windtunnel.core.change import ChangeSet, FileChange

GROUP = "mutation"
PYTEST = "8.4.2"
"""For all tools alike: mutmut does not run with later ones."""
_INSTALL_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of the group is measured."""

    sampled: int
    """Mutants of each package whose fates are found again by plain pytest processes."""
    peer_seconds: float
    """For each peer in each package, after its first mutant."""
    busy: int
    """Processes that do nothing but compute, beside a run under load."""
    modules: int
    """Of the project that is written by program: with their tests about a hundred lines each."""
    gates: int
    """Warm ones, of which the median counts."""
    fixes: int | None
    """Of the corpus, of each sort; None for all."""
    states: int | None
    """In which nothing can be judged; None for all."""


_FULL = Size(sampled=200, peer_seconds=40.0, busy=8, modules=100, gates=5, fixes=None,
             states=None)
_SMALL = Size(sampled=4, peer_seconds=2.0, busy=1, modules=3, gates=1, fixes=1, states=2)


def size_of(ground: Ground) -> Size:
    return _FULL if ground.scale == FULL else _SMALL


@dataclass(frozen=True, slots=True)
class Edit:
    """A text that stands once in a file, and what stands there instead."""

    path: str
    old: str
    new: str

    def within(self, project: Path) -> None:
        """Write it; a text that is not there once is our mistake."""
        file = project / self.path
        text = file.read_text()
        if text.count(self.old) != 1:
            raise RuntimeError(f"{self.path} has {text.count(self.old)} times {self.old[:60]!r}")
        file.write_text(text.replace(self.old, self.new))

    def undone(self) -> Edit:
        """What takes it back."""
        return Edit(self.path, self.new, self.old)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Something with tests of its own."""

    name: str
    product: str
    """The folder of its product."""
    make: Callable[[Ground], Path]
    """Where the released form was put; ``NotRun`` when it cannot be had."""
    backwards: Sequence[Edit]
    """From the release to how it was before the fix and its tests."""
    one_line: Edit
    """Another way to write one line of the release, after which a second run is measured."""
    tests: str = "tests"
    """Where the tests lie."""
    looked_into: Sequence[str] = ()
    """Files whose names tests look at one by one, which mutmut adds to and so cannot mutate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A package ready to be mutated."""

    package: Package
    folder: Path
    """As released."""
    python: str
    """Whose pytest runs its tests, in all measurements."""

    @property
    def command(self) -> str:
        """What its tests are run with."""
        return f"{self.python} -m pytest"

    def copy(self, name: str) -> Path:
        """The released form once more, beside the first."""
        made = self.folder.with_name(f"{self.folder.name}-{name}")
        shutil.copytree(self.folder, made, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache", "mutants"))
        return made

    def before(self, name: str) -> tuple[Path, ChangeSet]:
        """As it was before the fix, and the fix with its tests."""
        made = self.copy(name)
        for edit in self.package.backwards:
            edit.within(made)
        paths = dict.fromkeys(edit.path for edit in self.package.backwards)
        changes = [FileChange(path, "modify", (self.folder / path).read_text()) for path in paths]
        return made, ChangeSet(changes=tuple(changes))


def ready(ground: Ground, package: Package) -> Project:
    """With an environment that has pytest alone, where the package is a real one."""
    folder = package.make(ground)
    return Project(package=package, folder=folder,
                   python=sys.executable if package is STAND_IN else environment(ground))


def chosen(ground: Ground) -> Sequence[Package]:
    """Those that were asked for; the one that is made up where only a little is measured."""
    if ground.scale != FULL:
        return (STAND_IN,)
    return [package for package in PACKAGES if not ground.packages or package.name.split()[0] in ground.packages]


def environment(ground: Ground) -> str:
    """One for all packages; the packages themselves are not installed in it, so that tests run the code beside them."""
    folder = ground.folder / "environment"
    python = folder / "bin" / "python"
    if not python.exists():
        try:
            for argv in ([sys.executable, "-m", "venv", str(folder)],
                         [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                          f"pytest=={PYTEST}"]):
                subprocess.run(argv, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise NotRun(f"no environment with pytest could be made ({type(error).__name__})") from error
    return str(python)


def _released(name: str, number: str, *, without: Edit | None = None) -> Callable[[Ground], Path]:
    def make(ground: Ground) -> Path:
        folder = ground.folder / f"package-{name}"
        if folder.exists():
            return next(path for path in folder.iterdir() if path.is_dir() and path.name.endswith(number))
        found = unpacked(ground, name, number)
        if without is not None:
            without.within(found)
        return found
    return make


_COVERAGE = Edit("pyproject.toml", (
    'addopts = "--cov=parse --cov-report=term-missing --cov-append --cov-branch --doctest-modules '
    '--doctest-glob=README.rst"\n'), "")
"""Coverage would slow all of them down, and is nothing that a mutant needs."""

TOOLZ = Package(
    name="toolz 1.2.0", product="toolz", tests="toolz", make=_released("toolz", "1.2.0"),
    looked_into=("toolz/__init__.py", "toolz/curried/*"),
    backwards=(
        Edit("toolz/itertoolz.py", """\
            end = len(seq) % n
            if prev[end - 1] is no_pad or prev[end] is not no_pad:
                raise LookupError(
                    'The sequence passed to `parition_all` has invalid length'
                )
            yield prev[:end]
""", "            yield prev[:len(seq) % n]\n"),
        Edit("toolz/tests/test_itertoolz.py", """\
    too_long_list = ListWithBadLength([1, 2], off_by=+1)
    assert raises(LookupError, lambda: list(partition_all(5, too_long_list)))
    too_short_list = ListWithBadLength([1, 2], off_by=-1)
    assert raises(LookupError, lambda: list(partition_all(5, too_short_list)))
""", "    assert len(ListWithBadLength([1, 2])) == 3\n")),
    one_line=Edit("toolz/itertoolz.py", "mid = (lo + hi) // 2", "mid = lo + (hi - lo) // 2"))

PARSE = Package(
    name="parse 1.22.4", product="parse", make=_released("parse", "1.22.4", without=_COVERAGE),
    backwards=(
        Edit("parse/__init__.py", """\
        if am == "AM" and H == 12:
            # correction for "12" hour functioning as "0" hour: 12:15 AM = 00:15 by 24 hr clock
            H -= 12
        elif am == "PM" and H == 12:
            # no correction needed: 12PM is midday, 12:00 by 24 hour clock
            pass
        elif am == "PM":
""", '        if am == "PM" and H != 12:\n'),
        Edit("tests/test_bugs.py", """\
    r = parse.parse("Meet at {:tg}", "Meet at 1/2/2011 12:15 AM")
    assert r[0] == datetime(2011, 2, 1, 0, 15)
""", "")),
    one_line=Edit("parse/__init__.py", "offset = int(tzm) + int(tzh) * 60", "offset = int(tzh) * 60 + int(tzm)"))

MORE_ITERTOOLS = Package(
    name="more-itertools 11.2.1", product="more_itertools", make=_released("more-itertools", "11.2.1"),
    backwards=(
        Edit("more_itertools/more.py", """\
    if n is not None and n < 0:
        raise ValueError('n must be at least 0')

    iterator = iter(partial(take, n, iter(iterable)), [])
    if strict:
        if n is None:
""", """\
    iterator = iter(partial(take, n, iter(iterable)), [])
    if strict:
        if n is None:
"""),
        Edit("tests/test_more.py", '''\
        """Test that a negative ``n`` raises a clear ``ValueError``, matching
        the behavior of :func:`sliced`."""
        self.assertRaisesRegex(
            ValueError,
            "n must be at least 0",
            lambda: list(mi.chunked('ABCDE', -1)),
        )
''', '        self.assertRaises(ValueError, lambda: list(mi.chunked("ABCDE", -1)))\n')),
    one_line=Edit("more_itertools/more.py", """\
                if len(chunk) != n:
                    raise ValueError('iterable is not divisible by n.')
                yield chunk
""", """\
                if n != len(chunk):
                    raise ValueError('iterable is not divisible by n.')
                yield chunk
"""))

PACKAGES = (TOOLZ, PARSE, MORE_ITERTOOLS)
NAMES = tuple(package.name.split()[0] for package in PACKAGES)


def _made_up(ground: Ground) -> Path:
    folder = ground.folder / "mutated-stand-in"
    return folder if folder.exists() else make_project(folder, QUICK)


STAND_IN = Package(
    name="made up", product="product", make=_made_up,
    backwards=(Edit(path_of(0), "for number in range(limit):", "for number in range(limit - 1):"),),
    one_line=Edit(path_of(0), "total += number", "total = number + total"))
"""Where only a little is measured: no download."""
