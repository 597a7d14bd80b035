"""Which commands judge a project: those that were given, else those that it is set up for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from windtunnel.checks import TOOLS, command, make, mypy
from windtunnel.checks.wording import taken_apart
from windtunnel.checks.words import assignments
from windtunnel.core.errors import UsageError
from windtunnel.core.tool import Project, Tool
from windtunnel.core.trial import Check, Checks, Kind

Given: TypeAlias = str | Sequence[str] | None
"""A command as text or as words; empty for none of its kind, None to look for one."""

_RIVALS: tuple[frozenset[str], ...] = (
    frozenset({"pytest", "unittest"}),
    frozenset({"maven", "gradle"}),
)
"""Tools of which one is enough, since one does the other's work: the first in the table's order."""


def discover(
    project: Project, *, build: Given = None, lint: Given = None, test: Given = None, table: Iterable[Tool] = TOOLS,
) -> Checks:
    """The checks of a project, builds first.

    A given command always wins, and is an error when its program cannot be found. Otherwise every tool is asked; a
    Makefile's targets stand in only for a kind of which nothing else is there. A tool that cannot be found is named
    with what to install, whether or not others of its kind were found.
    """
    tools = tuple(table)
    checks: list[Check] = []
    missing: list[str] = []
    for kind, given in ((Kind.BUILD, build), (Kind.LINT, lint), (Kind.TEST, test)):
        of_kind = tuple(tool for tool in tools if tool.kind is kind)
        if given is not None:
            checks += _given(project, given, kind=kind, tools=of_kind)
            continue
        found, absent = _found(project, of_kind)
        checks += found
        missing += absent
    return Checks(checks=tuple(checks), missing=tuple(dict.fromkeys(missing)))


def _given(project: Project, given: str | Sequence[str], *, kind: Kind, tools: tuple[Tool, ...]) -> Iterator[Check]:
    """One check, or none for an empty command."""
    field = f"{kind}_command"
    argv = taken_apart(given, field=field) if isinstance(given, str) else tuple(given)
    if not argv:
        return
    _, started = assignments(argv)
    tool = next((tool for tool in tools if tool.recognise(started)), command.TOOL)
    if "/" not in started[0] and project.which(started[0]) is None:
        remedy = tool.install if tool is not command.TOOL else "give its path, or install it"
        raise UsageError(f"{field}: there is no program {started[0][:80]!r} here ({remedy})", field=field)
    if tool is mypy.TOOL:
        argv = mypy.modern(project, argv)
    yield Check(kind=kind, tool=tool.name, argv=argv)


def _found(project: Project, tools: tuple[Tool, ...]) -> tuple[list[Check], list[str]]:
    better = [tool for tool in tools if tool not in make.TOOLS]
    found, missing = _asked(project, better)
    if found or missing:
        return found, missing
    return _asked(project, [tool for tool in tools if tool in make.TOOLS])


def _asked(project: Project, tools: Iterable[Tool]) -> tuple[list[Check], list[str]]:
    """What each tool detects, apart from rivals of one found before."""
    found: list[Check] = []
    missing: dict[str, str] = {}
    for tool in tools:
        rivals = set(itertools.chain.from_iterable(group for group in _RIVALS if tool.name in group))
        if any(check.tool in rivals for check in found) or not rivals.isdisjoint(missing):
            continue
        check = tool.detect(project)
        if check is None:
            continue
        if project.which(check.argv[0]) is None:
            missing[tool.name] = f"{tool.name}: {check.argv[0]} is not installed (to install it: {tool.install})"
        else:
            found.append(check)
    return found, list(missing.values())
