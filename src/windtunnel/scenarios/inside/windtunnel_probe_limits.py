"""Measures the limits it runs under: processors' worth of time, bytes of disk, descriptors, bytes of memory.

Each is told as soon as it is known, one line of JSON each, the memory last: who meets that limit may be killed.
Standard library alone, valid from Python 3.8 on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Callable, Dict, List

STEP = 1 << 20
SPIN_SECONDS, MOST_SPINNERS = 0.5, 8
MOST_BYTES, MOST_FILES = 8 << 30, 1 << 20


def tell(name: str, value: float) -> None:
    """One figure."""
    sys.stdout.write(json.dumps({name: value}) + "\n")
    sys.stdout.flush()


def cores() -> None:
    """Processor time of several spinning processes together, by the clock."""
    before, began = os.times(), time.monotonic()
    children: List[int] = []
    for _ in range(min(MOST_SPINNERS, os.cpu_count() or 1)):
        child = os.fork()
        if child == 0:
            while time.monotonic() < began + SPIN_SECONDS:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    tell("cores", used / (time.monotonic() - began))


def disk() -> None:
    """Bytes that can be written before there is no room."""
    written, path = 0, "/tmp/windtunnel_probe_disk"
    try:
        with open(path, "wb", buffering=0) as file:
            while written < MOST_BYTES:
                written += file.write(bytes(1 << 16))
    except OSError:
        pass
    finally:
        os.unlink(path)
    tell("disk", written)


def files() -> None:
    """Descriptors that can be open at once."""
    opened: List[int] = []
    try:
        while len(opened) < MOST_FILES:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    count = len(opened) + 3
    for one in opened:
        os.close(one)
    tell("open_files", count)


def memory() -> None:
    """Bytes that can be held; told at each step, for the last one may end everything."""
    held: List[bytearray] = []
    try:
        while len(held) * STEP < MOST_BYTES:
            block = bytearray(STEP)
            block[::4096] = b"x" * len(block[::4096])
            held.append(block)
            if len(held) % 4 == 0:
                tell("memory", len(held) * STEP)
    except MemoryError:
        pass


WAYS: Dict[str, Callable[[], None]] = {"cores": cores, "disk": disk, "open_files": files, "memory": memory}

if __name__ == "__main__":
    for wanted in json.loads(sys.stdin.read()):
        WAYS[wanted]()
