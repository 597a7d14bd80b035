"""What a run left, laid over a tree of ours: first written down as a whole, then done, as often as need be.

A file is linked under a name of its own and renamed into its place, so that nobody sees half of one and what was
there before stays with whoever shares it. Doing it twice leaves the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.result import Artifact
from windtunnel.workspace import beneath

_STAGED = "files"
_LIST = "layer.json"
_TEMPORARY = ".windtunnel-laying"
Layer = Mapping[str, Artifact | None]


def stage(incoming: Path, layer: Layer) -> None:
    """Write down what comes, and the files whose contents are not there yet; from then on it will be laid."""
    files = incoming / _STAGED
    files.mkdir(exist_ok=True)
    with beneath.opened(files) as root:
        for name, artifact in layer.items():
            if _is_file(artifact) and beneath.look(root, name) is None:
                assert artifact is not None
                _write(root, name, artifact.data)
    told = [[name, *_told(artifact)] for name, artifact in layer.items()]
    making = incoming / f"{_LIST}.making"
    with making.open("w", encoding="ascii") as file:
        json.dump(told, file)
        file.flush()
        os.fsync(file.fileno())
    making.rename(incoming / _LIST)


def is_staged(incoming: Path) -> bool:
    """Whether all of it was written down."""
    return (incoming / _LIST).exists()


def contents(incoming: Path) -> Path:
    """Where a sandbox may leave the contents of files."""
    made = incoming / _STAGED
    made.mkdir(exist_ok=True)
    return made


def lay(incoming: Path, tree: Path) -> None:
    """Deletions, then folders, then files and links."""
    rows = json.loads((incoming / _LIST).read_text(encoding="ascii"))
    with beneath.opened(tree) as root, beneath.opened(incoming / _STAGED) as files:
        for name, kind, *_ in rows:
            if kind == "gone":
                _remove(root, name)
        for name, kind, mode, _ in sorted(rows):
            if kind == "folder":
                _make_folder(root, name, mode)
        for name, kind, mode, target in rows:
            if kind in ("file", "link"):
                _place(root, files, name, mode=mode, target=os.fsencode(target) if kind == "link" else None)


def _told(artifact: Artifact | None) -> tuple[str, int, str]:
    if artifact is None:
        return "gone", 0, ""
    if artifact.is_folder:
        return "folder", stat.S_IMODE(artifact.mode or 0o755), ""
    if artifact.is_link:
        return "link", 0, os.fsdecode(artifact.data)
    return "file", stat.S_IMODE(0o644 if artifact.mode is None else artifact.mode) & 0o777, ""


def _is_file(artifact: Artifact | None) -> bool:
    return artifact is not None and not artifact.is_folder and not artifact.is_link


def _write(root: int, name: str, data: bytes) -> None:
    with beneath.parent(root, name, make=True) as place:
        assert place is not None
        made = os.open(place[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=place[0])
        with open(made, "wb") as file:  # noqa: PTH123 -- by descriptor
            file.write(data)


def _remove(root: int, name: str) -> None:
    with beneath.parent(root, name) as place:
        if place is not None:
            _clear(*place)


def _clear(folder: int, name: str) -> None:
    """Whatever is there of that name."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.chmod(name, 0o700, dir_fd=folder)
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)


def _make_folder(root: int, name: str, mode: int) -> None:
    with _ready(root, name) as (folder, last):
        found = _look(folder, last)
        if found is not None and not stat.S_ISDIR(found.st_mode):
            _clear(folder, last)
        with contextlib.suppress(FileExistsError):
            os.mkdir(last, 0o700, dir_fd=folder)
        os.chmod(last, mode & 0o777 | 0o700, dir_fd=folder)


def _place(root: int, files: int, name: str, *, mode: int, target: bytes | None) -> None:
    with _ready(root, name) as (folder, last):
        found = _look(folder, last)
        if found is not None and stat.S_ISDIR(found.st_mode):
            _clear(folder, last)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_TEMPORARY, dir_fd=folder)
        if target is not None:
            os.symlink(target, _TEMPORARY, dir_fd=folder)
        else:
            _link(files, name, folder, mode)
        os.rename(_TEMPORARY, last, src_dir_fd=folder, dst_dir_fd=folder)


def _link(files: int, name: str, folder: int, mode: int) -> None:
    with beneath.parent(files, name) as staged:
        assert staged is not None
        os.chmod(staged[1], mode, dir_fd=staged[0])
        try:
            os.link(staged[1], _TEMPORARY, src_dir_fd=staged[0], dst_dir_fd=folder, follow_symlinks=False)
        except OSError:  # a file system without hard links
            read = os.open(staged[1], os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=staged[0])
            made = os.open(_TEMPORARY, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
            with open(read, "rb") as old, open(made, "wb") as new:  # noqa: PTH123 -- by descriptor
                shutil.copyfileobj(old, new, 1 << 20)


@contextlib.contextmanager
def _ready(root: int, name: str) -> Iterator[tuple[int, str]]:
    """The folder of an entry, made where it is not there; a file or link in its way is removed."""
    with contextlib.ExitStack() as stack:
        try:
            place = stack.enter_context(beneath.parent(root, name, make=True))
        except UsageError:
            _clear_way(root, name)
            place = stack.enter_context(beneath.parent(root, name, make=True))
        assert place is not None
        yield place


def _clear_way(root: int, name: str) -> None:
    parts = name.split("/")
    for depth in range(1, len(parts)):
        above = "/".join(parts[:depth])
        found = beneath.look(root, above)
        if found is not None and not stat.S_ISDIR(found.st_mode):
            _remove(root, above)


def _look(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
