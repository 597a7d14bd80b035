"""A test for a fault that no test of the project saw: the command that failed, as one.

Where a test failed, that test is the one; where a plain command did (``python main.py``), nothing in the project would
fail if the fault came back. What holds: the test was seen to fail without the fix and to pass with it, in the sandbox.
What does not: it is written for Python alone, and only says that the command ends well.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath

from windtunnel.core.change import ChangeSet
from windtunnel.core.repair import FixResult, FixState, unified
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Channel, Check, CheckReport, Kind
from windtunnel.engine.checking import Overlay, Step, run_step
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.trial import Prepared

_COMMAND = "command"
_SECONDS = 60
_FOLDERS = ("tests", "test")
_TEST = '''"""What once failed: {message}"""

import subprocess
import sys
import unittest
from pathlib import Path


class Regression(unittest.TestCase):
    def test_{name}(self):
        done = subprocess.run([{words}], cwd=Path(__file__).resolve().parents[{above}], capture_output=True, text=True,
                              timeout={seconds}, check=False)

        self.assertEqual(done.returncode, 0, done.stderr)
'''


def regression_test(ready: Prepared, result: FixResult) -> str:
    """As a diff; empty where a test of the project saw the fault, or none could be shown to see it."""
    command = _failed(ready.before)
    if result.state is not FixState.FIXED or result.changes is None or command is None:
        return ""
    path, text = _written(ready, command, result)
    laid: Overlay = {path: Artifact(data=text.encode(), mode=0o644)}
    fails, passes = (not _passes(ready, {**overlay_of(changes), **laid}, path=path) for changes in (
        ChangeSet(changes=()), result.changes))
    return unified(path, "", text) if fails and not passes else ""


def _failed(reports: Sequence[CheckReport]) -> tuple[str, ...] | None:
    """The first command of Python that told nothing of tests and failed."""
    return next((report.check.argv for report in reports if report.check.kind is Kind.TEST and not report.success
                 and report.channel is Channel.EXIT_CODE and report.check.tool == _COMMAND
                 and PurePosixPath(report.check.argv[0]).name.startswith("python")), None)


def _written(ready: Prepared, command: Sequence[str], result: FixResult) -> tuple[str, str]:
    folder = ready.course.ground.folder
    name = re.sub(r"\W+", "_", " ".join(command[1:])).strip("_").lower()[:60] or "command"
    home = next((each for each in _FOLDERS if folder.glob(f"{each}/**/*.py")), "")
    path = next(path for number in ("", *map(str, range(2, 1000)))
                if not folder.exists(path := f"{home}/test_{name}{number}.py".lstrip("/")))
    words = ", ".join(["sys.executable", *map(ascii, command[1:])])
    told = result.problems[0].message if result.problems else shlex.join(command)
    return path, _TEST.format(message=_plain(told), name=name, words=words, above=path.count("/"), seconds=_SECONDS)


def _passes(ready: Prepared, overlay: Overlay, *, path: str) -> bool:
    course, place = ready.course, PurePosixPath(path)
    argv = ("python", "-m", "unittest", "discover", "-s", str(place.parent), "-p", place.name)
    report, _ = run_step(course.rig, course.ground, Step(
        check=Check(kind=Kind.TEST, tool=_COMMAND, argv=argv), overlay=overlay, limits=course.budget.lane_limits,
        env=course.env.get(Kind.TEST, {})))
    return report.success


def _plain(text: str) -> str:
    """The first line of a message, with nothing in it that could end a docstring."""
    return re.sub(r"[\"\\\x00-\x1f\x7f\u2028\u2029\x85\ud800-\udfff]", " ", text.strip().partition("\n")[0])[:80]
