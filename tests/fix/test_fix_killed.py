"""A fix whose process is killed: nothing is left behind, and who comes next gives the same answer without trying twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fixing import PYTEST, proposal, write

from windtunnel.core.repair import FixState

pytestmark = pytest.mark.timeout(600)
FILES = {"n.py": "def value():\n    return 0\n",
         "test_n.py": "import n\n\n\ndef test_value():\n    assert n.value() == 60\n\n\ndef test_type():\n    assert isinstance(n.value(), int)\n"}
FIX = """
import sys
sys.path.insert(0, sys.argv[3])
from test_fix_killed import counting, quiet
from fixing import PYTEST
from windtunnel import Tunnel
quiet()
with Tunnel(pool_size=0) as tunnel:
    tunnel.fix(sys.argv[1], sources=[counting], tell=lambda event: print(event.kind, event.side, flush=True), **PYTEST)
"""


def counting(scene):
    """Every number up to the right one, one after the other."""
    for number in range(1, 80):
        yield proposal("n.py", f"def value():\n    return {number}\n", reason=f"{number}", prior=0.5)


def quiet():
    """Only the source of the test."""
    from windtunnel.repair import sources

    sources._BY_LANGUAGE["python"] = ()


def journal(folder):
    return next((folder / "state" / "fix" / "journals").glob("*.jsonl"))


def rows(folder):
    return [row for row in map(json.loads, journal(folder).read_text().splitlines()) if "key" in row]


def test_after_a_kill_the_same_answer_comes_and_nothing_is_judged_twice(tmp_path, new_tunnel, monkeypatch):
    project = write(tmp_path / "project", FILES)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "WINDTUNNEL_STATE_DIR": str(tmp_path / "state"),
           "WINDTUNNEL_CACHE_DIR": str(tmp_path / "cache")}
    first = subprocess.Popen([sys.executable, "-c", FIX, project, tmp_path, str(Path(__file__).parent)], env=env, stdout=subprocess.PIPE, text=True)
    try:
        for line in first.stdout:
            if line.startswith("attempt 20"):
                break
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait(60)
        first.stdout.close()
    before = rows(tmp_path)
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})

    result = new_tunnel().fix(project, sources=[counting], **PYTEST)
    alone = new_tunnel().fix(project, sources=[counting], resume=False, **PYTEST)

    assert len(before) >= 20
    assert (result.state, result.diff, result.tried) == (alone.state, alone.diff, alone.tried)
    assert (result.changes.get("n.py").new_content, result.state in (FixState.FIXED, FixState.DOUBTED)) == (
        "def value():\n    return 60\n", True)
    assert any("judgements taken from before" in note for note in result.notes)
    assert _gone(str(project))


def test_no_judgement_is_written_down_twice(tmp_path, new_tunnel, monkeypatch):
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})
    tunnel = new_tunnel()
    for _ in range(2):
        tunnel.fix(write(tmp_path / "project", FILES), sources=[counting], **PYTEST)
    found = [(row["key"], row["by"]) for row in rows(tmp_path)]

    assert len(found) == len(set(found))


def _gone(project):
    """Whether no process has the project in its command line any more; sandboxes end with the one who started them."""
    until = time.monotonic() + 60
    while _processes(project) and time.monotonic() < until:
        os.sched_yield()
    return not _processes(project)


def _processes(project):
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and int(entry.name) != os.getpid() and project.encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found
