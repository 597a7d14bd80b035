"""What can be done with kept workspaces, in one owner's name."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fcntl import LOCK_SH
from pathlib import Path
from typing import Any, Literal

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.limits import GIB
from windtunnel.core.policy import Request
from windtunnel.core.ports import Network, Rig
from windtunnel.core.randomness import fresh_id
from windtunnel.core.result import Artifact, ExecutionResult, Level
from windtunnel.core.workspace import Snapshot, Workspace
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.given import Project, check_options
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.requests import of_change, of_paths
from windtunnel.engine.workspaces.executing import Execution, check_execution, execute, told_of
from windtunnel.engine.workspaces.sources import source_of
from windtunnel.store.workspaces import WorkspaceList
from windtunnel.workspace import beneath
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.kept.difference import difference
from windtunnel.workspace.kept.home import BEGINNING, Home, check_name, locked, sweep
from windtunnel.workspace.kept.trees import Room, share_tree
from windtunnel.workspace.patch_text import write_patch
from windtunnel.workspace.paths import check_path
from windtunnel.workspace.promote import promote

IDLE_SECONDS, LIFE_SECONDS = 24 * 3600.0, 7 * 24 * 3600.0
_MOST_SECONDS = 365 * 24 * 3600.0
_MOST_FILES, _MOST_BYTES = 500_000, 8 * GIB
_MOST_READ = 64 * 1024**2
_SWEEP_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One entry of a workspace's folder."""

    path: str
    kind: Literal["file", "folder", "link"]
    size: int
    executable: bool = False


