"""Equal problems together, those that others caused marked, what is most worth looking at first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from windtunnel.core.problem import Cluster, Problem
from windtunnel.core.problem import ProblemKind as K

_COMPILED = frozenset({"tsc", "javac", "rustc", "go build", "typescript", "mypy", "pyright", "cargo build"})
"""Tools that go on after an error and then stumble over what it left."""
_STUMBLES = frozenset({K.SYNTAX, K.NAME, K.TYPE, K.ATTRIBUTE, K.FLOW, K.UNUSED, K.GENERIC, K.INTERFACE})
_MISSES = frozenset({K.NAME, K.TYPE, K.ATTRIBUTE, K.IMPORT, K.INTERFACE})
_FIRST = (K.CONFIGURATION, K.DEPENDENCY, K.SYNTAX, K.IMPORT, K.CRASH, K.MEMORY, K.TIMEOUT, K.NAME)
"""Kinds that keep everything after them from running; they come before the others."""
_LAST = (K.GENERIC, K.UNUSED, K.STYLE)
_SEVERITIES = ("error", "warning", "note")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NAMED = re.compile(r"['\"`]([^'\"`\n]{1,200})['\"`]|package ([\w.]{1,200})")


def clusters(problems: Iterable[Problem]) -> tuple[Cluster, ...]:
    """All of them, by equal cause; roots before what they caused, then by how much hangs on each."""
    told = marked(list(problems))
    groups: dict[str, list[Problem]] = {}
    for problem in told:
        groups.setdefault(_key(problem), []).append(problem)
    made = [Cluster(problems=_clearest_first(group)) for group in groups.values()]
    weight: dict[str, int] = {}
    for problem in told:
        weight[problem.caused_by] = weight.get(problem.caused_by, 0) + 1
    order = {id(cluster): at for at, cluster in enumerate(made)}
    return tuple(sorted(made, key=lambda cluster: (*_rank(cluster, weight), order[id(cluster)])))


def marked(problems: Sequence[Problem]) -> list[Problem]:
    """Those that would not be there without another, with the fingerprint of that one."""
    told: list[Problem] = []
    for problem in problems:
        cause = None if problem.caused_by or problem.severity != "error" else next(
            (one for one in told if _causes(one, problem)), None)
        told.append(problem if cause is None else replace(problem, caused_by=cause.fingerprint))
    return told


def _causes(first: Problem, then: Problem) -> bool:
    if first.kind not in (K.SYNTAX, K.IMPORT) or first.tool not in _COMPILED or first.tool != then.tool:
        return False
    if first.caused_by or first.severity != "error" or first.place is None or then.place is None:
        return False
    if first.place.file != then.place.file or first.fingerprint == then.fingerprint:
        return False
    if first.kind == K.SYNTAX:
        return then.kind in _STUMBLES and (first.place.line or 0) <= (then.place.line or 0)
    return then.kind in _MISSES and bool(_names(first) & set(_WORD.findall(then.message)))


def _names(problem: Problem) -> set[str]:
    """Last parts of what could not be imported, and the names on the line that tried to."""
    line = next((one.text for one in problem.window if problem.place and one.number == problem.place.line), "")
    quoted = [part for found in _NAMED.findall(problem.message) for part in found if part]
    tails = {re.split(r"[./:]+", text.strip("./"))[-1] for text in quoted}
    return {name for name in tails | set(_WORD.findall(line)) if name not in {
        "import", "from", "use", "as", "static", "require", "const", "type", "crate", "pub"}}


def _key(problem: Problem) -> str:
    """Equal causes: the same words at the same place, by whatever test; without a place, the same words."""
    place = problem.place
    where = f"{place.file}:{place.line}" if place is not None else problem.test
    return f"{problem.kind}\0{problem.name}\0{problem.normal}\0{where}"


def _clearest_first(group: Sequence[Problem]) -> tuple[Problem, ...]:
    """Each test once; what names no test is the same told again, where others do."""
    ordered = sorted(group, key=lambda one: (not one.window, not one.frames, one.severity != "error"))
    once = {one.test: one for one in reversed(ordered) if one.test}
    return tuple(one for one in ordered if once.get(one.test) is one) if once else tuple(ordered)


def _rank(cluster: Cluster, weight: dict[str, int]) -> tuple[int, ...]:
    first = cluster.first
    kind = first.kind
    stage = _FIRST.index(kind) if kind in _FIRST else len(_FIRST) + (kind in _LAST)
    return (_SEVERITIES.index(first.severity), bool(first.caused_by), stage,
            -(len(cluster.problems) + weight.get(first.fingerprint, 0)), first.place is None)
