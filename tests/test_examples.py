"""Every example runs to its end and says what its page promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SAYS = {
    "demo": ("your environment: not there", "169.254.169.254:80 refused, no network", "out_of_memory, exit code 137",
             "timeout, exit code 124", "What held, at the process level:", "All went as it must"),
    "hello": ("hello from sandbox, user 1000, in /sandbox", "network: none, capabilities: none"),
    "limits": ("eats memory      out_of_memory", "fills the disk   out_of_disk", "multiplies       too_many_processes",
               "pretends         exited              exit code 124", "refused before it ran: wall_seconds"),
    "files": ("Config: {'setting': 'value'}, Helper: 42, Total: 10", "read-only: OSError: [Errno 30]",
              "refused: files: '../../etc/passwd' leads upward"),
    "errors": ("chain:     ValueError -> RuntimeError", "192.0.2.1:80 refused 1 times: no network",
               "check():   no orders today - exit code 1"),
    "languages": ("hello from python", "15 languages in the table"),
    "streaming": ("Ada likes green", "GIVEN BEFOREHAND", "streamed 1088890 bytes, kept 64", "line 99999"),
    "network": ("192.0.2.1:443 refused 2x, no network", "169.254.169.254:80 refused 1x, not on the allow-list",
                "example.com:22 refused 1x, port not on the allow-list"),
    "batch": ("20 runs: {'cpu_time': 1, 'exited': 19}", "20 runs, failed: cpu_time 124, exited 1"),
    "stages": ("stage 1 -> 0, stage 2 -> 0, stage 3 -> 0", "[('stage 1', 3)]"),
    "try_a_change": ("fixes    good", "breaks   not good", "cheats   not good", "applied, and taken back",
                     "the project was never touched by a trial"),
    "flame": ("hottest: busy (main.py:2)", "wrote a flame graph: flame.svg"),
}


def test_every_example_is_listed_here_and_in_the_readme():
    scripts = {path.stem for path in EXAMPLES.glob("*.py")}

    assert scripts == set(SAYS)
    assert all(f"({name}.py)" in (EXAMPLES / "README.md").read_text() for name in scripts)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_exits_with_0_and_says_what_it_should(name, tmp_path):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("WINDTUNNEL_", "XDG_"))}
    env |= {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    done = subprocess.run([sys.executable, "-W", "error", EXAMPLES / f"{name}.py"], cwd=tmp_path, env=env,
                          capture_output=True, text=True, timeout=90, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert [text for text in SAYS[name] if text not in done.stdout] == [], done.stdout
    assert {path.name for path in tmp_path.iterdir()} <= {"state", "cache"}, "an example leaves nothing behind"
