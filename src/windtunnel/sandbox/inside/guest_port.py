"""The guest's ends of the serial ports, and the frames on the one for control.

A frame is one byte that says its kind, four that say its length, and its content. Both sides use the same form.
"""

from __future__ import annotations

import os
import struct
import time

PORTS = "/sys/class/virtio-ports"
PREFIX = "windtunnel."
NAMES = ("control", "stdin", "stdout", "stderr")
FLAGS = {"control": os.O_RDWR, "stdin": os.O_RDONLY, "stdout": os.O_WRONLY, "stderr": os.O_WRONLY}
CHUNK = 1 << 16


def find(*, deadline: float) -> dict[str, int]:
    """Descriptors by name; the names come a moment after the devices."""
    found: dict[str, int] = {}
    while len(found) < len(NAMES):
        for port in os.listdir(PORTS):
            name = named(port)
            if name in FLAGS and name not in found and os.path.exists(f"/dev/{port}"):
                found[name] = os.open(f"/dev/{port}", FLAGS[name] | os.O_CLOEXEC)
        if time.monotonic() > deadline:
            raise FileNotFoundError(PORTS)
        time.sleep(0.005)
    return found


def named(port: str) -> str:
    """The name that the host gave a port, without our prefix."""
    try:
        with open(f"{PORTS}/{port}/name") as file:
            return file.read().strip().removeprefix(PREFIX)
    except OSError:
        return ""


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """However long it takes the host to take it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest[:CHUNK]):]


class Control:
    """Frames to and from the host."""

    def __init__(self, descriptor: int) -> None:
        """Of an open port."""
        self.descriptor = descriptor

    def send(self, kind: bytes, payload: bytes) -> None:
        """One frame."""
        write_all(self.descriptor, struct.pack(">cI", kind, len(payload)) + payload)

    def receive(self) -> tuple[bytes, bytes]:
        """One frame, waited for."""
        kind, length = struct.unpack(">cI", self._exactly(5))
        return kind, self._exactly(length)

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            data = os.read(self.descriptor, min(size, CHUNK))
            if not data:
                time.sleep(0.01)  # the host's end is not there yet, or not any more
                continue
            parts.append(data)
            size -= len(data)
        return b"".join(parts)
