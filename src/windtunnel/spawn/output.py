"""Output kept within bounds: the head and the tail, and on request the whole of it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from windtunnel.core.ports import Sink


class Kept:
    """What is kept of one stream; its memory never grows past twice the limit, however much comes."""

    def __init__(self, most_bytes: int, *, sink: Sink | None = None, spill: Path | None = None) -> None:
        """Keep half of ``most_bytes`` from the head and half from the tail."""
        self._head_most = (most_bytes + 1) // 2
        self._tail_most = most_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._sink = sink
        self._file: BinaryIO | None = spill.open("wb") if spill else None
        self.streams = sink is not None
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take what came, hand it on, keep what fits."""
        self.total += len(data)
        if self._sink is not None:
            self._sink(data)
        if self._file is not None:
            self._file.write(data)
        room = self._head_most - len(self._head)
        self._head += data[:room]
        rest = data[room:] if room > 0 else data
        if rest:
            self._tail += rest[-self._tail_most:] if self._tail_most else b""
            if len(self._tail) > 2 * self._tail_most:
                del self._tail[:-self._tail_most]

    def close(self) -> None:
        """Finish the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def dropped(self) -> int:
        """Bytes left out between head and tail."""
        return self.total - len(self._head) - min(len(self._tail), self._tail_most)

    def value(self) -> bytes:
        """Head and tail, with a line between them where something was left out."""
        tail = bytes(self._tail[-self._tail_most:]) if self._tail_most else b""
        if not self.dropped:
            return bytes(self._head) + tail
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % self.dropped + tail
