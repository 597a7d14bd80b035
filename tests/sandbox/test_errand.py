"""A client program that may take long: its answer is handed on, and nothing of it outlives whoever asked."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel.sandbox.handover import script

CHILD = "import os, sys, time; open(sys.argv[1], 'w').write(f'{os.getpid()} {os.environ.get(\"TMPDIR\")}'); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {CHILD}"
ASKER = """
import os, subprocess, sys
subprocess.run([*{errand!r}, *([str(os.getpid())] if {errand!r} else []), sys.executable, "-c", {child!r}, {told!r}])
"""


def errand(*argv, tmp_path, parent=None):
    env = {**os.environ, "TMPDIR": str(tmp_path / "place")}
    (tmp_path / "place").mkdir(exist_ok=True)
    return subprocess.run([*script("errand"), str(parent or os.getpid()), *argv], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_what_the_program_says_and_ends_with_is_handed_on(tmp_path):
    done = errand("sh", "-c", "echo out; echo err >&2; exit 7", tmp_path=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")


def test_a_program_that_was_ended_by_a_signal_is_told_as_a_shell_would(tmp_path):
    assert errand("sh", "-c", "kill -9 $$", tmp_path=tmp_path).returncode == 128 + signal.SIGKILL


def test_a_program_that_is_not_there_is_told_by_its_own_code(tmp_path):
    done = errand("/no/such/program", tmp_path=tmp_path)

    assert (done.returncode, "No such file" in done.stderr) == (127, True)


def test_a_folder_of_its_own_is_removed_with_all_that_is_in_it(tmp_path):
    done = errand("sh", "-c", "echo $TMPDIR; mkdir $TMPDIR/half; echo x > $TMPDIR/half/image", tmp_path=tmp_path)

    assert done.stdout.startswith(f"{tmp_path}/place/windtunnel-errand-")
    assert list((tmp_path / "place").iterdir()) == []


def test_nothing_is_begun_for_somebody_who_is_gone_already(tmp_path):
    done = errand("touch", str(tmp_path / "made"), tmp_path=tmp_path, parent=1)

    assert (done.returncode, (tmp_path / "made").exists()) == (143, False)


def test_what_a_killed_one_left_goes_with_the_next_and_what_is_held_or_elsewhere_stays(tmp_path):
    place = tmp_path / "place"
    for name in ("windtunnel-errand-dead", "windtunnel-errand-held", "other"):
        (place / name / "half").mkdir(parents=True)
    (tmp_path / "kept").mkdir()
    (place / "windtunnel-errand-link").symlink_to(tmp_path / "kept")
    held = os.open(place / "windtunnel-errand-held", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    code = ("import importlib.util, sys, time\nspec = importlib.util.spec_from_file_location('errand', sys.argv[1])\n"
            "errand = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(errand)\nreal = time.time\n"
            "time.time = lambda: real() + float(sys.argv[3])\nerrand.sweep(sys.argv[2])")

    def left_after(seconds):
        subprocess.run([sys.executable, "-c", code, script("errand")[-1], str(place), str(seconds)], check=True, timeout=60)
        return sorted(path.name.removeprefix("windtunnel-errand-") for path in place.iterdir())

    found = [left_after(30), left_after(90)]
    os.close(held)

    assert found == [["dead", "held", "link", "other"], ["held", "link", "other"]]
    assert (tmp_path / "kept").is_dir()


def killed_asker(tmp_path, *, child, tied=True):
    """The number and the folder of a program whose asker was killed while it waited for it."""
    (tmp_path / "place").mkdir()
    told = tmp_path / "told"
    code = ASKER.format(errand=script("errand") if tied else [], child=child, told=str(told))
    asker = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path / "place")})
    try:
        assert becomes(lambda: told.exists() and told.read_text())
    finally:
        asker.kill()
        asker.wait()
    number, folder = told.read_text().split()
    return int(number), Path(folder)


def becomes(check, *, seconds=20.0):
    until = time.monotonic() + seconds
    while not check() and time.monotonic() < until:
        time.sleep(0.02)
    return bool(check())


def lives(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("child", [CHILD, STUBBORN], ids=["willing", "stubborn"])
def test_a_killed_asker_takes_the_program_and_its_folder_along(tmp_path, child):
    number, folder = killed_asker(tmp_path, child=child)

    assert becomes(lambda: not lives(number) and not folder.exists())


def test_without_it_the_program_would_go_on(tmp_path):
    number, _ = killed_asker(tmp_path, child=CHILD, tied=False)

    assert lives(number)
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)