class Workspaces:
    """Those of one owner; safe to use from many threads."""

    def __init__(
        self, acts: Acts, rig: Callable[[], Rig], *, level: Level | None, journal: Path,
    ) -> None:
        """``rig`` is asked for when something is to run."""
        self._acts, self._rig, self._level, self._journal = acts, rig, level, journal
        state = acts.settings.state_dir
        self._private = (str(state), str(acts.settings.cache_dir))
        self._folder = state / "workspaces"
        self._list = WorkspaceList(state / "workspaces.db")
        self._swept = 0.0

    @property
    def owner(self) -> str:
        """In whose name."""
        return self._acts.actor

    def create(
        self, source: Project | None = None, *, name: str = "", commit: str = "", idle_seconds: float | None = None,
        life_seconds: float | None = None,
    ) -> Workspace:
        """A copy of a folder or of a git repository, or an empty one; its name is one that you do not have yet."""
        found = source_of(source, commit=commit, private=self._private, room=_room)
        made = self._new(name, idle_seconds, life_seconds)
        made = replace(made, origin=found.origin, source=found.told)
        inputs = {"source": found.told, "name": made.name, "commit": commit}
        with self._acts.act("workspace create", lambda: inputs, request=lambda: _request("workspace create"),
                            project=found.told if found.origin == "path" else "") as act:
            commits: list[str] = []
            made = self._begin(made, lambda tree: commits.append(found.fill(tree)), commits=commits)
            act.end("done", subject=made.id, commit=made.commit)
        return made

    def _new(self, name: str, idle_seconds: float | None, life_seconds: float | None) -> Workspace:
        self.sweep_if_due()
        id_, now = fresh_id()[:16], datetime.now(UTC)
        return Workspace(
            id=id_, owner=self.owner, name=check_name(name, field="name") if name else id_, made=now, used=now,
            idle_seconds=_seconds(idle_seconds, IDLE_SECONDS, field="idle_seconds"),
            life_seconds=_seconds(life_seconds, LIFE_SECONDS, field="life_seconds"))

    def _begin(
        self, made: Workspace, fill: Callable[[Path], Any], *, commits: Sequence[str] = (),
        beginning: Path | None = None,
    ) -> Workspace:
        """The files first and the row last: what has no row is nobody's, and is swept."""
        if any(one.name == made.name for one in self._list.all(owner=self.owner)):
            raise UsageError(f"name: you have a workspace named {made.name!r} already", field="name")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        home = self._home(made)
        with locked(self._folder, LOCK_SH):
            home.make(fill, beginning=beginning)
            made = replace(made, commit=commits[0] if commits else made.commit)
            try:
                self._list.add(made)
            except BaseException:
                home.remove()
                raise
        self._list.add_snapshot(made.id, Snapshot(name=BEGINNING, made=made.made, files=home.use()[0]))
        return self.get(made.id)

    def list(self) -> tuple[Workspace, ...]:
        """All of this owner, oldest first."""
        self.sweep_if_due()
        return tuple(self._measured(one) for one in self._list.all(owner=self.owner))

    def get(self, name: str) -> Workspace:
        """One by its id or name."""
        return self._measured(self._list.get(name, owner=self.owner))

    def _measured(self, found: Workspace) -> Workspace:
        home = self._home(found)
        try:
            files, size, running = home.use()
            return replace(found, path=str(home.tree), files=files, disk_bytes=size, running=running)
        except FileNotFoundError:  # removed since it was looked up
            return found

    def _home(self, workspace: Workspace) -> Home:
        return Home(self._folder / workspace.id)

    def _used(self, name: str) -> tuple[Workspace, Home]:
        found = self._list.get(name, owner=self.owner)
        if not _alive(found):
            self.sweep()
            raise NotFound(f"workspace: none is named {name!r:.80} (windtunnel workspaces lists them)",
                           field="workspace")
        self._list.touch(found.id)
        return found, self._home(found)

    def execute(self, name: str, command: str | Sequence[str], **options: Any) -> ExecutionResult:  # noqa: ANN401 -- Execution's own
        """Run a command over the workspace; the options are the fields of ``Execution``."""
        check_options(options, Execution.__dataclass_fields__.keys() - {"command"}, what="an execution",
                      see="Execution")
        asked = Execution(command=command, **options)
        check_execution(asked)
        found, home = self._used(name)
        told = {"workspace": found.id, "command": particulars.some([told_of(asked)]), "folder": asked.folder,
                "keep": asked.keep, "variables": particulars.some(sorted(asked.env))}
        with self._acts.act("execute command", lambda: told, exact=lambda: (found.id, replace(asked, on_output=None)),
                            request=lambda: _request("execute command", asked=asked, level=self._level)) as act:
            result = execute(within(self._rig(), act), home, asked)
            act.end(particulars.outcome(result), subject=found.id, **particulars.of_result(result))
            self._list.touch(found.id)
        return result

    @contextlib.contextmanager
    def held(self, name: str) -> Iterator[Path]:
        """The folder of its files for other verbs to work on; who changes the workspace meanwhile changes another."""
        _, home = self._used(name)
        with home.running() as tree:
            yield tree

    def apply(self, name: str, changes: ChangeSet, *, seen: Mapping[str, str | None]) -> Snapshot:
        """Write a change into the workspace, if its files are still as ``seen``; the snapshot of how it was before."""
        found, home = self._used(name)
        checked = check_changes(changes, project=home.tree)
        inputs = {"workspace": found.id, "paths": particulars.some(sorted(checked.paths))}
        with self._acts.act("workspace apply", lambda: inputs, exact=lambda: (inputs, checked),
                            request=lambda: of_change("workspace apply", checked, project=home.tree)) as act:
            with home.reading() as tree, beneath.opened(tree) as root:
                now = {path: beneath.find(root, path) for path in sorted(changes.paths)}
            if moved := [path for path, one in now.items() if (one.sha if one else None) != seen[path]]:
                raise UsageError(f"workspace: changed since the trial: {', '.join(moved[:10])}", field="workspace")
            before = self.snapshot(found.id)
            with home.receiving() as incoming:
                home.settle(incoming, {path: _dressed(artifact, now[path])
                                       for path, artifact in overlay_of(checked).items()})
            act.end("done", subject=found.id, snapshot=before.name)
        return before

    def read(self, name: str, path: str) -> bytes:
        """The content of one file."""
        _, home = self._used(name)
        check_path(path)
        with home.reading() as tree, beneath.opened(tree) as root, beneath.reading(root, path) as descriptor:
            if descriptor is None:
                raise NotFound(f"path: there is no file {path!r:.200} in the workspace", field="path")
            size = os.fstat(descriptor).st_size
            if size > _MOST_READ:
                raise UsageError(f"path: {size} bytes are more than {_MOST_READ} (look at parts of it with a command)",
                                 field="path")
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(_MOST_READ)

    def write(self, name: str, path: str, data: bytes, *, executable: bool | None = None) -> None:
        """Make a file or replace it; its mode stays where nothing is said of it."""
        _, home = self._used(name)
        check_path(path)
        if not isinstance(data, bytes) or len(data) > _MOST_READ:
            raise UsageError(f"data: not bytes, or more than {_MOST_READ}", field="data")
        with home.reading() as tree, beneath.opened(tree) as root:
            old = beneath.look_for_file(root, path)
        mode = (stat.S_IMODE(old.st_mode) & 0o777 if old is not None else 0o644)
        if executable is not None:
            mode = mode | 0o111 if executable else mode & ~0o111
        self._change(name, home, "workspace write", path, Artifact(data=data, mode=mode))

    def delete(self, name: str, path: str) -> None:
        """Remove a file or a folder with all in it."""
        _, home = self._used(name)
        check_path(path)
        with home.reading() as tree, beneath.opened(tree) as root:
            if beneath.look(root, path) is None:
                raise NotFound(f"path: there is nothing named {path!r:.200} in the workspace", field="path")
        self._change(name, home, "workspace delete", path, None)

    def _change(self, name: str, home: Home, kind: str, path: str, artifact: Artifact | None) -> None:
        inputs = {"workspace": name, "path": path, "bytes": 0 if artifact is None else len(artifact.data)}
        with self._acts.act(kind, lambda: inputs, exact=lambda: (inputs, artifact),
                            request=lambda: of_paths(kind, (path,))) as act, home.receiving() as incoming:
            home.settle(incoming, {path: artifact})
            act.end("done", subject=name)

    def files(self, name: str, folder: str = "", *, most: int = 1000) -> tuple[FileEntry, ...]:
        """What one folder holds, by name."""
        _, home = self._used(name)
        if folder:
            check_path(folder)
        with home.reading() as tree, beneath.opened(tree) as root:
            found = beneath.look(root, folder) if folder else os.fstat(root)
            if found is None or not stat.S_ISDIR(found.st_mode):
                raise NotFound(f"folder: there is no folder {folder!r:.200} in the workspace", field="folder")
            paths = [f"{folder}/{one}" if folder else one for one in sorted(beneath.names(root, folder))[:most]]
            return tuple(_entry(path, info) for path in paths if (info := beneath.look(root, path)) is not None)

    def changes(self, name: str, *, since: str = "") -> ChangeSet:
        """What is different now from the beginning, or from a snapshot."""
        _, home = self._used(name)
        with home.reading() as tree:
            return difference(home.snapshot_of(since or BEGINNING), tree)

    def diff(self, name: str, *, since: str = "") -> bytes:
        """The same as a patch."""
        _, home = self._used(name)
        before = home.snapshot_of(since or BEGINNING)
        with home.reading() as tree:
            return write_patch(difference(before, tree), project=before)

    def snapshot(self, name: str, snapshot: str = "") -> Snapshot:
        """Keep its files as they are now."""
        found, home = self._used(name)
        now = datetime.now(UTC)
        snapshot = snapshot or now.strftime("%Y%m%d-%H%M%S-") + fresh_id()[:6]
        inputs = {"workspace": found.id, "snapshot": snapshot}
        with self._acts.act("workspace snapshot", lambda: inputs,
                            request=lambda: _request("workspace snapshot")) as act:
            home.snapshot(snapshot)
            made = Snapshot(name=snapshot, made=now, files=home.use()[0])
            self._list.add_snapshot(found.id, made)
            act.end("done", subject=found.id)
        return made

    def restore(self, name: str, snapshot: str) -> Workspace:
        """Its files as they were; what is there now is gone."""
        found, home = self._used(name)
        home.snapshot_of(snapshot)
        inputs = {"workspace": found.id, "snapshot": snapshot}
        with self._acts.act("workspace restore", lambda: inputs,
                            request=lambda: _request("workspace restore")) as act:
            home.restore(snapshot)
            act.end("done", subject=found.id)
        return self.get(found.id)

    def fork(self, name: str, new: str = "") -> Workspace:
        """Another workspace with the same files and the same beginning, which changes by itself from now on."""
        found, home = self._used(name)
        made = replace(self._new(new, found.idle_seconds, found.life_seconds), origin=found.origin,
                       source=found.source, commit=found.commit)
        inputs = {"workspace": found.id, "name": made.name}
        with self._acts.act("workspace fork", lambda: inputs, request=lambda: _request("workspace fork")) as act:
            with home.reading() as tree:
                made = self._begin(made, lambda target: share_tree(tree, target),
                                   beginning=home.snapshot_of(BEGINNING))
            act.end("done", subject=made.id)
        return made

    def promote(self, name: str, *, project: Project | None = None) -> str:
        """Write what is different now into the project that it came from, if nobody changed those files there since.

        Gives the entry of the journal, by which ``undo`` takes it back.
        """
        found, home = self._used(name)
        if project is None and found.origin != "path":
            raise UsageError("project: the workspace was not made from a folder; name the one to write to",
                             field="project")
        root = Path(found.source if project is None else project).resolve()
        changes = self.changes(found.id)
        if not changes.changes:
            raise UsageError("workspace: nothing in it is different from its beginning", field="workspace")
        with beneath.opened(home.snapshot_of(BEGINNING)) as before:
            seen = {path: one.sha if (one := beneath.find(before, path)) else None for path in changes.paths}
        inputs = {"workspace": found.id, "paths": particulars.some(sorted(changes.paths))}
        with self._acts.act("workspace promote", lambda: inputs, project=str(root), exact=lambda: (inputs, changes),
                            request=lambda: of_change("workspace promote", changes, project=root)) as act:
            kept = self._acts.kept(root, changes.paths)
            entry = promote(root, changes, seen=seen, folder=self._journal, trial=found.id)
            act.end("done", subject=entry, before=kept, after=self._acts.kept(root, changes.paths))
        return entry

    def destroy(self, name: str) -> None:
        """Remove it with all its snapshots; programs that run in it are not ended, what they leave is lost."""
        found = self._list.get(name, owner=self.owner)
        with self._acts.act("workspace destroy", lambda: {"workspace": found.id},
                            request=lambda: _request("workspace destroy")) as act:
            self._list.remove(found.id)
            self._home(found).remove()
            act.end("done", subject=found.id)

    def sweep_if_due(self) -> None:
        """At most once a minute."""
        if time.monotonic() - self._swept > _SWEEP_SECONDS or not self._swept:
            self.sweep()

    def sweep(self) -> tuple[str, ...]:
        """Remove those whose time is over, whoever owns them, and what a crash left; the names of the first."""
        self._swept = time.monotonic()
        over = [one for one in self._list.all() if not _alive(one)]
        for one in over:
            with self._acts.act("workspace expire", lambda one=one: {"workspace": one.id, "owner": one.owner}) as act:  # type: ignore[misc]
                self._list.remove(one.id)
                self._home(one).remove()
                act.end("done", subject=one.id)
        if self._folder.is_dir():
            sweep(self._folder, known=lambda: {one.id for one in self._list.all()})
        return tuple(one.name for one in over)

    def close(self) -> None:
        """Let go of the files."""
        self._list.close()


