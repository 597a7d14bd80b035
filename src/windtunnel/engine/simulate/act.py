"""A simulation as an act: asked of the policy as ``simulate``, and written down."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.core.scenario import Condition, Scenario
from windtunnel.core.section import Found, Section, SectionKind, Stubs
from windtunnel.core.simulation import Simulation
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.given import Project, check_options, check_project_name
from windtunnel.engine.simulate.course import Course, Plan
from windtunnel.engine.simulate.covering import cover_in
from windtunnel.engine.simulate.edges import Bounds, edges_of, unasked
from windtunnel.engine.simulate.failing import failing_of
from windtunnel.engine.simulate.probing import conditions
from windtunnel.engine.simulate.scanning import scan
from windtunnel.engine.simulate.suites.course import SuiteCourse
from windtunnel.engine.simulate.suites.meeting import as_limits, unmet_conditions
from windtunnel.engine.simulate.surroundings import CALM
from windtunnel.scenarios.each import each_condition
from windtunnel.scenarios.generate import generate_presets
from windtunnel.scenarios.preset import presets_from_environment, read_presets
from windtunnel.sections.find import find
from windtunnel.sections.stubs import stubs_from

MOST_PRESETS = 1000
_MOST_SECTIONS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulate:
    """One simulation that is asked for."""

    project: Project
    presets: str | bytes | Sequence[Mapping[str, object]] | None = None
    """JSON text or tables of the document's fields; none takes the environment's, or each condition alone."""
    preset_count: int | None = None
    """How many to generate from the seed, as the first rows of a covering array."""
    sections: Sequence[str] = ()
    """Only those whose id contains one of these."""
    seed: int = 0
    calls: int = 6
    """Of each section, at most."""
    seconds: float = 5.0
    """Of one call, at most."""
    tests: bool = False
    """Whether Python's own tests are sections too; those of other languages always are."""
    edges: bool = False
    """Whether it is searched from which value on a numeric condition breaks a section."""
    most_edges: int = 20
    edge_seconds: float = 60.0
    """Of the search for one edge, at most."""
    measure: bool = True
    """Whether each condition is measured beside what is asked."""
    cover: bool = False
    """Whether the calls are made once more to see which lines and branches they run."""
    scan: bool = False
    """Whether bandit looks through the files that have sections."""
    stubs: Stubs | None = None
    """Inputs that somebody gave."""
    tell: Callable[[str, float | None], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        if self.preset_count is not None and (self.presets is not None or not 1 <= self.preset_count <= MOST_PRESETS):
            raise UsageError(f"preset_count: from 1 to {MOST_PRESETS}, and not beside presets", field="preset_count")
        for name, most in (("calls", 100), ("seconds", 600.0), ("most_edges", 1000), ("edge_seconds", 3600.0)):
            if isinstance(getattr(self, name), bool) or not 0 < getattr(self, name) <= most:
                raise UsageError(f"{name}: not above 0 and at most {most:g}", field=name)


def simulate_project(
    acts: Acts, rig: Callable[[], Rig], project: Project, *, options: Mapping[str, Any], level: Level | None,
) -> Simulation:
    """Sections of a project under many conditions; the options are the fields of ``Simulate``."""
    check_options(options, Simulate.__dataclass_fields__.keys() - {"project"}, what="a simulation", see="Simulate")
    check_project_name(project)
    asked = Simulate(project=project, **options)
    scenarios = scenarios_of(asked)
    with acts.act("simulate", lambda: _asked(asked, scenarios), project=str(project),
                  exact=lambda: replace(asked, tell=None),
                  request=lambda: Request(verb="simulate", level=level)) as act:
        made = simulated(within(rig(), act), asked, scenarios)
        act.end("broken" if made.blames else "done", subject=made.id, **_found(made))
    return replace(made, notes=(*made.notes, *act.remarks))


def scenarios_of(asked: Simulate, *, environ: Mapping[str, str] | None = None) -> tuple[Scenario, ...]:
    """Those that are given, those that are generated, those of the environment, or each condition alone."""
    if asked.presets is not None:
        return read_presets(asked.presets, source="presets", seed=asked.seed)
    if asked.preset_count is not None:
        return generate_presets(asked.preset_count, seed=asked.seed)
    found = presets_from_environment(os.environ if environ is None else environ, seed=asked.seed)
    return found if found is not None else each_condition()


def simulated(rig: Rig, asked: Simulate, scenarios: tuple[Scenario, ...]) -> Simulation:
    """What became of the sections, with the conditions as they were measured."""
    root = Path(asked.project).resolve()
    found = find(root, most=_MOST_SECTIONS)
    chosen = _chosen(found, asked.sections)
    plan = Plan(project=str(root), sections=chosen.sections, scenarios=scenarios, seed=asked.seed, calls=asked.calls,
                seconds=asked.seconds, wall_seconds=rig.trial_seconds, tell=asked.tell,
                stubs=asked.stubs if asked.stubs is not None else stubs_from(os.environ))
    course, suites = Course(rig, plan), SuiteCourse(rig, plan, python=asked.tests, names=asked.sections)
    _check_chosen(asked.sections, bool(chosen.sections or chosen.skipped or suites.suites))
    made = _together([_run(one, asked) for one in _courses(course, suites)], plan)
    _check_chosen(asked.sections, bool(chosen.skipped or made.sections or made.skipped or made.unsteady))
    notes = [f"{found.left_out} sections more than {_MOST_SECTIONS} were left out"] if found.left_out else []
    called = [one for one in made.sections if one.kind is not SectionKind.TEST]
    files = [one.path for one in (*chosen.sections, *chosen.skipped)]
    covered = cover_in(rig, course.at(CALM).place, calls=course.steady(), seed=asked.seed,
                       files=files) if asked.cover and called else None
    findings, why = scan(rig, root, sorted({one.path for one in called})) if asked.scan else (None, "")
    measured = _conditions(rig, asked, course, suites) if made.sections else {}
    return replace(made, conditions=measured, notes=(*notes, *made.notes), covered=covered, findings=findings,
                   unscanned=why,
                   failing=(*made.failing, *failing_of((), chosen.skipped)),
                   skipped={**{one.id: one.reason for one in chosen.skipped if one.path not in suites.files},
                            **made.skipped})


def _courses(course: Course, suites: SuiteCourse) -> list[Course]:
    """Those that have something to run; a project with neither functions nor tests is told of as it always was."""
    found = [one for one, some in ((course, course.plan.sections), (suites, suites.suites or suites.missing)) if some]
    return found or [course]


def _run(course: Course, asked: Simulate) -> Simulation:
    made = course.run()
    if not asked.edges:
        return made
    limits = course.at(CALM).place.limits
    assert limits is not None
    course.say("searching for edges")
    bounds = Bounds(usual=limits, call_seconds=asked.seconds, most=asked.most_edges, seconds=asked.edge_seconds)
    found = edges_of(made, under=lambda some, repeats: course.under(some, repeats=repeats), bounds=bounds)
    left = unasked(made, most=asked.most_edges)
    return replace(made, edges=found, notes=(
        *made.notes, *((f"{left} edges were not searched for",) if left else ())))


def _together(some: Sequence[Simulation], plan: Plan) -> Simulation:
    """Functions and tests in one."""
    return Simulation(
        project=plan.project, seed=plan.seed, scenarios=plan.scenarios,
        sections=tuple(one for made in some for one in made.sections),
        outcomes=tuple(one for made in some for one in made.outcomes),
        blames=tuple(one for made in some for one in made.blames),
        edges=tuple(one for made in some for one in made.edges),
        failing=tuple(one for made in some for one in made.failing),
        unsteady={name: why for made in some for name, why in made.unsteady.items()},
        skipped={name: why for made in some for name, why in made.skipped.items()},
        section_runs=sum(made.section_runs for made in some), seconds=sum(made.seconds for made in some),
        notes=tuple(note for made in some for note in made.notes))


def _conditions(
    rig: Rig, asked: Simulate, course: Course, suites: SuiteCourse,
) -> dict[str, tuple[Condition, ...]]:
    """As measured around functions, or around tests where there are none; and what tests do not meet."""
    found: dict[str, tuple[Condition, ...]] = {}
    for one in course.plan.scenarios:
        left = unmet_conditions(one) if suites.tests else ()
        rows: tuple[Condition, ...] = ()
        if asked.measure and (course.plan.sections or not suites.tests):
            rows = conditions(rig, one, course.at(one), faults=course.probes.get(one.name, {}),
                              levels=(str(rig.sandbox.level),))
        elif asked.measure:
            rows = _around_tests(rig, one, suites)
        if rows or left:
            found[one.name] = (*rows, *left)
    return found


def _around_tests(rig: Rig, scenario: Scenario, suites: SuiteCourse) -> tuple[Condition, ...]:
    limited, names = as_limits(scenario)
    left = {one.name for one in unmet_conditions(scenario)}
    rows = conditions(rig, limited, suites.at(scenario), faults=suites.measured(scenario),
                      levels=(str(rig.sandbox.level),))
    return tuple(replace(one, name=names.get(one.name, one.name)) for one in rows if one.name not in left)


def _chosen(found: Found, names: Sequence[str]) -> Found:
    def wanted(some: tuple[Section, ...]) -> tuple[Section, ...]:
        return tuple(one for one in some if not names or any(name in one.id for name in names))

    return replace(found, sections=wanted(found.sections), skipped=wanted(found.skipped))


def _check_chosen(names: Sequence[str], there: bool) -> None:  # noqa: FBT001 -- two things of one thought
    if names and not there:
        raise UsageError(f"sections: none has {names[0][:60]!r} in its name", field="sections")


def _asked(asked: Simulate, scenarios: Sequence[Scenario]) -> dict[str, object]:
    return {"scenarios": particulars.some([one.name for one in scenarios]), "seed": asked.seed, "calls": asked.calls,
            "sections": particulars.some(list(asked.sections)), "seconds": asked.seconds}


def _found(made: Simulation) -> dict[str, object]:
    return {"sections": len(made.sections), "skipped": len(made.skipped),
            "section runs": made.section_runs, "seconds": made.seconds, "broken": made.broken,
            "blames": particulars.some([f"{one.section} {' '.join(one.conditions)}" for one in made.blames]),
            **({"edges": particulars.some([f"{one.section} {one.words}" for one in made.edges])} if made.edges else {})}
