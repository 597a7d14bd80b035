"""A client program that may take long, with a folder of its own for what it puts together; both end with us.

Runs outside, as ``errand.py PARENT PROGRAM ARGUMENT…``: when the process PARENT dies, however it dies, the program is
ended and the folder removed. A client like Podman's leaves half an image behind when it is ended; that goes as well.
What a killed errand left is removed by the next one.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_PDEATHSIG = 1
PATIENCE_SECONDS = 5.0
_PLACE, _PREFIX = "/var/tmp", "windtunnel-errand-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FRESH_SECONDS = 60.0
"""Between the making of a folder and the lock on it there is a moment; nobody needs so long for that."""


def end_with_parent(number: int) -> None:
    """Be sent this signal when the parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def ended(*_: object) -> None:
    """Our parent is gone."""
    raise SystemExit(143)


def own_folder() -> str:
    """Where such clients put what they fetch, unless they are told otherwise; else where any program may.

    We hold a lock on it for as long as we live.
    """
    wanted = os.environ.get("TMPDIR") or _PLACE
    place = wanted if os.access(wanted, os.W_OK | os.X_OK) else tempfile.gettempdir()
    sweep(place)
    made = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
    fcntl.flock(os.open(made, _FOLDER), fcntl.LOCK_EX)
    return made


def sweep(place: str) -> None:
    """Remove what killed ones left: folders of our own user that nobody holds, and that were not made just now."""
    for name in os.listdir(place):
        path = f"{place}/{name}"
        if name.startswith(_PREFIX):
            with contextlib.suppress(OSError):
                folder = os.open(path, _FOLDER)
                try:
                    info = os.fstat(folder)
                    if info.st_uid == os.geteuid() and info.st_ctime < time.time() - _FRESH_SECONDS:
                        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        shutil.rmtree(path)
                finally:
                    os.close(folder)


def run(argv: list[str], folder: str) -> int:
    """Its exit code, as a shell would tell it; 127 when it cannot start."""
    try:
        child = subprocess.Popen(
            argv, env={**os.environ, "TMPDIR": folder},
            preexec_fn=lambda: end_with_parent(signal.SIGKILL))  # noqa: PLW1509 -- there is one thread here
    except OSError as error:
        print(error, file=sys.stderr)  # noqa: T201 -- what the caller is told
        return 127
    try:
        code = child.wait()
    finally:
        end(child)
    return 128 - code if code < 0 else code


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask it, then make it."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def main(parent: int, argv: list[str]) -> int:
    """Fetch, and leave nothing."""
    signal.signal(signal.SIGTERM, ended)
    end_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return 143
    folder = own_folder()
    try:
        return run(argv, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