def _alive(workspace: Workspace) -> bool:
    now = datetime.now(UTC)
    return ((now - workspace.used).total_seconds() < workspace.idle_seconds
            and (now - workspace.made).total_seconds() < workspace.life_seconds)


def _dressed(artifact: Artifact | None, before: beneath.Found | None) -> Artifact | None:
    """With the mode that it had, where the change says nothing of it."""
    if artifact is None or artifact.mode is not None:
        return artifact
    return replace(artifact, mode=0o644 if before is None else before.mode & 0o777)


def _entry(path: str, info: os.stat_result) -> FileEntry:
    kind: Literal["file", "folder", "link"] = (
        "folder" if stat.S_ISDIR(info.st_mode) else "link" if stat.S_ISLNK(info.st_mode) else "file")
    return FileEntry(path=path, kind=kind, size=0 if kind == "folder" else info.st_size,
                     executable=kind == "file" and bool(info.st_mode & 0o100))


def _request(verb: str, *, asked: Execution | None = None, level: Level | None = None) -> Request:
    if asked is None:
        return Request(verb=verb)
    network = Network(host=asked.network, allow_hosts=tuple(asked.allow_hosts))
    return Request(verb=verb, commands=(told_of(asked),), network=network, limits=asked.limits, level=level)


def _room() -> Room:
    return Room(files=_MOST_FILES, bytes_=_MOST_BYTES)


def _seconds(given: float | None, usual: float, *, field: str) -> float:
    if given is None:
        return usual
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= _MOST_SECONDS:
        raise UsageError(f"{field}: not a number of seconds from above 0 to a year: {given!r:.40}", field=field)
    return float(given)
