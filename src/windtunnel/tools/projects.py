"""Rows about whole projects: what is wrong, what mends it, what the tests miss."""

from __future__ import annotations

from pydantic import BaseModel, Field

from windtunnel.core.mutation import Fate
from windtunnel.core.problem import Diagnosis, Problem
from windtunnel.core.repair import FixResult
from windtunnel.tools.changes import Found, teller
from windtunnel.tools.row import Context, OnProject, Told, Tool
from windtunnel.tools.shaping import lines

_COMMAND = Field(default=None, max_length=2000, description="Own command; leave out to have it found.")


class DiagnoseProject(OnProject):
    """What to run."""

    build: str | None = _COMMAND
    lint: str | None = _COMMAND
    test: str | None = _COMMAND
    pattern: str | None = Field(default=None, max_length=500, description="Only tests that match.")


class FixProject(OnProject):
    """What to mend, and for how long."""

    test: str | None = _COMMAND
    seconds: float = Field(default=120.0, gt=0, le=3600, description="Wall time for looking.")
    allow: list[str] = Field(default_factory=list, max_length=100, description="Globs of what may be touched.")
    forbid: list[str] = Field(default_factory=list, max_length=100)
    apply: bool = Field(default=False, description="Whether a fix that is sure is written into the project; needs the "
                        "permission apply_changes.")


class MutateProject(OnProject):
    """What to seed defects into."""

    paths: list[str] = Field(default_factory=list, max_length=200, description="Only these files or folders.")
    seconds: float = Field(default=300.0, gt=0, le=3600)
    most: int | None = Field(default=None, ge=1, le=100_000, description="Only so many, drawn at random.")


class OneProblem(BaseModel):
    """One problem."""

    kind: str
    message: str
    where: str
    tests: list[str]
    causes: list[str]
    code: str


class Diagnosed(Told):
    """What is wrong, most worth looking at first."""

    problems: list[OneProblem]
    suspects: list[Found] = Field(description="Functions that failing tests ran and passing ones did not.")
    commands: list[str]
    notes: list[str]
    seconds: float


class Fixed(Told):
    """What was found."""

    state: str
    diff: str
    explanation: list[str]
    warnings: list[str]
    question: str = Field(default="", description="What a person would have to answer.")
    alternatives: list[str]
    applied: bool
    tried: int
    seconds: float


class Mutated(Told):
    """What the tests miss."""

    score: float | None = None
    counts: dict[str, int]
    survivors: list[Found]
    notes: list[str]
    seconds: float


def _diagnose(context: Context, given: DiagnoseProject) -> Diagnosed:
    project = context.project(given)
    result = context.within(project).diagnose(project, build=given.build, lint=given.lint, test=given.test,
                                              pattern=given.pattern, tell=teller(context))
    return diagnosed(result)


def diagnosed(result: Diagnosis) -> Diagnosed:
    """Problems as a model reads them."""
    count = len(result.errors)
    first = f": first {result.errors[0].kind}: {result.errors[0].message}"[:400] if count else ""
    return Diagnosed(
        reason=f"{count} problems{first}" if count else "No problem was found.",
        next="Mend the first problem, then diagnose again; or call fix_project." if count else "",
        problems=[_problem(cluster.first, cluster.tests) for cluster in result.clusters[:15]],
        suspects=[Found(what=f"score {one.score:.2f}", where=f"{one.place.file}:{one.place.line} {one.place.symbol}")
                  for one in result.suspects[:10]],
        commands=[one[:300] for one in result.commands[:10]], notes=[one[:300] for one in result.notes[:10]],
        seconds=round(result.execution_time, 3))


def _problem(one: Problem, tests: tuple[str, ...]) -> OneProblem:
    where = "" if one.place is None else f"{one.place.file}:{one.place.line or ''}"
    code = "\n".join(f"{line.number}: {line.text}" for line in one.window[:12])
    return OneProblem(kind=one.kind, message=lines(one.message, most=600), where=where, tests=list(tests[:10]),
                      causes=[cause[:300] for cause in one.causes[:3]], code=lines(code, most=1000))


def _fix(context: Context, given: FixProject) -> Fixed:
    if given.apply:
        context.caller.check("apply_changes")
    project = context.project(given)
    return _fixed(context.within(project).fix(
        project, test=given.test, budget=given.seconds, allow=tuple(given.allow), forbid=tuple(given.forbid),
        apply=given.apply and not given.workspace_id,
        tell=lambda event: context.tell(str(getattr(event, "text", event))[:300], None)))


def _fixed(result: FixResult) -> Fixed:
    found = "Read the diff and apply it with apply_changes." if result.diff and not result.applied else ""
    return Fixed(
        reason=f"{result.state}: {result.reason}"[:1500], next=found or result.question or "", state=str(result.state),
        diff=lines(result.diff, most=12_000), explanation=[one[:500] for one in result.explanation[:20]],
        warnings=[one[:500] for one in result.warnings[:10]], question=result.question[:1000],
        alternatives=[lines(one, most=2000) for one in result.alternatives[:3]], applied=result.applied,
        tried=result.tried, seconds=round(result.execution_time, 3))


def _mutate(context: Context, given: MutateProject) -> Mutated:
    project = context.project(given)
    result = context.within(project).mutate(
        project, paths=tuple(given.paths), seconds=given.seconds, most=given.most,
        tell=lambda done, all_, _: context.tell(f"{done} of {all_} defects judged", done / all_ if all_ else None))
    alive = [one for one in result.judged if one.fate in (Fate.SURVIVED, Fate.UNTESTED)]
    score = "nothing could be judged" if result.score is None else f"tests noticed {result.score:.0%} of the defects"
    return Mutated(
        reason=f"{score}; {len(alive)} went unnoticed.", score=result.score,
        next="Write a test for each survivor." if alive else "",
        counts={str(fate): count for fate, count in result.counts.items()},
        survivors=[Found(what=f"{one.fate}: {one.mutant.description}"[:400],
                         where=f"{one.mutant.path}:{one.mutant.line}") for one in alive[:40]],
        notes=[one[:300] for one in result.notes[:10]], seconds=round(result.execution_time, 3))


ROWS = (
    Tool(name="diagnose_project", title="Diagnose a project", permission="try_changes", given=DiagnoseProject,
         told=Diagnosed, act=_diagnose, long=True, read_only=True,
         description="Runs build, lint and tests of a project in a sandbox and returns what is wrong, each problem "
         "once, root causes first, with place, code, likely causes and the tests that fail by it. Use it first on a "
         "project that fails."),
    Tool(name="fix_project", title="Fix a project", permission="try_changes", given=FixProject, told=Fixed, act=_fix,
         long=True, destructive=True,
         description="Looks for a proven fix of a failing project: proposes small edits, judges each by the tests, and "
         "returns the smallest diff that passes everything and was not bent to the tests. Use it when tests fail and "
         "the fault is likely small."),
    Tool(name="mutate_project", title="Find what tests miss", permission="try_changes", given=MutateProject,
         told=Mutated, act=_mutate, long=True, read_only=True,
         description="Seeds small defects into the Python code of a project and returns those that no test notices. "
         "Use it to find out how much the tests can be trusted, and where tests are missing."),
)
