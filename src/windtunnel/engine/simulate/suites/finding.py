"""The test commands of a project whose tests are sections, each made ready to be run again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.ports import Rig
from windtunnel.core.tool import OWN
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.checking import Overlay
from windtunnel.engine.foreign.families import FAMILIES, Family
from windtunnel.engine.foreign.setting import quickened, variables
from windtunnel.engine.ground import Ground, make_ground
from windtunnel.engine.premises import check_project
from windtunnel.engine.simulate.suites.meeting import LEFT_BYTES
from windtunnel.languages.search import which

STARTER = "windtunnel_under.py"
_PYTHON = Family(name="Python", languages=frozenset(), suffixes=(".py",), tools=("pytest", "unittest"))
_NEED_NO_FILE = ("node:test", "mocha")
_SCRIPT_BUILD = "npm"
"""The build that comes before tests of a family which keeps nothing itself: what they test may be made by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One test command."""

    check: Check
    family: Family
    ground: Ground
    starter: tuple[str, ...]
    """How the program is called that begins faults and then starts the command; empty without Python."""
    env: Mapping[str, str] = field(default_factory=dict)
    builds: tuple[Check, ...] = ()
    overlay: Overlay = field(default_factory=dict)
    """What was built before any condition."""

    @property
    def name(self) -> str:
        """As a person would type it."""
        return " ".join(self.check.argv)[:200]

    @property
    def built_bytes(self) -> int:
        """What lies in the sandbox before the command starts, in whole pages."""
        return sum(len(one.data) + 4096 for one in self.overlay.values() if one is not None)

    @property
    def left_bytes(self) -> int:
        """Room that its runner needs on a disk that is full for its tests."""
        return 0 if self.check.tool in _NEED_NO_FILE else LEFT_BYTES

    @property
    def kept(self) -> frozenset[str]:
        """Variables that the runner lives by, also where a fault takes the others away."""
        return frozenset({*self.ground.env, *self.env})


def suites_of(rig: Rig, project: str, *, python: bool) -> tuple[tuple[Suite, ...], dict[str, str]]:
    """Those of other languages, with ``python`` its own too; and what cannot be run, with the reason."""
    folder = Folder(check_project(project, private=rig.private), search=which)
    checks = discover(folder, lint="")
    families = (*FAMILIES, *((_PYTHON,) if python else ()))
    found = tuple(_suites(rig, folder, checks, families))
    return found, dict(_left(checks, families))


def _suites(rig: Rig, folder: Folder, checks: Checks, families: tuple[Family, ...]) -> Iterator[Suite]:
    for check in checks.of(Kind.TEST):
        family = next((one for one in families if check.tool in one.tools), None)
        if family is None:
            continue
        script = check.tool in FAMILIES[0].tools
        builds = tuple(one for one in checks.of(Kind.BUILD) if script and one.tool == _SCRIPT_BUILD)
        ground = make_ground(rig, str(folder.root), Checks(checks=(check, *builds)))
        ground, starter = _started(folder, ground)
        yield Suite(check=quickened(check), family=family, ground=ground, starter=starter, builds=builds,
                    env={**variables(check, folder), **family.env})


def _started(folder: Folder, ground: Ground) -> tuple[Ground, tuple[str, ...]]:
    program = folder.which("python3") or folder.which("python")
    if program is None:
        return ground, ()
    paths = dict.fromkeys((*ground.paths, *folder.needs(program).paths))
    return replace(ground, paths=tuple(paths)), (folder.inside(program), f"{OWN}/{STARTER}")


def _left(checks: Checks, families: tuple[Family, ...]) -> Iterator[tuple[str, str]]:
    known = {tool for family in families for tool in family.tools}
    for words in checks.missing:
        tool = next((tool for tool in known if words.startswith(f"{tool}: ")), None)
        if tool is not None:
            yield tool, words.removeprefix(f"{tool}: ")
    for check in checks.of(Kind.TEST):
        if check.tool not in {*known, *_PYTHON.tools}:
            yield " ".join(check.argv)[:200], "its tests cannot be told one from another"
