"""The folder of one kept workspace, safe to use from many threads and processes.

    lock            held by whoever changes the workspace, shared by whoever reads it
    current         the name of the tree that holds
    trees/N         a tree; programs run over it copy-on-write while they hold N.lock
    snapshots/NAME  trees that share their files with it
    incoming/ID     what a program leaves, on its way into the tree

What holds: a tree is never changed under a running program; who changes a workspace while one runs makes a new tree of
the same files, and the old one goes with its last program. ``kill -9`` at any moment leaves the workspace as before a
change or as after it: what was written down as a whole is laid by the next who looks, all else is removed. What does
not hold: of two programs that change the same file at the same time, the one that ends last has the word. A power cut
may lose the last changes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.randomness import fresh_id
from windtunnel.workspace.kept import laying
from windtunnel.workspace.kept.trees import measure, remove_tree, share_tree

BEGINNING = "beginning"
"""The snapshot that every workspace has: itself when it was made."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Home:
    """One workspace on the disk."""

    def __init__(self, path: Path) -> None:
        """Remember where; ``make`` begins it."""
        self.path = path

    def make(self, fill: Callable[[Path], None], *, beginning: Path | None = None) -> None:
        """Begin it: the tree is filled, and becomes its first snapshot unless another is given. All or nothing."""
        making = self.path.with_name(f"{self.path.name}.making")
        making.mkdir(mode=0o700, parents=True)
        with locked(making, fcntl.LOCK_EX):
            try:
                for name in ("trees", "snapshots", "incoming"):
                    (making / name).mkdir(mode=0o700)
                (making / "lock").touch(0o600)
                (making / "trees" / "1.lock").touch(0o600)
                fill(making / "trees" / "1")
                share_tree(beginning or making / "trees" / "1", making / "snapshots" / BEGINNING)
                (making / "current").write_text("1", encoding="ascii")
                making.rename(self.path)
            except BaseException:
                remove_tree(making)
                raise

    @property
    def tree(self) -> Path:
        """Where the files are now."""
        return self.path / "trees" / (self.path / "current").read_text(encoding="ascii")

    @contextlib.contextmanager
    def reading(self) -> Iterator[Path]:
        """The tree, which nobody changes meanwhile."""
        with locked(self.path / "lock", fcntl.LOCK_SH):
            yield self.tree

    @contextlib.contextmanager
    def running(self) -> Iterator[Path]:
        """The tree for a program to run over; others may change the workspace meanwhile, but not this tree."""
        with contextlib.ExitStack() as stack:
            with self._changing():
                tree = self.tree
                stack.enter_context(locked(_lock_of(tree), fcntl.LOCK_SH))
            yield tree

    @contextlib.contextmanager
    def receiving(self) -> Iterator[Path]:
        """A folder for what is to come; it is removed in the end unless ``settle`` has taken it."""
        incoming = self.path / "incoming" / fresh_id()
        with contextlib.ExitStack() as stack:
            with locked(self.path / "lock", fcntl.LOCK_SH):  # between being made and being held, nobody may sweep it
                incoming.mkdir(mode=0o700)
                stack.enter_context(locked(incoming, fcntl.LOCK_EX))
            try:
                yield incoming
            finally:
                remove_tree(incoming)

    def settle(self, incoming: Path, layer: laying.Layer) -> None:
        """Lay what came over the tree; when this returns, it is there."""
        laying.stage(incoming, layer)
        with self._changing(apart_from=incoming):
            self._lay(incoming)

    def _lay(self, incoming: Path) -> None:
        tree = self.tree
        with locked(_lock_of(tree), fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
            if alone:
                laying.lay(incoming, tree)
                return
        self._turn(tree, lambda made: laying.lay(incoming, made))

    def _turn(self, source: Path, change: Callable[[Path], None]) -> None:
        """A new tree of the same files takes the place of the old one."""
        number = max(int(one.name) for one in (self.path / "trees").iterdir() if one.name.isdigit()) + 1
        made = self.path / "trees" / str(number)
        share_tree(source, made)
        change(made)
        _lock_of(made).touch(0o600)
        following = self.path / "current.making"
        following.write_text(str(number), encoding="ascii")
        following.rename(self.path / "current")

    @contextlib.contextmanager
    def _changing(self, apart_from: Path | None = None) -> Iterator[None]:
        """Alone with the workspace, after whatever a crash left was brought to its end."""
        with locked(self.path / "lock", fcntl.LOCK_EX):
            self._recover(apart_from)
            yield
            self._tidy()

    def _recover(self, apart_from: Path | None) -> None:
        for incoming in sorted((self.path / "incoming").iterdir()):
            if incoming == apart_from:
                continue
            with contextlib.ExitStack() as stack:
                try:
                    free = stack.enter_context(locked(incoming, fcntl.LOCK_EX | fcntl.LOCK_NB))
                except FileNotFoundError:  # whoever made it has removed it since it was listed
                    continue
                if not free:
                    continue
                if laying.is_staged(incoming):
                    self._lay(incoming)
                remove_tree(incoming)

    def _tidy(self) -> None:
        """Remove trees that nobody uses any more, and what was begun and not ended."""
        current = self.tree.name
        for tree in (self.path / "trees").iterdir():
            if tree.name in (current, f"{current}.lock") or not tree.name.isdigit():
                continue
            _lock_of(tree).touch(0o600)  # one that was begun and not ended has none
            with locked(_lock_of(tree), fcntl.LOCK_EX | fcntl.LOCK_NB) as free:
                if free:
                    remove_tree(tree)
                    _lock_of(tree).unlink(missing_ok=True)
        for snapshot in (self.path / "snapshots").glob("*.making"):
            remove_tree(snapshot)

    def snapshot(self, name: str) -> None:
        """Keep the files as they are now under a name."""
        check_name(name, field="snapshot")
        kept = self.path / "snapshots" / name
        with self._changing():
            if kept.exists():
                raise UsageError(f"snapshot: there is one named {name!r} already", field="snapshot")
            making = kept.with_name(f"{name}.making")
            share_tree(self.tree, making)
            making.rename(kept)

    def restore(self, name: str) -> None:
        """The files as they were at a snapshot; what was there since is gone."""
        source = self.snapshot_of(name)
        with self._changing():
            self._turn(source, lambda _: None)

    def forget(self, name: str) -> None:
        """Remove a snapshot."""
        if name == BEGINNING:
            raise UsageError("snapshot: the beginning stays, since differences are told from it", field="snapshot")
        with self._changing():
            remove_tree(self.snapshot_of(name))

    def snapshot_of(self, name: str) -> Path:
        """The files of a snapshot."""
        check_name(name, field="snapshot")
        kept = self.path / "snapshots" / name
        if not kept.is_dir():
            known = ", ".join(sorted(one.name for one in kept.parent.iterdir()))[:300]
            raise UsageError(f"snapshot: none is named {name!r} (there are: {known})", field="snapshot")
        return kept

    def use(self) -> tuple[int, int, int]:
        """Entries of the tree, bytes on disk with all snapshots, programs that run in it."""
        files, size = measure(self.tree, *(one for one in (self.path / "snapshots").iterdir()))
        running = 0
        for incoming in (self.path / "incoming").iterdir():
            with contextlib.suppress(FileNotFoundError), locked(incoming, fcntl.LOCK_SH | fcntl.LOCK_NB) as free:
                running += not free
        return files, size, running

    def remove(self) -> None:
        """All of it; programs that run in it keep their tree until they end, and what they leave is lost."""
        going = self.path.with_name(f"{self.path.name}.{fresh_id()}.removing")
        with contextlib.suppress(FileNotFoundError), locked(self.path, fcntl.LOCK_SH):
            self.path.rename(going)
            remove_tree(going)


def check_name(name: object, *, field: str) -> str:
    """A name that can be a file's: letters, digits, dots, dashes."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.endswith((".making", ".lock")):
        raise UsageError(f"{field}: {name!r:.80} is not a name (letters, digits, dots and dashes, 64 at most)",
                         field=field)
    return name


def sweep(folder: Path, *, known: Callable[[], Collection[str]]) -> None:
    """Remove what a crash left of workspaces that were being made or removed, and those that nobody knows.

    Who makes one holds the folder meanwhile; then nothing is done, and the next sweep does it.
    """
    with locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as free:
        names = known() if free else ()
        for left in folder.iterdir() if free else ():
            if left.is_dir() and left.name not in names:
                with contextlib.suppress(FileNotFoundError), locked(left, fcntl.LOCK_EX | fcntl.LOCK_NB) as unused:
                    if unused:
                        remove_tree(left)


def _lock_of(tree: Path) -> Path:
    return tree.with_name(f"{tree.name}.lock")


@contextlib.contextmanager
def locked(path: Path, how: int) -> Iterator[bool]:
    """Whether it is held; without waiting it may not be. The kernel lets go when this process dies."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
