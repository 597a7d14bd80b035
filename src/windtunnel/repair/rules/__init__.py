"""From an error to the edits that usually mend it: one file for each family, and one table of all."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal, Scene
from windtunnel.repair.rules import (
    arguments,
    arithmetic,
    assertions,
    attributes,
    awaiting,
    callables,
    classes,
    conversions,
    encodings,
    flow,
    formats,
    imports,
    indexes,
    iteration,
    keys,
    keywords,
    members,
    missing,
    names,
    null,
    raising,
    recursion,
)
from windtunnel.repair.rules.base import Fix, Project, Rule, Sight

__all__ = ["RULES", "Rule", "propose"]

RULES: tuple[Rule, ...] = (
    *names.RULES,
    *imports.RULES,
    *attributes.RULES,
    *members.RULES,
    *keywords.RULES,
    *formats.RULES,
    *null.RULES,
    *arguments.RULES,
    *conversions.RULES,
    *callables.RULES,
    *iteration.RULES,
    *keys.RULES,
    *indexes.RULES,
    *flow.RULES,
    *classes.RULES,
    *arithmetic.RULES,
    *recursion.RULES,
    *awaiting.RULES,
    *encodings.RULES,
    *raising.RULES,
    *assertions.RULES,
    *missing.RULES,
)
_MOST_PROBLEMS = 20
_MOST_FIXES = 200


def propose(scene: Scene) -> Iterator[Proposal]:
    """What the rules say to each problem, the likeliest first; problems that others caused come last."""
    project = Project(scene)
    told: set[str] = set()
    for problem in scene.problems[:_MOST_PROBLEMS]:
        for proposal in _proposals(problem, project):
            if proposal.key not in told:
                told.add(proposal.key)
                yield proposal


def _proposals(problem: Problem, project: Project) -> Iterator[Proposal]:
    if problem.language not in {"", "python"} or problem.severity != "error":
        return
    found: list[tuple[float, int, Proposal]] = []
    for rule in RULES:
        for fix in _fixes(rule, problem, project):
            proposal = _proposal(rule, fix, project)
            if proposal is not None and len(found) < _MOST_FIXES:
                heapq.heappush(found, (-fix.prior, len(found), proposal))
    while found:
        yield heapq.heappop(found)[2]


def _fixes(rule: Rule, problem: Problem, project: Project) -> Iterator[Fix]:
    name = problem.name.rpartition(".")[2]
    if rule.errors and name not in rule.errors:
        return
    said = rule.message.search(problem.message)
    if said is None:
        return
    try:
        yield from rule.suggest(Sight(problem, project, said))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        # A rule reads trees of any shape; one that trips over a file says no more about it.
        return


def _proposal(rule: Rule, fix: Fix, project: Project) -> Proposal | None:
    """The texts after a fix; None where it may not be made or changes nothing."""
    edits: list[FileEdit] = []
    for path in dict.fromkeys(part[0] for part in fix.parts):
        before = project.scene.read(path)
        if before is None or path not in project.scene.paths:
            return None
        text = _spliced(before, [part[1:] for part in fix.parts if part[0] == path])
        if text is None or text == before:
            return None
        edits.append(FileEdit(path=path, text=text))
    if not edits:
        return None
    first = fix.parts[0]
    line = (project.scene.read(first[0]) or "").count("\n", 0, first[1]) + 1
    return Proposal(
        edits=tuple(edits),
        origin="rule",
        name=rule.name,
        reason=fix.reason,
        place=Place(file=first[0], line=line),
        prior=max(0.01, min(fix.prior, 0.98)),
    )


def _spliced(text: str, parts: list[tuple[int, int, str]]) -> str | None:
    """The text with all parts changed; None where two of them overlap."""
    end = len(text) + 1
    for start, stop, new in sorted(parts, key=lambda part: (part[0], part[1]), reverse=True):
        if not 0 <= start <= stop <= end:
            return None
        text, end = text[:start] + new + text[stop:], start
    return text
