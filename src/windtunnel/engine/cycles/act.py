"""A run of cycles as an act: asked of the policy as ``full-autonomous-run``, and written down."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.core.scenario import Scenario
from windtunnel.core.series import Advice
from windtunnel.core.simulation import Simulation
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.cycles.brainstorm import DEFAULT_RETRIES, Brainstorm
from windtunnel.engine.cycles.cloning import discard
from windtunnel.engine.cycles.course import Work, run, summary
from windtunnel.engine.cycles.looking import Search, look
from windtunnel.engine.cycles.plugged import Plugged
from windtunnel.engine.cycles.reading import Reading
from windtunnel.engine.cycles.records import OBJECTIVE, cycles_in, gains
from windtunnel.engine.cycles.tried import Looked, Tried, tried_in
from windtunnel.engine.given import Project, check_options, check_project_name
from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.simulate.act import Simulate, scenarios_of, simulated
from windtunnel.engine.simulate.scanning import scan
from windtunnel.repair.model import Endpoint
from windtunnel.returns.plugins import plugin_files
from windtunnel.scenarios.reality import unreal
from windtunnel.store.runs import NAME, RunStore, ScenarioRun

_DEFAULT_PRESETS = 3
_MOST_ITERATIONS = 10_000
_MOST_SECONDS = 86_400.0
_MOST_EDGES, _EDGE_SECONDS = 3, 20.0
"""Searched for in one cycle, and the time for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycles:
    """One run of cycles that is asked for."""

    project: Project
    data: str = "sandbox_data"
    """A folder for ``roi_history.json`` and the runs, each with its journal and its clone."""
    presets: Sequence[Mapping[str, object]] | None = None
    """As ``Simulate`` has them; none generates them."""
    preset_count: int = _DEFAULT_PRESETS
    max_iterations: int = 10
    seed: int = 0
    improve: bool = True
    """Whether cycles look for changes that help; kept ones are in the clone and in the journal, as diffs."""
    improve_seconds: float = 120.0
    model: str | None = None
    """Who is asked when gains fade: ``openai`` for any endpoint of that form, as ``WINDTUNNEL_MODEL_*`` say."""
    brainstorm_interval: int = 0
    """A model is also asked every so many cycles; 0 for never."""
    brainstorm_retries: int = DEFAULT_RETRIES
    """How many cycles in a row that gain too little make gains count as faded."""
    sections: Sequence[str] = ()
    edges: bool = True
    """Whether each cycle searches for the edges of a few sections, toward which the next one's presets go."""
    calls: int = 4
    seconds: float = 5.0
    tell: Callable[[str, float | None], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        if isinstance(self.max_iterations, bool) or not 1 <= self.max_iterations <= _MOST_ITERATIONS:
            raise UsageError(f"max_iterations: from 1 to {_MOST_ITERATIONS}", field="max_iterations")
        if isinstance(self.improve_seconds, bool) or not 0 < self.improve_seconds <= _MOST_SECONDS:
            raise UsageError(f"improve_seconds: {self.improve_seconds!r:.40} is not a number above 0 and up to "
                             f"{_MOST_SECONDS:.0f}", field="improve_seconds")
        if self.model not in (None, "openai"):
            raise UsageError(f"model: {self.model!r:.60} is not one that is known (openai, for any endpoint of that "
                             "form)", field="model")
        self.brainstorm()

    def brainstorm(self) -> Brainstorm:
        """When a model is asked."""
        return Brainstorm(interval=self.brainstorm_interval, retries=self.brainstorm_retries)


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclesResult:
    """How a run of cycles ended."""

    run: str
    data: str
    iterations: int
    gains: tuple[float, ...]
    metrics: Mapping[str, float]
    """The last value of each, the mean over scenarios."""
    modules: Mapping[str, float]
    """By file: what it gained in all."""
    scenarios: Mapping[str, float]
    kept: tuple[str, ...]
    """Diffs that were proven to help, in the order in which they apply."""
    advice: Advice
    tried: tuple[Tried, ...] = ()
    """Every candidate, with where it came from and why it was kept or dropped."""
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    """Metrics that could not be told in the last cycle done here, with the reasons."""
    notes: tuple[str, ...] = field(default=())


def begin(project: Project, *, options: Mapping[str, Any], state_dir: Path, owner: str) -> str:
    """Make the journal of a new run; its folder. ``go_on`` does the rest, and does it again after a crash."""
    check_options(options, Cycles.__dataclass_fields__.keys() - {"project"}, what="a run of cycles", see="Cycles")
    check_project_name(project)
    asked = Cycles(project=str(Path(project).resolve()), **options)
    _scenarios(asked, asked.seed)  # what cannot be read is refused before anything is made
    plugin_files(os.environ)
    if asked.model is not None:
        Endpoint.of(os.environ)
    folder = _fresh(Path(asked.data).resolve() / "runs")
    told = {key: value for key, value in asdict(replace(asked, tell=None)).items() if key not in ("tell", "data")}
    with Journal.begin(folder, seed=asked.seed, options={**told, "started": time.time()}) as journal:
        runs = RunStore(state_dir / NAME)
        runs.begin(_kept(journal, owner=owner))
        runs.close()
    return str(folder)


def _fresh(runs: Path) -> Path:
    """A folder that nobody had before, also when two are begun at once: all below it is the run's own."""
    number = 1 + max((int(one.name) for one in runs.glob("[0-9]*") if one.name.isdigit()), default=0)
    while True:
        folder = runs / f"{number:04}"
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise SandboxFailure(f"data: no run can be begun in {runs}: {error.strerror}") from error
        else:
            return folder


def _kept(journal: Journal, *, owner: str) -> ScenarioRun:
    return ScenarioRun(id=journal.head.id, verb="full-autonomous-run", owner=owner, folder=str(journal.folder),
                       target=str(journal.head.options.get("project", "")), seed=journal.head.seed)


def go_on(
    acts: Acts, rig: Callable[[], Rig], folder: str, *, level: Level | None,
    max_iterations: int | None = None, tell: Callable[[str, float | None], None] | None = None,
) -> CyclesResult:
    """Do what is left of the run in this folder, wherever that was moved to since it was begun."""
    with Journal(Path(folder).resolve()) as journal, Plugged(plugin_files(os.environ)) as plugged:
        options = _options(journal, max_iterations)
        asked = Cycles(**options, tell=_counting(journal, tell, of=options["max_iterations"]))
        runs = RunStore(acts.settings.state_dir / NAME)
        with acts.act("full-autonomous-run", lambda: {"run": journal.head.id, **options}, project=str(asked.project),
                      request=lambda: Request(verb="full-autonomous-run", level=level)) as act:
            runs.begin(_kept(journal, owner=acts.actor))
            missed: dict[str, str] = {}
            work = replace(
                _work(within(rig(), act), asked, search=_search(acts, asked)),
                keep=lambda cycles, metrics: runs.note(journal.head.id, cycles=cycles, metrics=metrics),
                missed=lambda reasons: _only(missed, reasons), more=plugged.more, noted=plugged.notes)
            records, advice = _ran(journal, work, runs, data=Path(asked.data))
            made = replace(_result(journal.head.id, asked, records, advice), unmeasured=missed)
            runs.end(journal.head.id, "stopped" if advice.stop else "done")
            act.end("stopped" if advice.stop else "done", iterations=made.iterations, kept=len(made.kept),
                    candidates=particulars.some([f"{'kept' if one.kept else 'dropped'} {one.origin} {one.place}: "
                                                 f"{one.why}" for one in made.tried]))
        runs.close()
    return replace(made, notes=(*made.notes, *act.remarks))


def _ran(
    journal: Journal, work: Work, runs: RunStore, *, data: Path,
) -> tuple[tuple[Mapping[str, Any], ...], Advice]:
    """Where what was asked cannot be done, such as sections that there are none of, the run has failed."""
    try:
        return run(journal, work, data=data)
    except UsageError:
        runs.end(journal.head.id, "failed")
        if not journal.finished:
            discard(journal.folder)
        raise


def _options(journal: Journal, max_iterations: int | None) -> dict[str, Any]:
    """Those of ``Cycles``, as they were given when the run was begun; how far it goes may be said anew."""
    told = {name: value for name, value in journal.head.options.items() if name != "started"}
    check_options(told, Cycles.__dataclass_fields__.keys() - {"tell"}, what="a run of cycles", see="Cycles")
    most = {} if max_iterations is None else {"max_iterations": max_iterations}
    return {"max_iterations": 10, **told, **most, "data": str(journal.folder.parents[1])}


def _counting(
    journal: Journal, tell: Callable[[str, float | None], None] | None, *, of: int,
) -> Callable[[str, float | None], None] | None:
    if tell is None:
        return None
    return lambda words, share: tell(f"cycle {journal.finished + 1} of {of}: {words}", share)


def _search(acts: Acts, asked: Cycles) -> Search:
    return Search(
        seconds=asked.improve_seconds, brainstorm=asked.brainstorm(), model=asked.model,
        spend=lambda price: acts.spend(price, purpose=f"cycles: a model's answer ({asked.model})",
                                       project=str(asked.project)))


def _work(rig: Rig, asked: Cycles, *, search: Search) -> Work:
    def simulate(folder: Path, scenarios: tuple[Scenario, ...], seed: int) -> Simulation:
        wanted = Simulate(project=folder, seed=seed, calls=asked.calls, seconds=asked.seconds, measure=False,
                          cover=True, edges=asked.edges, most_edges=_MOST_EDGES, edge_seconds=_EDGE_SECONDS,
                          sections=tuple(asked.sections), tell=asked.tell)
        made = simulated(rig, wanted, scenarios)
        left = {one.name: unreal(one, levels=(str(rig.sandbox.level),)) for one in scenarios}
        return replace(made, conditions={name: (*some, *made.conditions.get(name, ())) for name, some in left.items()})

    def improve(folder: Path, seed: int, before: Sequence[Mapping[str, Any]]) -> Looked:
        tell("looking for a change that helps", None)
        return look(rig, search, folder, seed=seed, before=before)

    tell = asked.tell or (lambda *_: None)
    reading = Reading(scan=lambda folder, paths: scan(rig, folder, paths))
    return Work(
        project=Path(asked.project), simulate=simulate, read=reading.still,
        scenarios=lambda seed: _scenarios(asked, seed),
        improve=improve if asked.improve else lambda *_: Looked(),
        objective=OBJECTIVE, max_iterations=asked.max_iterations)


def _only(known: dict[str, str], reasons: Mapping[str, str]) -> None:
    """Of the last ones alone."""
    known.clear()
    known.update(reasons)


def _scenarios(asked: Cycles, seed: int) -> tuple[Scenario, ...]:
    if asked.presets is not None:
        return scenarios_of(Simulate(project=asked.project, presets=asked.presets, seed=seed))
    return scenarios_of(Simulate(project=asked.project, preset_count=asked.preset_count, seed=seed))


def _result(name: str, asked: Cycles, records: Sequence[Mapping[str, Any]], advice: Advice) -> CyclesResult:
    modules: dict[str, float] = {}
    scenarios: dict[str, float] = {}
    for one in cycles_in(records):
        scenarios[one.scenario] = scenarios.get(one.scenario, 0.0) + one.roi
        for module, share in one.modules.items():
            modules[module] = modules.get(module, 0.0) + share
    return CyclesResult(
        run=name, data=asked.data, iterations=len(records), gains=tuple(gains(records)), metrics=summary(records),
        modules=dict(sorted(modules.items(), key=lambda pair: -pair[1])), scenarios=scenarios,
        kept=tuple(diff for record in records for diff in record["kept"]), advice=advice,
        tried=tried_in(records), notes=tuple(dict.fromkeys(note for record in records
                                                           for note in record.get("notes", ()))))
