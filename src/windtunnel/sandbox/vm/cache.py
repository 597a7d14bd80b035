"""The folder that keeps kernels, disks and snapshots: whole or not at all, used by many at once, and bounded."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.cgroups import start_time

_LEAST_ROOM = 64 * 1024**2
_PART = re.compile(r"\.part-(\d+)-(\d+)-.*")


class Cache:
    """Files by name; whoever finds one under its name finds it whole."""

    def __init__(self, path: Path) -> None:
        """Nothing is made before it is needed."""
        self.path = path

    def folder(self, name: str) -> Path:
        """The place of that name."""
        return self.path / name

    @contextlib.contextmanager
    def making(self, place: Path) -> Iterator[Path]:
        """A new folder or a path for a new file beside the place; takes the place's name when all went well.

        What another made in the meantime is as good, and stays.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._sweep()
            prefix = f".part-{os.getpid()}-{start_time(os.getpid())}-"
            part = Path(tempfile.mkdtemp(prefix=prefix, dir=self.path))
        except OSError as error:
            raise self.refusal(error) from error
        try:
            yield part
            self._name(part, place)
        except OSError as error:
            raise self.refusal(error) from error
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _name(self, part: Path, place: Path) -> None:
        """Readable for the throw-away user that a machine runs as, whatever our umask is."""
        for path in (part, *part.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        try:
            part.rename(place)
        except OSError:
            if not place.exists():
                raise

    def refusal(self, error: OSError) -> IsolationUnavailable:
        """What to tell of a disk that does not take what we keep."""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return IsolationUnavailable(
            f"the vm level keeps its kernels, disks and snapshots in {self.path}, which "
            + (f"is full ({error.strerror}); free some gigabytes there, " if full
               else f"cannot be written ({error.strerror or error}); ")
            + "or set WINDTUNNEL_CACHE_DIR to a folder on another disk")

    def check_room(self) -> None:
        """Refuse when there is next to none left, which explains why something else has failed."""
        with contextlib.suppress(FileNotFoundError):
            if shutil.disk_usage(self.path).free < _LEAST_ROOM:
                raise self.refusal(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def keep_newest(self, pattern: str, count: int) -> None:
        """Forget all but the latest used; a machine that has one open keeps it until it ends."""
        with contextlib.suppress(OSError):
            found = sorted(self.path.glob(pattern), key=lambda path: path.stat().st_mtime, reverse=True)
            for old in found[count:]:
                shutil.rmtree(old, ignore_errors=True)

    def touch(self, place: Path) -> None:
        """Remember that it was used."""
        with contextlib.suppress(OSError):
            os.utime(place)

    def _sweep(self) -> None:
        """What makers left who are dead."""
        for part in self.path.iterdir():
            match = _PART.fullmatch(part.name)
            if match and start_time(int(match[1])) != int(match[2]):
                shutil.rmtree(part, ignore_errors=True)
