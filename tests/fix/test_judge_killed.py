"""What is left of a judge whose process is killed: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from judging import odd

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SCRIPT = """
import sys
from pathlib import Path
from judging import FAILING, acting, judge_for
from windtunnel.config import Settings
from windtunnel.tunnel import Tunnel

folder = Path(sys.argv[1])
with Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache"), pool_size=0) as tunnel:
    with judge_for(tunnel, folder / "project", env={"JUDGE_MARK": sys.argv[2], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}) as judge:
        judge.observe()
        print("waiting", flush=True)
        list(judge.judge([acting("    import time\\n    time.sleep(10**6)\\n")] * 50, tests=[FAILING]))
"""


def marked(mark):
    """The processes that have a mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid() and mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def until(seen, seconds=60):
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while not seen() and time.monotonic() < end:
        time.sleep(0.05)
    return seen()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into processes that do not want it")
def test_a_judge_whose_process_is_killed_leaves_no_process(tmp_path):
    odd(tmp_path / "project")
    mark = uuid.uuid4().hex
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path), mark], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    with process:
        said = process.stdout.readline()
        begun = until(lambda: marked(f"JUDGE_MARK={mark}".encode()) != [])
        process.kill()

    assert (said, begun, until(lambda: marked(f"JUDGE_MARK={mark}".encode()) == [])) == ("waiting\n", True, True)
