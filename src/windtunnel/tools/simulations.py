"""A row about conditions: which functions of a project break under which."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from windtunnel.core.simulation import Simulation
from windtunnel.tools.row import Context, OnProject, Told, Tool


class SimulateProject(OnProject):
    """What to call, and under what."""

    presets: list[dict[str, Any]] | None = Field(
        default=None, max_length=100, description='Conditions by their fields, such as {"PACKET_LOSS": 5, '
        '"FAILURE_MODES": "disk_full"}; leave out to try each condition alone.')
    preset_count: int | None = Field(default=None, ge=1, le=100, description="Generate so many that mix conditions.")
    sections: list[str] = Field(default_factory=list, max_length=100,
                                description="Only functions with one of these in their path or name.")
    seed: int = 0
    seconds: float = Field(default=5.0, gt=0, le=60, description="Of one call, at most.")
    tests: bool = Field(default=False, description="Also run the project's Python tests under each condition; those of "
                        "other languages always are.")
    edges: bool = Field(default=False, description="Also search from which value on a numeric condition breaks what it "
                        "breaks.")


class Broken(BaseModel):
    """One function that breaks."""

    section: str
    conditions: list[str]
    together: bool = Field(description="Whether it takes all of them at once.")
    how: str
    call: str


class Simulated(Told):
    """What breaks under what."""

    broken: list[Broken]
    edges: list[str] = Field(description="From which value on a condition breaks a section, where that was asked.")
    called: int
    skipped: dict[str, str]
    scenarios: list[str]
    not_real: list[str] = Field(description="Conditions that this machine could not make real, with the reason.")
    seconds: float


def _simulate(context: Context, given: SimulateProject) -> Simulated:
    project = context.project(given)
    return simulated(context.within(project).simulate(
        project, presets=given.presets, preset_count=given.preset_count, sections=tuple(given.sections),
        seed=given.seed, seconds=given.seconds, tests=given.tests, edges=given.edges, tell=context.tell))


def simulated(made: Simulation) -> Simulated:
    """As a model reads it."""
    count = len(made.blames)
    return Simulated(
        reason=f"{count} of {len(made.sections)} functions break under {len(made.scenarios)} scenarios.",
        next="Mend each for the condition that breaks it, then simulate again with the same seed." if count else "",
        broken=[Broken(section=one.section[:300], conditions=list(one.conditions), together=one.together,
                       how=one.reason[:300], call=one.call[:300]) for one in made.blames[:50]],
        edges=[f"{one.section[:200]}: {one.words}"[:300] for one in made.edges[:50]],
        called=len(made.sections), scenarios=[one.name[:100] for one in made.scenarios[:100]],
        skipped={name[:300]: reason[:200] for name, reason in list(made.skipped.items())[:30]},
        not_real=[f"{name}: {one.name}: {one.reason}"[:300] for name, some in made.conditions.items()
                  for one in some if not one.real][:30], seconds=round(made.seconds, 3))


ROWS = (
    Tool(name="simulate_project", title="Find what breaks under which conditions", permission="try_changes",
         given=SimulateProject, told=Simulated, act=_simulate, long=True, read_only=True,
         description="Calls the functions of a Python project, and runs the tests of other languages, in sandboxes "
         "under conditions (little memory, a full disk, a lossy network, a clock that jumps, missing variables) and "
         "returns which break under which, each proven by asking again. Use it to find out what a project does not "
         "survive before it is deployed."),
)
