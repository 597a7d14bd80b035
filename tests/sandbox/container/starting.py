"""The starter as a plain process of the host's, on a gate of the test's own."""

from __future__ import annotations

import array
import contextlib
import os
import platform
import shutil
import socket
import subprocess

import pytest

from windtunnel.sandbox.container import starter

HERE = platform.machine()
PATH = {"PATH": "/usr/bin:/bin"}


def emulator(machine):
    """What runs the machine's programs here; skips where nothing does."""
    if machine == HERE:
        return []
    program = shutil.which(f"qemu-{machine}")
    if program is None:
        pytest.skip(f"qemu-{machine} is not installed here")
    return [program]


class Gate:
    """One gate and the starter that waits at it."""

    def __init__(self, folder, argv, env=None, *, cwd="/", machine=HERE, connect=False, calls=b"", block=True, **options):
        self.folder, self.connection, self.descriptors = folder, None, []
        self.path = folder / "start"
        self.path.write_bytes(starter.program(machine, folder=str(folder), connect=connect, calls=calls))
        self.path.chmod(0o755)
        if block:
            (folder / "run").write_bytes(starter.run_block(argv, PATH if env is None else env, cwd=cwd))
        os.mkfifo(folder / "go")
        self.go = os.open(folder / "go", os.O_RDWR | os.O_CLOEXEC)
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listening.settimeout(20)
        self.listening.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o666)
        self.listening.listen(1)
        self.process = subprocess.Popen([*emulator(machine), str(self.path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd="/", **{"env": {"LEAKED": "from outside"}, **options})

    def came(self):
        """What it hands over: a message, and what its descriptors are."""
        if self.connection is not None:
            self.connection.close()
        self.connection, _ = self.listening.accept()
        self.connection.settimeout(20)
        data, ancillary, _, _ = self.connection.recvmsg(64, socket.CMSG_SPACE(64))
        self.descriptors = [number for *_, rights in ancillary for number in array.array("i", rights)]
        return data, [os.readlink(f"/proc/self/fd/{number}") for number in self.descriptors]  # noqa: PTH115 -- no file

    def open(self):
        os.write(self.go, b"go\n")
        return self

    def told(self):
        """The wait status that it tells."""
        return int.from_bytes(self.connection.recv(64), "little")

    def end(self):
        """How it ended: code, output, errors."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(timeout=30)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        for number in (self.go, *self.descriptors):
            with contextlib.suppress(OSError):
                os.close(number)
        self.listening.close()
        if self.connection is not None:
            self.connection.close()


def ran(folder, argv, env=None, **options):
    """A program started and ended: code, output, errors."""
    with Gate(folder, argv, env, **options) as gate:
        return gate.open().end()
