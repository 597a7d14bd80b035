"""The writable layer of a workspace against the folder below it.

The kernel keeps a deletion as a character device without a number, and a folder that was deleted and made again as
one marked opaque; everything else in the layer was made or changed. Nothing here follows a link.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from types import TracebackType
from typing import Literal, Self

WORKSPACE = "/workspace"
Act = Literal["made", "changed", "deleted"]
Change = tuple[str, Act, os.stat_result]
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_BELOW = 20_000
_MOST_TARGET = 4096


def leads_inside(path: str, target: str) -> bool:
    """Whether a link at this place of a workspace leads to somewhere in it, as its words have it."""
    if not target or "\0" in target or len(target) > _MOST_TARGET:
        return False
    if target.startswith("/"):
        path, target = "", target.removeprefix(f"{WORKSPACE}/") if target != WORKSPACE else "."
    end = os.path.normpath(os.path.join(os.path.dirname(path), target))  # noqa: PTH118, PTH120 -- by words alone
    return not end.startswith("/") and end.split("/", 1)[0] != ".."


class Layer:
    """Both folders held open while they are compared."""

    def __init__(self, upper: int, lower: str) -> None:
        """Open the lower folder; the layer is the caller's."""
        self._upper = upper
        self._folders: dict[str, int | None] = {"": os.open(lower, _FOLDER)}
        self._gone: set[str] = set()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        """Let go of the lower folders."""
        for descriptor in self._folders.values():
            if descriptor is not None:
                os.close(descriptor)

    def acts(self, path: str, info: os.stat_result) -> Iterator[Change]:
        """What one entry of the layer stands for: nothing, one act, or the deletion of all that lay below."""
        before = self._before(path)
        if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            if before is not None:
                yield from self._deleted(path, before)
            return
        if not stat.S_ISDIR(info.st_mode):
            yield path, "made" if before is None else "changed", info
            return
        if before is None:
            yield path, "made", info
        elif not stat.S_ISDIR(before.st_mode):
            yield path, "changed", info
        elif self._is_opaque(path):
            yield from self._hidden(path)
        elif stat.S_IMODE(before.st_mode) != stat.S_IMODE(info.st_mode):
            yield path, "changed", info

    def rest(self) -> Iterator[Change]:
        """What no entry of the layer stands for; in an overlay, nothing."""
        return iter(())

    def top_of(self, path: str) -> str:
        """The outermost folder that was deleted with this file in it, of those told so far; else the file itself."""
        steps = path.split("/")
        above = ("/".join(steps[:depth]) for depth in range(1, len(steps)))
        return next((folder for folder in above if self._is_gone(folder)), path)

    def _is_gone(self, folder: str) -> bool:
        return folder in self._gone

    def _before(self, path: str) -> os.stat_result | None:
        folder, _, name = path.rpartition("/")
        descriptor = self._folder(folder)
        if descriptor is None:
            return None
        with contextlib.suppress(OSError):
            return os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        return None

    def _folder(self, path: str) -> int | None:
        """A lower folder, reached without links; None where there is none."""
        if path not in self._folders:
            outer, _, name = path.rpartition("/")
            above, opened = self._folder(outer), None
            if above is not None:
                with contextlib.suppress(OSError):
                    opened = os.open(name, _FOLDER, dir_fd=above)
            self._folders[path] = opened
        return self._folders[path]

    def _deleted(self, path: str, before: os.stat_result) -> Iterator[Change]:
        """A deleted folder counts file by file, so that nothing is hidden in one line."""
        if not stat.S_ISDIR(before.st_mode):
            yield path, "deleted", before
            return
        self._gone.add(path)
        yield from self._below(path, kept=frozenset())

    def _hidden(self, path: str) -> Iterator[Change]:
        """What a folder that was made again no longer shows."""
        with contextlib.suppress(OSError):
            descriptor = os.open(path, _FOLDER, dir_fd=self._upper)
            try:
                kept = frozenset(os.listdir(descriptor))  # noqa: PTH208 -- by descriptor
            finally:
                os.close(descriptor)
            yield from self._below(path, kept=kept)

    def _below(self, path: str, *, kept: frozenset[str]) -> Iterator[Change]:
        pending, count = [path], 0
        while pending and count < _MOST_BELOW:
            folder = pending.pop()
            descriptor = self._folder(folder)
            for name in os.listdir(descriptor) if descriptor is not None else ():  # noqa: PTH208 -- by descriptor
                if folder == path and name in kept:
                    continue
                inner = f"{folder}/{name}" if folder else name
                seen = self._before(inner)
                count += 1
                if seen is not None and stat.S_ISDIR(seen.st_mode):
                    pending.append(inner)
                elif seen is not None:
                    yield inner, "deleted", seen

    def _is_opaque(self, path: str) -> bool:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, _FOLDER, dir_fd=self._upper)
            try:
                return os.getxattr(descriptor, "user.overlay.opaque") == b"y"
            finally:
                os.close(descriptor)
        return False


class Copy(Layer):
    """A whole copy instead of a layer: what is not as it was counts, and what is no longer there."""

    def __init__(self, upper: int, lower: str) -> None:
        """Open the lower folder; the copy is the caller's."""
        super().__init__(upper, lower)
        self._seen: set[str] = set()

    def acts(self, path: str, info: os.stat_result) -> Iterator[Change]:
        """Nothing for an entry that is as it was."""
        self._seen.add(path)
        before = self._before(path)
        if before is None:
            yield path, "made", info
        elif not self._is_same(path, before, info):
            yield path, "changed", info

    def rest(self) -> Iterator[Change]:
        """What was there and is not any more."""
        for name, act, info in self._below("", kept=frozenset()):
            if name not in self._seen:
                yield name, act, info

    def _is_gone(self, folder: str) -> bool:
        return folder not in self._seen

    def _is_same(self, path: str, before: os.stat_result, info: os.stat_result) -> bool:
        if before.st_mode != info.st_mode:
            return False
        if stat.S_ISLNK(info.st_mode):
            return self._links(path)
        if not stat.S_ISREG(info.st_mode):
            return True
        # A copy keeps the time; one that was written to has another, unless it was set back, which contents show.
        return before.st_size == info.st_size and self._contents(path)

    def _links(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        lower = self._folder(folder)
        with contextlib.suppress(OSError):
            return os.readlink(path, dir_fd=self._upper) == os.readlink(name, dir_fd=lower)
        return False

    def _contents(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        with contextlib.suppress(OSError):
            sides = [os.open(path, _FILE, dir_fd=self._upper), os.open(name, _FILE, dir_fd=self._folder(folder))]
            with open(sides[0], "rb") as upper, open(sides[1], "rb") as lower:  # noqa: PTH123 -- by descriptor
                while (data := upper.read(1 << 20)) == lower.read(1 << 20):
                    if not data:
                        return True
        return False
