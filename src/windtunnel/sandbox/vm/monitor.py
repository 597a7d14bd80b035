"""QEMU's monitor, spoken to only while a snapshot is taken, before any program is near."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

from windtunnel.core.errors import SandboxFailure

_MOST_LINE = 1 << 20


class Monitor:
    """Commands and answers, one line each; events in between are passed over."""

    def __init__(self, sock: socket.socket, *, deadline: float) -> None:
        """Take the greeting and agree on the language."""
        self._socket, self._deadline = sock, deadline
        self._rest = b""
        self._line()
        self.ask("qmp_capabilities")

    def ask(self, command: str, *, given: int | None = None, **arguments: object) -> Any:  # noqa: ANN401 -- QEMU's own
        """The answer to one command, with which a descriptor may be given."""
        line = json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n"
        socket.send_fds(self._socket, [line], [] if given is None else [given])
        while True:
            answer = self._line()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise SandboxFailure(f"QEMU refused {command}: {answer['error'].get('desc')}")

    def save(self, descriptor: int) -> None:
        """Write the machine's state to a descriptor while it runs, so that it runs when it is restored."""
        self.ask("getfd", given=descriptor, fdname="state")
        self.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.ask("migrate", uri="fd:state")
        while (status := self.ask("query-migrate").get("status")) != "completed":
            if status in ("failed", "cancelled"):
                raise SandboxFailure("QEMU could not write the snapshot; is the disk full?")
            time.sleep(0.01)

    def _line(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            self._socket.settimeout(max(0.01, self._deadline - time.monotonic()))
            data = self._socket.recv(1 << 16)
            if not data or len(self._rest) > _MOST_LINE:
                raise SandboxFailure("QEMU ended while its snapshot was taken")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer
