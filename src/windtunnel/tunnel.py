"""The composition root: settings become a rig, and the rig the public object."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from windtunnel import config
from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.ports import Languages, Rig, Sandbox, Warms
from windtunnel.core.randomness import fresh_id
from windtunnel.core.result import ExecutionResult, Level, Reason
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.builds import LazyBuilds
from windtunnel.engine.given import Changes, Project, changes_of, trial_of
from windtunnel.engine.opening import history_of, own_languages
from windtunnel.engine.record import UNRECORDED
from windtunnel.engine.run import Snippet, prepare, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.choose import choose, decide

if TYPE_CHECKING:
    from windtunnel.core.analysis import Analysis
    from windtunnel.core.approval import Approval
    from windtunnel.core.deed import Deed
    from windtunnel.core.gate import GateResult
    from windtunnel.core.mutation import MutationResult
    from windtunnel.core.plan import ExecutionReport, TaskPlan
    from windtunnel.core.problem import Diagnosis
    from windtunnel.core.repair import FixResult
    from windtunnel.core.simulation import Simulation
    from windtunnel.core.trial import SandboxResult
    from windtunnel.engine.cycles.desk import CycleDesk
    from windtunnel.engine.images import Built
    from windtunnel.engine.improve.improvement import Improvement
    from windtunnel.engine.keys import KeyDesk
    from windtunnel.engine.plans import Plans
    from windtunnel.engine.record import Act
    from windtunnel.engine.simulate.workflows import WorkflowsAsked, WorkflowsUnder
    from windtunnel.engine.status import Status
    from windtunnel.engine.tournament import Ranked
    from windtunnel.engine.workspaces.verbs import Workspaces
    from windtunnel.sandbox.container.engine import Engine
    from windtunnel.sandbox.container.image_build import Plan
    from windtunnel.sandbox.vm.disk_boot import DiskBoot
    from windtunnel.store.allowances import Allowances
    from windtunnel.store.approvals import Approvals
    from windtunnel.store.audit.log import AuditLog
    from windtunnel.workspace.journal import Entry
    from windtunnel.workspace.recovery import Around

_GPUS = r"|all|[0-9]{1,3}|device=[A-Za-z0-9][A-Za-z0-9:._-]*(,[A-Za-z0-9][A-Za-z0-9:._-]*)*"


class Tunnel:
    """Runs programs that nobody trusts yet. Safe to use from many threads; make one and keep it."""

    def __init__(
        self, settings: config.Settings | None = None, *, level: Level | str | None = None,
        min_isolation: Level | str | None = None, pool_size: int | None = None, use_docker_api: bool = True,
        gpus: str = "", tell: Callable[[str], None] | None = None, approval_seconds: float = 0.0,
    ) -> None:
        """Nothing is started before the first run.

        At the container level ``use_docker_api`` prefers the engine's socket to its command line, ``gpus`` is handed on
        to it, and ``tell`` hears of images as they are fetched. ``approval_seconds`` is how long an act waits for a
        person where a policy asks for one.
        """
        self.settings = settings or config.load()
        self.level = _level(level, field="level") if level is not None else None
        self.min_isolation = _level(min_isolation or self.settings.min_isolation, field="min_isolation")
        if pool_size is not None:
            self.settings = replace(self.settings, pool_size=pool_size)
        self.pool_size = self.settings.pool_size
        self.languages = LanguageTable(own_languages(self.settings))
        if not re.fullmatch(_GPUS, gpus):
            raise UsageError(f"gpus: {gpus[:40]!r} is not all, a number or device=NAME,NAME", field="gpus")
        self._use_docker_api, self._gpus, self._tell = use_docker_api, gpus, tell or (lambda _: None)
        self.session = fresh_id()
        """What all acts of this object belong to, in the audit log."""
        self._acts = Acts(self.settings, session=self.session, approval_seconds=approval_seconds, tell=self._tell)
        self.history = history_of(self.settings, self._acts)
        self._rig: Rig | None = None
        self._workspaces: Workspaces | None = None
        self._plans: Plans | None = None
        self._lock = threading.Lock()
        self._origin: Tunnel | None = None
        """Of what one person uses, the tunnel that it is a part of."""
        self._share: Callable[[Rig], Rig] = lambda rig: rig

    @property
    def rig(self) -> Rig:
        """One of each part; made on first use."""
        with self._lock:
            if self._rig is None and self._origin is not None:
                self._rig = self._share(self._origin.rig)
            if self._rig is None:
                sandbox, languages = self._walls(self.pool_size)
                self._rig = Rig(
                    sandbox=sandbox, languages=languages, history=self.history, caps=self.settings.caps,
                    builds=LazyBuilds(self.settings.cache_dir / "builds"), allow_network=self.settings.allow_network,
                    default_limits=self.settings.default_limits, cache_dir=str(self.settings.cache_dir),
                    trial_seconds=self.settings.trial_seconds, tampering=self.settings.tamper, gate=self.settings.gate,
                    private=(str(self.settings.state_dir), str(self.settings.cache_dir)))
            return self._rig

    def _walls(self, pool_size: int) -> tuple[Sandbox, Languages]:
        """The sandbox, and the languages as it finds them."""
        level = decide(level=self.level, min_isolation=self.min_isolation)
        if self._gpus and level is not Level.CONTAINER:
            raise UsageError(f"gpus: only the container level can hand them on, and this is the {level} level",
                             field="gpus")
        if level not in (Level.CONTAINER, Level.VM):
            return choose(level=self.level, min_isolation=self.min_isolation, pool_size=pool_size), self.languages
        from windtunnel.engine import levels  # noqa: PLC0415 -- who does not ask for them does not load them

        if level is Level.VM:
            return levels.vm(cache_dir=self.settings.cache_dir, pool_size=pool_size), self.languages
        settings = self.settings
        return levels.container(
            self.languages, engine=settings.engine, sdk=self._use_docker_api, own=settings.images, pull=settings.pull,
            runtime=settings.runtime, gpus=self._gpus, pool_size=pool_size, tell=self._tell)

    def run(self, code: str | bytes, language: str = "python", **options: Any) -> ExecutionResult:  # noqa: ANN401 -- Snippet's own
        """Run a program; the options are the fields of ``Snippet``."""
        for name in options.keys() - Snippet.__dataclass_fields__.keys():
            raise UsageError(f"{name}: not an option of a run (see Snippet for those there are)", field=name)
        snippet = Snippet(code=code, language=language, **options)
        with self._acts.act("run", lambda: particulars.of_snippet(snippet), exact=lambda: snippet,
                            request=lambda: _asked().of_run(snippet, level=self.level)) as act:
            result = run(within(self.rig, act), snippet)
            if act.recorded:
                act.end(particulars.outcome(result), subject=result.id, **particulars.of_result(result))
        return replace(result, enforced={**result.enforced, UNRECORDED: act.unrecorded}) if act.unrecorded else result

    def try_change(self, project: Project, changes: Changes, **options: Any) -> SandboxResult:  # noqa: ANN401 -- Trial's own
        """The verdict on a change that is not applied; the options are the fields of ``Trial``."""
        from windtunnel.engine.trial import try_change  # noqa: PLC0415 -- who only runs programs does not load it

        changes = changes_of(changes)
        trial = trial_of(project, changes, options)
        self._ready()
        with self._acts.act("trial", lambda: particulars.of_trial(trial, changes), project=str(project),
                            exact=lambda: (trial, changes),
                            request=lambda: _asked().of_try(trial, changes, level=self.level)) as act:
            told = self._recover(act)
            result = try_change(within(self.rig, act), trial)
            act.end(str(result.verdict), subject=result.id, **particulars.of_verdict(result))
            self._remember(_deeds().of_trial(result, project=str(Path(project).resolve())))
        unrecorded = (f"not written down: {act.unrecorded}",) if act.unrecorded else ()
        lowered = act.purse.notes if act.purse is not None else ()
        return replace(result, notes=(*told, *result.notes, *lowered, *unrecorded))

    def rank(self, project: Project, candidates: Mapping[str, Changes], **options: Any) -> tuple[Ranked, ...]:  # noqa: ANN401
        """Several changes by name, each tried from one baseline; best first."""
        from windtunnel.engine.tournament import Candidate, tournament  # noqa: PLC0415

        trial = trial_of(project, (), options)
        entered = [Candidate(name=name, changes=changes_of(given)) for name, given in candidates.items()]
        every = ChangeSet(changes=tuple(change for one in entered for change in one.changes))
        self._ready()
        with self._acts.act("rank", lambda: particulars.of_candidates(trial, entered), project=str(project),
                            exact=lambda: (trial, entered),
                            request=lambda: _asked().of_try(trial, every, level=self.level, verb="rank")) as act:
            self._recover(act, tell=self._tell)
            begun = time.monotonic()
            ranked = tournament(within(self.rig, act), trial, entered)
            act.end("done", places=particulars.of_places(ranked))
            for one in ranked:
                if one.result is not None and one.same_as is None:
                    self._acts.note("trial", str(one.result.verdict), parent=act, subject=one.result.id,
                                    candidate=one.name, **particulars.of_verdict(one.result))
            taken = time.monotonic() - begun
            self._remember(*_deeds().of_rank(ranked, project=str(Path(project).resolve()), seconds=taken))
        return ranked

    def gate(self, project: Project, changes: Changes, **options: Any) -> GateResult:  # noqa: ANN401 -- Gate's own
        """Whether the tests would have noticed a change that is not applied; the options are the fields of ``Gate``."""
        from windtunnel.engine.gate_act import gate  # noqa: PLC0415 -- who only runs programs does not load it

        return gate(self._acts, lambda: self.rig, project, changes_of(changes), options=options, level=self.level)

    def mutate(self, project: Project, **options: Any) -> MutationResult:  # noqa: ANN401 -- Mutation's own
        """What becomes of seeded defects; the options are the fields of ``Mutation``, and ``keep``."""
        from windtunnel.engine.mutation_act import mutate  # noqa: PLC0415 -- who only runs programs does not load it
        return mutate(self._acts, lambda: self.rig, project, options=options, level=self.level)

    def diagnose(self, project: Project, **options: Any) -> Diagnosis:  # noqa: ANN401 -- Diagnose's own
        """What is wrong with a project, ranked; the options are the fields of ``Diagnose``."""
        from windtunnel.engine.diagnose_act import diagnose  # noqa: PLC0415 -- who only runs programs does not load it
        return diagnose(self._acts, lambda: self.rig, project, options=options, level=self.level)

    def analyze(self, project: Project, **options: Any) -> Analysis:  # noqa: ANN401 -- Analyze's own
        """What a project is; the options are the fields of ``Analyze``. Nothing runs but for ``coverage``."""
        from windtunnel.engine.analyze_act import analyze_project  # noqa: PLC0415 -- who only runs programs does not load it

        return analyze_project(self._acts, project, options=options, workspaces=lambda: self.workspaces)

    def simulate(self, project: Project, **options: Any) -> Simulation:  # noqa: ANN401 -- Simulate's own
        """Which functions break under which conditions; the options are the fields of ``Simulate``."""
        from windtunnel.engine.simulate.act import simulate_project  # noqa: PLC0415 -- who only runs programs does not load it
        return simulate_project(self._acts, lambda: self.rig, project, options=options, level=self.level)

    def simulate_workflows(self, asked: WorkflowsAsked) -> tuple[WorkflowsUnder, ...]:
        """Workflows of a database under scenarios: each alone, and all of them combined."""
        from windtunnel.engine.simulate.workflows import simulate_workflows  # noqa: PLC0415 -- few have any

        return simulate_workflows(self._acts, lambda: self.rig, asked, level=self.level)

    @property
    def cycles(self) -> CycleDesk:
        """Runs of cycles: simulated, improved and measured again, until nothing is gained any more."""
        from windtunnel.engine.cycles.desk import CycleDesk  # noqa: PLC0415 -- few run any

        return CycleDesk(self._acts, lambda: self.rig, level=self.level)

    def fix(self, project: Project, **options: Any) -> FixResult:  # noqa: ANN401 -- Fix's own
        """A proven fix of a failing project, where one is found; the options are the fields of ``Fix``."""
        from windtunnel.engine.fix.act import fix  # noqa: PLC0415 -- who only runs programs does not load it
        return fix(self._acts, lambda: self.rig, project, options=options, level=self.level, apply=self.apply,
                   remember=self._remember)

    def improve(self, project: Project, **options: Any) -> Improvement:  # noqa: ANN401 -- Improve's own
        """A project made faster where that can be proven; the options are the fields of ``Improve``."""
        from windtunnel.engine.improve.act import improve  # noqa: PLC0415 -- who only runs programs does not load it
        return improve(self._acts, lambda: self.rig, project, options=options, level=self.level, apply=self.apply,
                       remember=self._remember)

    def apply(self, project: Project, result: SandboxResult) -> str:
        """Write a change into the project that was found good there, if its files are still as the trial saw them.

        Gives the entry of the journal, by which ``undo`` takes it back.
        """
        from windtunnel.workspace.promote import promote  # noqa: PLC0415

        if not result.success:
            raise UsageError("result: the verdict is not good, so nothing is applied", field="result")
        root = Path(project).resolve()
        self._ready()
        with self._acts.act("apply", lambda: particulars.of_apply(result), project=str(root), parent=result.id,
                            exact=lambda: particulars.of_written(result),
                            request=lambda: _asked().of_change("apply", result.changes, project=root)) as act:
            self._recover(act, tell=self._tell)
            before = self._acts.kept(root, result.changes.paths)
            entry = promote(root, result.changes, seen=result.seen, folder=self.journal, trial=result.id,
                            around=self._around(act, tell=self._tell))
            act.end("done", subject=entry, trial=result.id, before=before,
                    after=self._acts.kept(root, result.changes.paths))
            self._remember(_deeds().of_apply(result, project=str(root)))
        return entry

    def undo(self, project: Project, entry: str | None = None, *, force: bool = False) -> Entry:
        """Take back what was applied last, or the entry named; ``force`` also where files have changed since.

        What a crash left half applied or half taken back comes first: that is brought to its end, and nothing else.
        """
        from windtunnel.workspace.promote import meant, undo  # noqa: PLC0415

        root = Path(project).resolve()
        found = meant(root, folder=self.journal, entry=entry)
        name, paths = (entry, ()) if found is None else (found.id, found.paths)
        inputs = {"entry": name, "force": force}
        self._ready()
        with self._acts.act("undo", lambda: inputs, project=str(root), parent=name or "",
                            request=lambda: _asked().of_paths("undo", paths)) as act:
            if found is not None and found.state == "applied":
                self._recover(act, tell=self._tell)  # what else there is, before this one's files are looked at
            before = self._acts.kept(root, paths)
            undone = undo(root, folder=self.journal, entry=name, force=force,
                          around=self._around(act, tell=self._tell))
            act.end("done", subject=undone.id, trial=undone.trial, before=before,
                    after=self._acts.kept(root, undone.paths))
            self._remember(_deeds().of_undo(undone.paths, project=str(root), trial=undone.trial))
        return undone

    def _ready(self) -> None:
        """Raise now what would keep an act out of the history later."""
        if self.history is not None:
            self.history.ready()

    def _remember(self, *told: Deed) -> None:
        """In the history, before anybody is told."""
        if self.history is not None:
            for deed in told:
                self.history.remember(deed)

    def applied(self, project: Project | None = None) -> list[Entry]:
        """What was applied, newest first; in one project, or in all."""
        from windtunnel.workspace.promote import entries  # noqa: PLC0415

        return entries(self.journal, None if project is None else Path(project).resolve())

    def recover(self) -> list[str]:
        """Finish or take back what a crash left half applied, and say what was done; it is written down."""
        return self._recover(None)

    def _recover(self, parent: Act | None, *, tell: Callable[[str], None] = lambda _: None) -> list[str]:
        if not self.journal.is_dir():
            return []
        from windtunnel.workspace.promote import recover  # noqa: PLC0415

        return recover(self.journal, around=self._around(parent, tell=tell))

    def _around(self, parent: Act | None, *, tell: Callable[[str], None]) -> Around:
        """Writes each recovery down before it begins."""
        from windtunnel.engine.recovering import recorded  # noqa: PLC0415 -- runs change no project

        return recorded(self._acts, parent=parent.id if parent is not None else "", tell=tell)

    def commit(self, project: Project, result: SandboxResult, *, message: str) -> str:
        """Commit a change that was applied, with the receipt of its trial in trailers; the commit's hash."""
        return str(_upkeep().commit(self._acts, project, result, message=message))

    def build_images(self, engine: Engine, planned: Sequence[Plan]) -> list[Built]:
        """Make images for the container level."""
        return list(_upkeep().build_images(self._acts, engine, planned, tell=self._tell))

    def remove_images(self, engine: Engine, wanted: Sequence[str] = (), *, everything: bool = False) -> list[str]:
        """Forget images that were made here: those named, or all of them."""
        return list(_upkeep().remove_images(self._acts, engine, self.languages, wanted=wanted, everything=everything))

    def prune_history(self, *, keep: int | None = None, days: float | None = None) -> int:
        """Forget the oldest runs and trials; how many were forgotten."""
        history = self.history or history_of(replace(self.settings, history=True), self._acts)
        return int(_upkeep().prune_history(self._acts, history, keep=keep, days=days))

    def spend(self, price: str, *, purpose: str, project: Project = "") -> None:
        """Take money from the budgets before it is spent, such as ``0.02 USD``; ``BudgetSpent`` where there is none."""
        self._acts.spend(price, purpose=purpose, project=str(project))

    @property
    def allowances(self) -> Allowances:
        """What was spent of the budgets of policies."""
        return self._acts.allowances

    @property
    def journal(self) -> Path:
        """Where it is written down what was applied."""
        return self.settings.state_dir / "journal"

    def boot_disk(self, image: Project | None = None, **options: Any) -> DiskBoot:  # noqa: ANN401 -- Boot's own
        """Start a disk of your own behind the vm level's walls; the options are the fields of ``Boot``."""
        from windtunnel.engine.boot import Boot, boot, of_boot, of_told  # noqa: PLC0415 -- few need it

        for name in options.keys() - (Boot.__dataclass_fields__.keys() - {"image"}):
            raise UsageError(f"{name}: not an option of a disk (see Boot for those there are)", field=name)
        wanted, settings = Boot(image=image, **options), self.settings
        with self._acts.act("boot", lambda: of_boot(wanted), exact=lambda: wanted,
                            request=lambda: _asked().of_paths("vm boot", ())) as act, _upkeep().paid_boot(
                                act, wanted) as paid:
            told = boot(paid, caps=settings.caps, most_seconds=settings.trial_seconds, tell=self._tell)
            ended = "done" if told.reason is Reason.EXITED else str(told.reason)
            act.end(ended, subject=str(image or ""), **of_told(told))
        return told

    @property
    def workspaces(self) -> Workspaces:
        """Copies of projects that are kept, of whoever this acts for."""
        if self._workspaces is None:
            from windtunnel.engine.workspaces.verbs import Workspaces  # noqa: PLC0415 -- few keep any

            self._workspaces = Workspaces(self._acts, lambda: self.rig, level=self.level, journal=self.journal)
        return self._workspaces

    @property
    def plans(self) -> Plans:
        """What is to be done with projects, in which order, and how far it got; of whoever this acts for."""
        if self._plans is None:
            from windtunnel.engine.plans import Plans  # noqa: PLC0415 -- few plan anything

            self._plans = Plans(self._acts, lambda: self.workspaces, rig=lambda: self.rig, level=self.level,
                                journal=self.journal)
        return self._plans

    def plan(self, request: str, where: Analysis | Project, **options: Any) -> TaskPlan:  # noqa: ANN401 -- those of Plans.create
        """What to do with a project, a kept workspace by its id or name, or what was analysed; asked in plain words."""
        from windtunnel.core.analysis import Analysis  # noqa: PLC0415
        from windtunnel.engine.plans import folder_of  # noqa: PLC0415

        known = where if isinstance(where, Analysis) else self.analyze(folder_of(self.workspaces, where))
        return self.plans.create(request, known, **options)

    def execute(self, plan: TaskPlan | str, **options: Any) -> ExecutionReport:  # noqa: ANN401 -- those of Plans.execute
        """Carry out a plan, or go on with it; the options are those of ``Plans.execute``."""
        return self.plans.execute(plan, **options)

    @property
    def audit(self) -> AuditLog:
        """The audit log of this user; made when it is first written to."""
        return self._acts.audit

    @property
    def approvals(self) -> Approvals:
        """What people were asked by a policy, and what they said."""
        return self._acts.approvals

    @property
    def acts_for(self) -> str:
        """In whose name acts are written down."""
        return self._acts.actor

    @property
    def keys(self) -> KeyDesk:
        """The keys of those who use a server; a new desk each time, for whoever asks to close."""
        from windtunnel.engine.keys import KeyDesk  # noqa: PLC0415 -- servers alone have keys

        return KeyDesk(self._acts)

    def decide(self, approval: str, *, approve: bool, note: str = "") -> Approval:
        """A person's word on what a policy asked; it is written down."""
        inputs = {"approval": approval, "note": note}
        with self._acts.act("approve" if approve else "deny", lambda: inputs) as act:
            decided = self.approvals.decide(approval, by=self._acts.actor, approve=approve, note=note)
            act.end("done", subject=decided.id, digest=decided.digest, requester=decided.requester, rule=decided.rule)
        return decided

    def acting(
        self, actor: str, roles: Sequence[str] = (), *, session: str = "", stop: Callable[[], bool] | None = None,
        tell: Callable[[str], None] | None = None, project: Project | None = None,
    ) -> Tunnel:
        """This tunnel as one person uses it: the same sandboxes and stores, their own name, roles and session.

        What they do is recorded under that name, and of the history they see their own. ``stop`` is asked now and then
        whether all that goes on here was cancelled. With a ``project`` its own configuration holds too, where that is
        stricter. Cheap to make; closing it leaves the shared one open.
        """
        from windtunnel.engine.acting import sharing, stricter  # noqa: PLC0415 -- servers alone have several users

        view = object.__new__(type(self))
        vars(view).update(vars(self))
        view.session, view._tell = session or fresh_id(), tell or self._tell
        if project is not None:
            view.settings = stricter(self.settings, config.load(project=Path(project)))
            view.min_isolation = view.settings.min_isolation
        view._acts = Acts(view.settings, session=view.session, tell=view._tell, actor=actor, roles=tuple(roles),
                          shared=self._acts)
        view.history = None if self.history is None else self.history.of(actor)
        view._lock, view._origin, view._rig = threading.Lock(), self, None
        view._workspaces = view._plans = None
        view._share = lambda rig: sharing(rig, view.settings, history=view.history, stop=stop)
        return view

    def status(self) -> Status:
        """Versions, levels, pool, caches and resource use, as they are now."""
        from importlib.metadata import version  # noqa: PLC0415 -- few ask

        from windtunnel.engine.status import status  # noqa: PLC0415 -- few ask

        level = str(decide(level=self.level, min_isolation=self.min_isolation))
        return status(self.settings, rig=self._made, version=version("windtunnel"), level=level)

    @property
    def pool(self) -> Mapping[str, object]:
        """How many sandboxes are to wait for a program, and how many do; nothing is started for it."""
        from windtunnel.engine.status import pool  # noqa: PLC0415 -- few ask

        return pool(self.settings, self._made)

    @property
    def _made(self) -> Rig | None:
        return self._origin._rig if self._origin is not None else self._rig  # noqa: SLF001 -- of the same class

    def warm_up(self, language: str = "python") -> None:
        """Have sandboxes waiting before the first run."""
        sandbox = self.rig.sandbox
        if isinstance(sandbox, Warms) and self.pool_size:
            sandbox.warm_up(prepare(self.rig, language))

    def recent(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs, newest first."""
        return self.history.recent(limit) if self.history is not None else []

    def close(self) -> None:
        """End all that waits."""
        if self._origin is not None:
            return
        if self._rig is not None:
            self._rig.sandbox.close()
        if self.history is not None:
            self.history.close()
        if self._workspaces is not None:
            self._workspaces.close()
        if self._plans is not None:
            self._plans.close()
        self._acts.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _deeds() -> ModuleType:
    """How trials are told in the history; runs do not load it."""
    from windtunnel.engine import deeds  # noqa: PLC0415

    return deeds


def _upkeep() -> ModuleType:
    """Acts on the machine; who only runs programs does not load them."""
    from windtunnel.engine import upkeep  # noqa: PLC0415

    return upkeep


def _asked() -> ModuleType:
    """What policies are asked; loaded where there is one."""
    from windtunnel.engine import requests  # noqa: PLC0415

    return requests


def _level(name: object, *, field: str) -> Level:
    try:
        return Level(name)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(map(str, Level))
        raise UsageError(f"{field}: {name!r} is not a level (one of {known})", field=field) from None
