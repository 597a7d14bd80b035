"""Alerts as lines: in a file, in the system's log, on standard output.

What holds: one alert is one line of ASCII, whatever the records held; a link in the place of the file is refused, and a
line that was cut off by a full disk is ended before the next.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.alert import Alert, Severity
from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.watch.destination import line_of
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SYSLOG = "/dev/log"
_FACILITY = 13 << 3
"""The one that RFC 5424 calls log audit."""
_LEVELS = {Severity.LOW: 5, Severity.MEDIUM: 4, Severity.HIGH: 1}
_MOST_DATAGRAM = 8192
_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFile:
    """A file that grows by a line for each alert."""

    name: str
    least: Severity
    path: Path

    def send(self, alert: Alert, _: Callable[[str], None]) -> None:
        """It is on the disk then."""
        try:
            file = os.open(self.path, _FLAGS, 0o600)
            try:
                self._append(file, f"{line_of(alert)}\n".encode())
            finally:
                os.close(file)
        except OSError as error:
            raise SandboxFailure(f"{self.path}: cannot be written: {error.strerror}") from error

    def _append(self, file: int, line: bytes) -> None:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise SandboxFailure(f"{self.path}: not a plain file")
        torn = found.st_size and os.pread(file, 1, found.st_size - 1) != b"\n"
        whole = b"\n" + line if torn else line
        if os.write(file, whole) != len(whole):
            raise SandboxFailure(f"{self.path}: the line was cut off; the disk may be full")
        os.fsync(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Syslog:
    """The system's log, by its socket on this machine."""

    name: str
    least: Severity
    path: str = _SYSLOG

    def send(self, alert: Alert, _: Callable[[str], None]) -> None:
        """One datagram; where it goes from there is the system's business."""
        line = f"<{_FACILITY | _LEVELS[alert.severity]}>windtunnel: {line_of(alert)}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as door:
            door.settimeout(_SECONDS)
            try:
                door.connect(self.path)
                door.send(line.encode()[:_MOST_DATAGRAM])
            except OSError as error:
                why = error.strerror or error
                raise SandboxFailure(f"{self.path}: the system's log takes nothing: {why}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Stdout:
    """Standard output of the watch itself."""

    name: str
    least: Severity

    def send(self, alert: Alert, write: Callable[[str], None]) -> None:
        """Written, and handed to the system."""
        write(line_of(alert))


def read_file(found: Table, name: str, least: Severity) -> LineFile:
    """As the file of rules spells it: ``log: /path``."""
    return LineFile(name=name, least=least, path=Path(found.must("log", absolute)))


def read_syslog(found: Table, name: str, least: Severity) -> Syslog:
    """``syslog: true``, or the path of another socket."""
    place = found.place("syslog")
    if place.value is True:
        return Syslog(name=name, least=least)
    return Syslog(name=name, least=least, path=found.must("syslog", absolute))


def read_stdout(found: Table, name: str, least: Severity) -> Stdout:
    """``stdout: true``."""
    if not found.must("stdout", table.switch):
        raise found.place("stdout").refusal(f"{found.name}.stdout: leave it out where it is not wanted")
    return Stdout(name=name, least=least)


def absolute(node: Node, name: str) -> str:
    """A path from the root, without steps back."""
    found = node.value
    if not isinstance(found, str) or not found.isprintable() or not found.startswith("/") or ".." in Path(found).parts:
        raise node.refusal(f"{name}: not an absolute path: {shown(found)}")
    return found
