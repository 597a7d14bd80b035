"""The row that tells what a project is."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from windtunnel.core.analysis import Analysis
from windtunnel.core.plain import plain
from windtunnel.tools.row import Context, OnProject, Told, Tool

_FEW = 60


class AnalyzeCodebase(OnProject):
    """What to look at."""

    fresh: bool = Field(default=False, description="Look at everything anew.")
    thorough: bool = Field(default=False, description="Measure every function of a large tree too, which is slow.")


class Analyzed(Told):
    """What a project is."""

    tree: str = Field(description="The hash of the content that this is about.")
    stale: bool = Field(description="Whether the tree has changed since.")
    cached: bool
    languages: list[dict[str, Any]] = Field(description="Most first, with their shares.")
    frameworks: list[dict[str, Any]]
    entry_points: list[str]
    parts: list[dict[str, Any]] = Field(description="Folders with a manifest: manager, tests, tools, commands.")
    dependencies: list[dict[str, Any]]
    dependency_count: int
    conflicts: list[dict[str, Any]]
    vulnerabilities: list[dict[str, Any]]
    audited: dict[str, str] = Field(description="By ecosystem: by what it was audited, or why it was not.")
    metrics: dict[str, Any]
    files: int
    lines: int
    notes: list[str] = Field(description="What was left out, and why.")
    seconds: float


def analyzed(found: Analysis) -> Analyzed:
    """An analysis as a model reads it."""
    structure, needs = found.structure, found.dependencies
    names = ", ".join(f"{one.name} {one.share:.0%}" for one in structure.languages[:4] if one.share)
    troubles = [f"{len(needs.conflicts)} conflicts"] if needs.conflicts else []
    troubles += [f"{len(needs.vulnerabilities)} known vulnerabilities"] if needs.vulnerabilities else []
    return Analyzed(
        reason=f"{structure.files} files: {names or 'no code'}; {len(needs.dependencies)} dependencies"
        f"{', ' + ' and '.join(troubles) if troubles else ''}.",
        next="create_task_plan says how to install, build and test it.", tree=found.tree, stale=found.stale,
        cached=found.cached, languages=_plain(structure.languages[:_FEW]),
        frameworks=_plain(structure.frameworks[:_FEW]),
        entry_points=list(structure.entry_points[:_FEW]), parts=_plain(structure.parts[:_FEW]),
        dependencies=_plain(needs.dependencies[:_FEW]), dependency_count=len(needs.dependencies),
        conflicts=_plain(needs.conflicts[:_FEW]), vulnerabilities=_plain(needs.vulnerabilities[:_FEW]),
        audited=dict(needs.audited), metrics=_plain(found.metrics), files=structure.files, lines=structure.lines,
        notes=[one[:300] for one in (*found.notes, *needs.notes)][:_FEW], seconds=round(found.seconds, 3))


def _plain(value: object) -> Any:  # noqa: ANN401 -- JSON
    return json.loads(json.dumps(value, default=plain))


def _analyze(context: Context, given: AnalyzeCodebase) -> Analyzed:
    project = context.project(given)
    return analyzed(context.within(project).analyze(
        project, fresh=given.fresh, thorough=given.thorough, tell=lambda words: context.tell(words, None)))


ROWS = (
    Tool(name="analyze_codebase", title="Analyse a codebase", permission="analyze_codebase", given=AnalyzeCodebase,
         told=Analyzed, act=_analyze, long=True, read_only=True, idempotent=True,
         description="What a project is, without running anything of it: languages, frameworks, entry points, package "
         "managers, dependencies with conflicts and known vulnerabilities, commands, complexity. Use it first on a "
         "repository that you do not know."),
)
