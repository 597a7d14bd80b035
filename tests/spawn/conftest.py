import contextlib
import os
import socket
import subprocess
import sys

import pytest

from windtunnel.spawn import Kept, Watched

PRELUDE = """
import os, signal, socket, sys, time
channel = socket.socket(fileno=int(sys.argv[1]))
leash = int(sys.argv[2])
def report(status=0, *left):
    channel.send(b"\\0".join([b"E %d 0.5 1048576 10 20" % status, *left]))
"""


@pytest.fixture
def begin():
    """Starts a child that stands in for init, and answers with the handles of its run.

    ``leash`` is a descriptor that reads as ended when the test is over, for those that must outlive the child.
    """
    cleanup = contextlib.ExitStack()

    def start(code, *, wall_seconds=10.0, most_bytes=1 << 20, sink=None, spill=None, tick=lambda: None, **options):
        channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        leash, held = os.pipe()
        pipes = [os.pipe() for _ in range(3)]
        given = [pipes[0][0], pipes[1][1], pipes[2][1]]
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", PRELUDE + code, str(inner.fileno()), str(leash)],
            stdin=given[0], stdout=given[1], stderr=given[2], pass_fds=[inner.fileno(), leash])
        inner.close()
        for descriptor in (leash, *given):
            os.close(descriptor)
        pidfd = os.pidfd_open(child.pid)
        cleanup.callback(channel.close)
        cleanup.callback(os.close, pidfd)
        cleanup.callback(child.wait)
        cleanup.callback(child.kill)
        cleanup.callback(os.close, held)
        return Watched(
            channel=channel, pidfd=pidfd, stdin=pipes[0][1], stdout=pipes[1][0], stderr=pipes[2][0],
            kept_out=Kept(most_bytes, sink=sink, spill=spill), kept_err=Kept(most_bytes),
            wall_seconds=wall_seconds, tick=tick, **options)

    with cleanup:
        yield start
