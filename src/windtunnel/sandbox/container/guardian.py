"""A small process that outlives us: when we die, however we die, it removes our containers and their folders.

It waits for the end of a pipe that only we hold. A word on that pipe means that we cleared away ourselves.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from windtunnel.sandbox.container.cell import unmount_below
from windtunnel.sandbox.handover import plain_python
from windtunnel.sandbox.private import sweep
from windtunnel.spawn import ask, start

_PASSES, _PAUSE_SECONDS, _MOST_PASSES = 3, 0.5, 120
_ENGINE_SECONDS = 60


class Guardian:
    """Our end of it."""

    def __init__(self, reaper: Sequence[str], *, parent: str) -> None:
        """Start it; ``parent`` is where our folders lie."""
        package = str(Path(__file__).resolve().parents[3])
        code = (f"import sys; sys.path.insert(0, {package!r}); "
                "from windtunnel.sandbox.container.guardian import main; main(sys.argv[1:])")
        ours, theirs = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            self._process = start([*plain_python(), "-c", code, parent, *reaper], stdin=ours, output=null,
                                  env={"PATH": os.environ.get("PATH", os.defpath), **_engine_env()})
        finally:
            os.close(ours)
            os.close(null)
        self._pipe = theirs

    def dismiss(self) -> None:
        """There is nothing left for it to do."""
        if self._pipe >= 0:
            with contextlib.suppress(OSError):
                os.write(self._pipe, b"done")
            os.close(self._pipe)
            self._pipe = -1
            self._process.wait()

    def forget(self) -> None:
        """In a forked child: it is the parent's."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1


def _engine_env() -> dict[str, str]:
    """What engines' clients go by."""
    wanted = ("HOME", "XDG_", "DOCKER_", "CONTAINER", "STORAGE_")
    return {name: value for name, value in os.environ.items() if name.startswith(wanted)}


def main(words: Sequence[str]) -> None:
    """Wait for the end, then clear away until nothing has been found several times in a row."""
    if os.read(0, 16):
        return
    parent, way, *rest = words
    empty = 0
    for _ in range(_MOST_PASSES):
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            found = _by_socket(*rest) if way == "socket" else _by_command(rest[0], rest[1:])
            empty = 0 if found else empty + 1
        if empty == _PASSES:
            break
        time.sleep(_PAUSE_SECONDS)
    clear_folders(parent)


def clear_folders(parent: str) -> None:
    """The folders of dead supervisors, and what is mounted there."""
    if os.geteuid() == 0:
        from windtunnel.sandbox.cgroups import start_time  # noqa: PLC0415

        for folder in Path(parent).glob("windtunnel-*-*-*"):
            _, pid, started, *_ = folder.name.split("-")
            with contextlib.suppress(FileNotFoundError):  # its owner has just cleared it
                ours = pid.isdigit() and started.isdigit() and folder.lstat().st_uid == 0
                if ours and start_time(int(pid)) != int(started):
                    unmount_below(str(folder))
    sweep(parent)


def _by_socket(path: str, label: str) -> int:
    """Remove all of one label; how many there were."""
    listing = f"/containers/json?all=1&filters={quote(json.dumps({'label': [label]}))}"
    found = [str(one["Id"]) for one in json.loads(_request(path, "GET", listing))]
    for container in found:
        _request(path, "DELETE", f"/containers/{quote(container)}?force=1&v=1")
    return len(found)


def _request(path: str, method: str, address: str) -> bytes:
    connection = http.client.HTTPConnection("localhost", timeout=_ENGINE_SECONDS)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(_ENGINE_SECONDS)
    try:
        connection.sock.connect(path)
        connection.request(method, address)
        return connection.getresponse().read()
    finally:
        connection.close()


def _by_command(label: str, argv: Sequence[str]) -> int:
    code, said = ask([*argv, "ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={label}"], join=False,
                     seconds=_ENGINE_SECONDS)
    found = said.split() if code == 0 else []
    if found:
        ask([*argv, "rm", "--force", "--volumes", *found], seconds=_ENGINE_SECONDS)
    return len(found) if code == 0 else 1


if __name__ == "__main__":
    main(sys.argv[1:])
