"""What a project is: its languages, parts, dependencies and measures, with what could not be told said out loud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Purpose(StrEnum):
    """What a command of a project is for, in the order in which they usually come."""

    INSTALL = "install"
    FORMAT = "format"
    BUILD = "build"
    LINT = "lint"
    TEST = "test"
    AUDIT = "audit"
    START = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageShare:
    """How much of a tree is written in one language."""

    name: str
    """As Linguist names it."""
    kind: str
    """``programming``, ``markup``, ``data`` or ``prose``."""
    files: int
    bytes: int
    lines: int
    share: float
    """Of the bytes of all programming and markup files, from 0 to 1; 0 for the other kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """A framework or a well-known library that shapes a project."""

    name: str
    kind: str
    """``web``, ``frontend``, ``test``, ``build``, ``data`` …"""
    why: str
    """The file, and what in it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectCommand:
    """One command that a part of a project knows; run in the part's folder."""

    purpose: Purpose
    command: str
    """One shell line."""
    why: str
    """The file that says so, or the convention."""
    tool: str = ""
    """The program that must be there."""
    network: bool = False
    """Whether it fetches something."""
    ends: bool = True
    """False for what runs until it is stopped, such as a server."""
    writes: bool = False
    """Whether it changes files that belong to the project, as formatters do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One folder with a manifest: a package, a module, a crate. A mixed repository has several."""

    folder: str
    """Relative to the tree; empty for its top."""
    ecosystem: str
    """``python``, ``node``, ``go``, ``rust``, ``java``, ``ruby``, ``php``, ``c`` (also C++) …"""
    name: str = ""
    manager: str = ""
    """``pip``, ``poetry``, ``uv``, ``npm``, ``yarn``, ``pnpm``, ``go``, ``cargo``, ``maven``, ``gradle``, ``bundler``,
    ``composer``, ``cmake``, ``make``, ``meson`` …"""
    manifests: tuple[str, ...] = ()
    """Relative to the tree."""
    locks: tuple[str, ...] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)
    """As a manifest names them: npm scripts, composer scripts, targets of a Makefile."""
    frameworks: tuple[Framework, ...] = ()
    tests: tuple[str, ...] = ()
    """Frameworks that its tests are written for: ``pytest``, ``jest`` …"""
    tools: tuple[str, ...] = ()
    """Linters, formatters and builders that it is set up for: ``ruff``, ``eslint``, ``prettier`` …"""
    entry_points: tuple[str, ...] = ()
    commands: tuple[ProjectCommand, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What lies where."""

    languages: tuple[LanguageShare, ...] = ()
    """Most first."""
    parts: tuple[Part, ...] = ()
    """The top first, then by folder."""
    files: int = 0
    bytes: int = 0
    lines: int = 0
    """Of text files."""

    @property
    def frameworks(self) -> tuple[Framework, ...]:
        """Of all parts, each once."""
        return tuple({one.name: one for part in self.parts for one in part.frameworks}.values())

    @property
    def entry_points(self) -> tuple[str, ...]:
        """Of all parts."""
        return tuple(dict.fromkeys(one for part in self.parts for one in part.entry_points))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """One thing that a part of a project needs."""

    name: str
    ecosystem: str
    wanted: str = ""
    """The versions that the manifest allows, as it is written."""
    version: str = ""
    """The one that a lock file chose."""
    group: str = "main"
    """``main``, ``dev``, ``test``, ``optional:NAME``, ``build``, ``peer`` …"""
    direct: bool = True
    file: str = ""
    """Where that is written, relative to the tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Wishes that no version meets, or a lock file that does not meet its manifest."""

    name: str
    ecosystem: str
    kind: str
    """``unsatisfiable``, ``locked-outside``, ``missing-from-lock``, ``two-managers``, ``duplicated``."""
    reason: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vulnerability:
    """A known fault of a version that is in use."""

    name: str
    version: str
    id: str
    fixed_in: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What a project needs, and whether that fits together."""

    dependencies: tuple[Dependency, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    vulnerabilities: tuple[Vulnerability, ...] = ()
    audited: Mapping[str, str] = field(default_factory=dict)
    """By ecosystem: ``audited by …``, or ``not audited: …`` with the reason."""
    notes: tuple[str, ...] = ()
    """Files that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """One function that is hard to follow."""

    name: str
    file: str
    line: int
    cyclomatic: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplication:
    """The same stretch of code in two places."""

    files: tuple[str, str]
    lines: tuple[int, int]
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMetrics:
    """Measures of the code; each definition is in docs/analyze.md."""

    functions: int = 0
    """Those that were measured; of a large tree the worst files and a sample, as a note says."""
    code_lines: int = 0
    average_complexity: float = 0.0
    """Cyclomatic, by lizard, over all functions."""
    complex_functions: tuple[Complexity, ...] = ()
    """The worst first."""
    maintainability: float | None = None
    """0 to 100, weighted by code lines; none where nothing could be measured."""
    duplicated_share: float = 0.0
    """Of the code lines, those that stand somewhere else too."""
    duplications: tuple[Duplication, ...] = ()
    coverage: float | None = None
    """Of lines, 0 to 1, as a report in the tree says; none where there is none."""
    coverage_source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """All of it, of one state of one tree."""

    root: str
    tree: str
    """The hash of the content that this is about."""
    structure: Structure
    dependencies: Dependencies
    metrics: CodeMetrics
    stale: bool = False
    """Whether the tree has changed since; then ``tree`` is not its hash any more."""
    cached: bool = False
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
