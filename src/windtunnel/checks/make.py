"""Targets of a Makefile: what a project offers when it is set up for nothing better."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windtunnel.checks import command, words
from windtunnel.core.tool import Project, Tool
from windtunnel.core.trial import Check, Kind

_FILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = {Kind.BUILD: ("build", "all"), Kind.LINT: ("lint",), Kind.TEST: ("test", "tests", "check")}


def _detect(project: Project, *, kind: Kind) -> Check | None:
    named = next((name for name in _FILES if project.exists(name)), None)
    text = (project.read(named) or b"").decode("utf-8", "replace") if named else ""
    target = next((name for name in _TARGETS[kind] if _has(text, name)), None)
    return Check(kind=kind, tool=f"make {kind}", argv=("make", target), found_in=named or "") if target else None


def _has(text: str, target: str) -> bool:
    """Whether a rule makes it: ``lint test: deps``, but not ``test := x``."""
    for line in text.splitlines():
        names, colon, rest = line.partition(":")
        if colon and not line[0].isspace() and not rest.startswith(("=", ":=")) and target in names.split():
            return True
    return False


def _recognise(argv: tuple[str, ...], *, kind: Kind) -> bool:
    started = words.started(argv)
    return started[:1] in (("make",), ("gmake",)) and not set(_TARGETS[kind]).isdisjoint(started[1:])


def _tool(kind: Kind) -> Tool:
    detect: Callable[[Project], Check | None] = partial(_detect, kind=kind)
    return Tool(
        name=f"make {kind}", kind=kind, detect=detect, recognise=partial(_recognise, kind=kind),
        prepare=command.prepare, read=command.read, install="apt-get install make")


TOOLS = tuple(_tool(kind) for kind in Kind)
