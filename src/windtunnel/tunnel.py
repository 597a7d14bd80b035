"""The composition root: settings become a rig, and the rig the public object."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from windtunnel import config
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language
from windtunnel.core.ports import Languages, Rig, Sandbox, Warms
from windtunnel.core.result import Artifact, ExecutionResult, Level
from windtunnel.engine.run import Snippet, prepare, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.choose import choose, decide

if TYPE_CHECKING:
    from windtunnel.core.trial import SandboxResult
    from windtunnel.engine.tournament import Ranked
    from windtunnel.engine.trial import Trial
    from windtunnel.store.builds import Builds
    from windtunnel.store.history import SqliteHistory
    from windtunnel.workspace.journal import Entry

_GPUS = r"|all|[0-9]{1,3}|device=[A-Za-z0-9][A-Za-z0-9:._-]*(,[A-Za-z0-9][A-Za-z0-9:._-]*)*"
Project = str | os.PathLike[str]
Changes = ChangeSet | Sequence[FileChange]


class Tunnel:
    """Runs programs that nobody trusts yet. Safe to use from many threads; make one and keep it."""

    def __init__(
        self, settings: config.Settings | None = None, *, level: Level | str | None = None,
        min_isolation: Level | str | None = None, pool_size: int | None = None, use_docker_api: bool = True,
        gpus: str = "", tell: Callable[[str], None] | None = None,
    ) -> None:
        """Nothing is started before the first run.

        At the container level ``use_docker_api`` prefers the engine's socket to its command line, ``gpus`` is handed on
        to it, and ``tell`` hears of images as they are fetched.
        """
        self.settings = settings or config.load()
        self.level = _level(level, field="level") if level is not None else None
        self.min_isolation = _level(min_isolation or self.settings.min_isolation, field="min_isolation")
        if pool_size is not None:
            self.settings = replace(self.settings, pool_size=pool_size)
        self.pool_size = self.settings.pool_size
        self.languages = LanguageTable(_own_languages(self.settings))
        self.history = _history(self.settings)
        if not re.fullmatch(_GPUS, gpus):
            raise UsageError(f"gpus: {gpus[:40]!r} is not all, a number or device=NAME,NAME", field="gpus")
        self._use_docker_api, self._gpus, self._tell = use_docker_api, gpus, tell or (lambda _: None)
        self._rig: Rig | None = None
        self._lock = threading.Lock()

    @property
    def rig(self) -> Rig:
        """One of each part; made on first use."""
        with self._lock:
            if self._rig is None:
                sandbox, languages = self._walls()
                self._rig = Rig(
                    sandbox=sandbox, languages=languages, history=self.history, caps=self.settings.caps,
                    builds=_LazyBuilds(self.settings.cache_dir / "builds"), allow_network=self.settings.allow_network,
                    default_limits=self.settings.default_limits, cache_dir=str(self.settings.cache_dir),
                    trial_seconds=self.settings.trial_seconds,
                    private=(str(self.settings.state_dir), str(self.settings.cache_dir)))
            return self._rig

    def _walls(self) -> tuple[Sandbox, Languages]:
        """The sandbox, and the languages as it finds them."""
        level = decide(level=self.level, min_isolation=self.min_isolation)
        if self._gpus and level is not Level.CONTAINER:
            raise UsageError(f"gpus: only the container level can hand them on, and this is the {level} level",
                             field="gpus")
        if level not in (Level.CONTAINER, Level.VM):
            return choose(level=self.level, min_isolation=self.min_isolation, pool_size=self.pool_size), self.languages
        from windtunnel.engine import levels  # noqa: PLC0415 -- who does not ask for them does not load them

        if level is Level.VM:
            return levels.vm(cache_dir=self.settings.cache_dir, pool_size=self.pool_size), self.languages
        settings = self.settings
        return levels.container(
            self.languages, engine=settings.engine, sdk=self._use_docker_api, own=settings.images, pull=settings.pull,
            runtime=settings.runtime, gpus=self._gpus, pool_size=self.pool_size, tell=self._tell)

    def run(self, code: str | bytes, language: str = "python", **options: Any) -> ExecutionResult:  # noqa: ANN401 -- Snippet's own
        """Run a program; the options are the fields of ``Snippet``."""
        for name in options.keys() - Snippet.__dataclass_fields__.keys():
            raise UsageError(f"{name}: not an option of a run (see Snippet for those there are)", field=name)
        return run(self.rig, Snippet(code=code, language=language, **options))

    def try_change(self, project: Project, changes: Changes, **options: Any) -> SandboxResult:  # noqa: ANN401 -- Trial's own
        """The verdict on a change that is not applied; the options are the fields of ``Trial``."""
        from windtunnel.engine.trial import try_change  # noqa: PLC0415 -- who only runs programs does not load it

        changes = _changes(changes)
        trial = _trial(project, changes, options)
        told = self.recover()
        result = try_change(self.rig, trial)
        return replace(result, notes=(*told, *result.notes))

    def rank(self, project: Project, candidates: Mapping[str, Changes], **options: Any) -> tuple[Ranked, ...]:  # noqa: ANN401
        """Several changes by name, each tried from one baseline; best first."""
        from windtunnel.engine.tournament import Candidate, tournament  # noqa: PLC0415

        trial = _trial(project, (), options)
        self.recover()
        return tournament(self.rig, trial, [
            Candidate(name=name, changes=_changes(given)) for name, given in candidates.items()])

    def apply(self, project: Project, result: SandboxResult) -> str:
        """Write a change into the project that was found good there, if its files are still as the trial saw them.

        Gives the entry of the journal, by which ``undo`` takes it back.
        """
        from windtunnel.workspace.promote import promote  # noqa: PLC0415

        if not result.success:
            raise UsageError("result: the verdict is not good, so nothing is applied", field="result")
        return promote(Path(project).resolve(), result.changes, seen=result.seen, folder=self.journal, trial=result.id)

    def undo(self, project: Project, entry: str | None = None, *, force: bool = False) -> Entry:
        """Take back what was applied last, or the entry named; ``force`` also where files have changed since."""
        from windtunnel.workspace.promote import undo  # noqa: PLC0415

        return undo(Path(project).resolve(), folder=self.journal, entry=entry, force=force)

    def applied(self, project: Project | None = None) -> list[Entry]:
        """What was applied, newest first; in one project, or in all."""
        from windtunnel.workspace.promote import entries  # noqa: PLC0415

        return entries(self.journal, None if project is None else Path(project).resolve())

    def recover(self) -> list[str]:
        """Finish or take back what a crash left half applied, and say what was done."""
        if not self.journal.is_dir():
            return []
        from windtunnel.workspace.promote import recover  # noqa: PLC0415

        return recover(self.journal)

    @property
    def journal(self) -> Path:
        """Where it is written down what was applied."""
        return self.settings.state_dir / "journal"

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
        if self._rig is not None:
            self._rig.sandbox.close()
        if self.history is not None:
            self.history.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _trial(project: Project, changes: Changes, options: Mapping[str, Any]) -> Trial:
    from windtunnel.engine.trial import Trial  # noqa: PLC0415

    for name in options.keys() - (Trial.__dataclass_fields__.keys() - {"project", "changes"}):
        raise UsageError(f"{name}: not an option of a trial (see Trial for those there are)", field=name)
    if not isinstance(project, str | os.PathLike):
        raise UsageError(f"project: not a path: {type(project).__name__}", field="project")
    return Trial(project=project, changes=changes, **options)


def _changes(given: Changes) -> ChangeSet:
    if isinstance(given, ChangeSet):
        return given
    try:
        return ChangeSet(changes=tuple(given))
    except TypeError:
        raise UsageError(f"changes: not a list of FileChange: {type(given).__name__}", field="changes") from None


def _level(name: object, *, field: str) -> Level:
    try:
        return Level(name)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(map(str, Level))
        raise UsageError(f"{field}: {name!r} is not a level (one of {known})", field=field) from None


def _own_languages(settings: config.Settings) -> list[Language]:
    if not settings.languages:
        return []
    from windtunnel.languages.custom import language_from  # noqa: PLC0415 -- few have any

    return [language_from(given) for given in settings.languages]


def _history(settings: config.Settings) -> SqliteHistory | None:
    if not settings.history:
        return None
    from windtunnel.store.history import SqliteHistory  # noqa: PLC0415 -- where it is switched off, not even loaded

    return SqliteHistory(settings.state_dir / "history.db")


class _LazyBuilds:
    """The build cache, loaded when the first compiled program comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._builds: Builds | None = None

    def get(self, key: str) -> Mapping[str, Artifact] | None:
        return self._loaded().get(key)

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        self._loaded().put(key, products)

    def _loaded(self) -> Builds:
        if self._builds is None:
            from windtunnel.store.builds import Builds  # noqa: PLC0415

            self._builds = Builds(self._folder)
        return self._builds
