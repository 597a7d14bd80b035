"""The control of the suite: a runner with no walls at all.

An attack that does not succeed here proves nothing when it fails elsewhere. It is never offered to
users, and nothing outside the tests of the suite may construct it.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from windtunnel.core.limits import MIB
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact, ExecutionResult, Level, Reason
from windtunnel.spawn import converse, handles

_SAFETY_SECONDS = 12.0
_MOST_READ_BYTES = 24 * MIB


class BareRunner:
    """A plain subprocess in a temporary folder: no isolation, no limits, all output kept, links followed.

    The port demands a level; none of it is held, and results carry no level and no enforced control.
    The only bound is that the process is ended after some seconds, as ``killed``, so that no test hangs.
    """

    level = Level.RESTRICTED

    def run(self, job: Job) -> ExecutionResult:
        """Run it with everything that the caller has: environment, descriptors, session and user."""
        with tempfile.TemporaryDirectory(prefix="windtunnel-bare-") as folder:
            for name, content in job.command.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return self._run_in(folder, job)

    def _run_in(self, folder: str, job: Job) -> ExecutionResult:
        argv = [word.replace("/sandbox", folder) for word in job.command.argv]
        started = time.monotonic()
        process = converse(argv, cwd=folder, env=_environment(folder, job), leak=True)
        reason = Reason.EXITED
        try:
            stdout, stderr = process.communicate(job.command.stdin, timeout=_SAFETY_SECONDS)
        except handles.TimeoutExpired:
            reason = Reason.KILLED
            process.kill()
            stdout, stderr = process.communicate()
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return ExecutionResult(
            exit_code=code, reason=reason, stdout_bytes=stdout, stderr_bytes=stderr,
            execution_time=time.monotonic() - started,
            artifacts=_collected(f"{folder}/build") if job.command.build else {},
        )

    def close(self) -> None:
        """Nothing waits here."""


def _environment(folder: str, job: Job) -> dict[str, str]:
    """Our own, but for a home of its own: what a program leaves at home must not stay in the user's."""
    return {**os.environ, "HOME": folder, "WINDTUNNEL_BARE_BUILD": f"{folder}/build", **job.command.env}


def _collected(top: str) -> dict[str, Artifact]:
    """What a careless supervisor reads back: links followed, sizes believed; pipes are skipped, lest a test hang."""
    found = {}
    for folder, _, names in os.walk(top):
        for path in (Path(folder, name) for name in names):
            with suppress(OSError):
                if stat.S_ISREG(path.stat().st_mode):
                    with path.open("rb") as file:
                        found[str(path)] = Artifact(data=file.read(_MOST_READ_BYTES))
    return found


