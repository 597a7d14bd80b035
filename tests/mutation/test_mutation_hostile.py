"""Mutants and tests that harm: loops, memory, processes, descriptors, files; the run goes on, and no fate is invented."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mutations import fates, judge, write

from windtunnel.core.mutation import State
from windtunnel.engine.premises import TRIAL_LIMITS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
HEAD = "import os\nimport signal\nimport sys\nimport time\n\n\n"


def run(tunnel, folder, body, *, tests=None, **options):
    """The fates of one function ``act(a)``, called with 1, beside one that is surely noticed."""
    code = f"{HEAD}def act(a):\n{body}\n\n\ndef sound(a, b):\n    return a * b\n"
    usual = "import odd\n\n\ndef test_act():\n    odd.act(1)\n    assert True\n\n\ndef test_sound():\n    assert odd.sound(2, 3) == 6\n"
    result = judge(tunnel, write(folder, {"odd.py": code, "test_odd.py": tests or usual}), **{"operators": ("arithmetic",), **options})
    return result, {what: fate for _, _, what, fate in fates(result)}


def test_an_endless_loop_is_a_timeout_and_no_kill(tunnel, tmp_path):
    result, found = run(tunnel, tmp_path, "    while a - 1:\n        pass")

    assert (result.state, found) == (State.JUDGED, {"- → +": "timeout", "* → /": "killed"})


def test_a_loop_that_cannot_be_interrupted_is_a_timeout_and_no_kill(tunnel, tmp_path):
    _, found = run(tunnel, tmp_path, "    if a - 1:\n        signal.signal(signal.SIGPROF, signal.SIG_IGN)\n        sum(range(1000000000000000))")

    assert found == {"- → +": "timeout", "* → /": "killed"}


def test_all_timeouts_are_nothing_judged(tunnel, tmp_path):
    project = write(tmp_path, {"odd.py": "def act(a):\n    while a - 1:\n        pass\n",
                               "test_odd.py": "import odd\n\n\ndef test_act():\n    odd.act(1)\n"})

    result = judge(tunnel, project, operators=("arithmetic",))

    assert (result.state, result.score) == (State.NONE_COUNTS, None)


def test_a_mutant_that_eats_memory_is_ended_and_the_run_goes_on(tunnel, tmp_path):
    _, found = run(tunnel, tmp_path, "    hold = []\n    while a - 1:\n        hold.append(bytearray(16777216))")

    # where pages are slow to come, its time is over before its memory is
    assert (found["- → +"] in ("killed", "timeout"), found["* → /"]) == (True, "killed")


def test_a_mutant_that_makes_processes_without_end_is_ended_and_the_run_goes_on(tunnel, tmp_path):
    _, found = run(tunnel, tmp_path, "    while a - 1:\n        try:\n            os.fork()\n        except OSError:\n            time.sleep(1)",
                   limits=replace(TRIAL_LIMITS, processes=80))

    assert (found["- → +"] in ("timeout", "failed"), found["* → /"]) == (True, "killed")


@pytest.mark.parametrize("deed", ["os.kill(os.getpid(), 9)", "os.killpg(0, 9)", "os._exit(0)", "os.abort()"])
def test_a_mutant_that_ends_its_process_is_noticed(tunnel, tmp_path, deed):
    _, found = run(tunnel, tmp_path, f"    if a - 1:\n        {deed}")

    assert found == {"- → +": "killed", "* → /": "killed"}


def test_a_mutant_that_ends_its_parent_changes_no_other_fate(tunnel, tmp_path):
    result, found = run(tunnel, tmp_path, "    if a - 1:\n        os.kill(os.getppid(), 9)\n        time.sleep(60)")

    assert (result.state, found) == (State.JUDGED, {"- → +": "failed", "* → /": "killed"})


def test_a_mutant_that_ends_every_process_it_can_is_left_out_and_the_rest_is_judged(tunnel, tmp_path):
    result, found = run(tunnel, tmp_path, "    if a - 1:\n        os.kill(-1, 9)", jobs=1)

    assert (result.state, found) == (State.JUDGED, {"- → +": "failed", "* → /": "killed"})
    assert result.notes == ("1 mutants ended the process that judges, and could not be tried",)


def test_a_mutant_that_closes_every_descriptor_is_judged_by_its_tests(tunnel, tmp_path):
    _, found = run(tunnel, tmp_path, "    if a - 1:\n        os.closerange(3, 4096)", test="pytest -s")

    assert found == {"- → +": "survived", "* → /": "killed"}


def test_a_mutant_that_writes_into_every_descriptor_is_judged_by_its_tests(tunnel, tmp_path):
    forged = "    if a - 1:\n        for number in range(1, 300):\n            try:\n                os.write(number, b'{\"fate\": \"killed\", \"by\": 0}\\n')\n            except OSError:\n                pass"

    _, found = run(tunnel, tmp_path, forged)

    assert found == {"- → +": "survived", "* → /": "killed"}


def test_code_under_test_finds_no_way_to_the_process_that_decides(tunnel, tmp_path):
    tests = ("import os\n\nimport odd\n\n\ndef test_act():\n    reached = []\n    for name in os.listdir('/proc'):\n"
             "        if name.isdigit() and int(name) not in (1, os.getpid()):\n            try:\n"
             "                text = open(f'/proc/{name}/cmdline').read()\n"
             "                if 'windtunnel_mutants' in text and os.readlink(f'/proc/{name}/fd/1') and os.getppid() != int(name):\n"
             "                    reached.append(name)\n            except OSError:\n                pass\n"
             "    odd.act(1)\n    assert reached == []\n\n\ndef test_sound():\n    assert odd.sound(2, 3) == 6\n")

    result, found = run(tunnel, tmp_path, "    return a - 1", tests=tests, jobs=1)

    assert (result.failing, found) == ((), {"- → +": "survived", "* → /": "killed"})


def test_threads_that_are_left_behind_hold_nothing_up(tunnel, tmp_path):
    tests = ("import threading\nimport time\n\nimport odd\n\n\ndef test_act():\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n"
             "    assert odd.act(1) == 0\n\n\ndef test_sound():\n    assert odd.sound(2, 3) == 6\n")

    _, found = run(tunnel, tmp_path, "    return a - 1", tests=tests)

    assert found == {"- → +": "killed", "* → /": "killed"}


@pytest.mark.parametrize("way", ["", "fresh"])
def test_a_mutant_finds_the_project_as_it_was_whatever_an_earlier_one_wrote(tunnel, tmp_path, way):
    tests = ("import pathlib\n\nimport odd\n\n\ndef test_act():\n    mark, data = pathlib.Path('mark.txt'), pathlib.Path('data.txt')\n"
             "    assert not mark.exists() and data.read_text() == 'old'\n    mark.write_text('x')\n    data.write_text('new')\n"
             "    odd.act(1)\n    odd.sound(2, 3)\n")
    write(tmp_path, {"data.txt": "old"})

    result, found = run(tunnel, tmp_path, "    return a - 1", tests=tests, way=way)

    assert found == {"- → +": "survived", "* → /": "survived"}
    assert result.notes == ("1 tests write into the project (test_odd.py::test_act); its files were put back after each of them",)


def test_tests_that_take_a_lock_do_not_meet_each_other(tunnel, tmp_path):
    tests = ("import fcntl\nimport time\n\nimport odd\n\n\ndef test_act():\n    with open('/tmp/the.lock', 'w') as file:\n"
             "        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        time.sleep(0.2)\n        odd.act(1)\n        odd.sound(2, 3)\n")

    _, found = run(tunnel, tmp_path, "    a = a - 1 - 2 - 3 - 4\n    return a + 1", tests=tests)

    assert set(found.values()) == {"survived"}
