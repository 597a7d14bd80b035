"""Which command the project is to be faster at."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.checks.wording import taken_apart
from windtunnel.core.errors import UsageError
from windtunnel.core.ports import Rig
from windtunnel.core.trial import Check, Kind
from windtunnel.engine.improve.answers import Asking
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.stand import stand_of
from windtunnel.engine.premises import trial_limits
from windtunnel.engine.trial import Prepared

_USUAL = ("workload.py", "benchmark.py")
_LOUD = ("-q", "-v", "-vv", "-qq", "--quiet", "--verbose")


def asking_of(rig: Rig, asked: Improve, ready: Prepared) -> Asking:
    """The workload in its sandbox, and the tests in theirs."""
    project = str(ready.project)
    limits = trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    # A comparison is one run of a sandbox that stays, however often the workload runs in it.
    limits = replace(limits, cores=min(1.0, limits.cores), wall_seconds=min(
        rig.trial_seconds, max(limits.wall_seconds, asked.seconds)))
    tests = next((check for check in ready.checks.of(Kind.TEST) if check.tool == "pytest"), None)
    workload = stand_of(rig, project, workload=_workload(asked, ready, tests), limits=limits, env=asked.env)
    if tests is None:
        return Asking(workload=workload)
    return Asking(workload=workload, tests=replace(
        stand_of(rig, project, workload=tests.argv, limits=limits, env=asked.env), workload=tests))


def _workload(asked: Improve, ready: Prepared, tests: Check | None) -> tuple[str, ...]:
    if asked.workload is not None:
        return taken_apart(asked.workload, field="workload")
    for name in _USUAL:
        if ready.course.ground.folder.exists(name):
            return ("python", name)
    if tests is None:
        raise UsageError(f"workload: none found in {ready.project} (name a command, or write a workload.py that prints "
                         "what it worked out)", field="workload")
    words = list(tests.argv)
    rest = [word for word in words[words.index("pytest") + 1:] if word not in _LOUD] if "pytest" in words else []
    # Without its terminal, pytest prints nothing: how long it took is never the same twice.
    return ("python", "-m", "pytest", "-p", "no:terminal", "-p", "no:cacheprovider", *rest)
