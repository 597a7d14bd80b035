"""Proposals that harm: loops, memory, processes, signals, descriptors, files; none is good by it, and others are judged as ever."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judging import CODE, FAILING, GOOD, PASSING, acting, judge_for, judged, odd, proposal

from windtunnel.engine.fix import judge_session
from windtunnel.engine.premises import TRIAL_LIMITS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
EXITS = ["sys.exit(0)", "os._exit(0)", "os._exit(90)", "os.kill(os.getpid(), 9)", "os.killpg(0, 9)", "os.abort()", "raise KeyboardInterrupt", "raise GeneratorExit"]
KILLS = ["os.kill(os.getppid(), 9)", "os.kill(-1, 9)", "[os.kill(pid, 9) for pid in range(2, 400) if pid != os.getpid() and os.path.exists(f'/proc/{pid}')]"]


def among(tunnel, folder, bad, *, observe=True, **options):
    """What becomes of a bad one between two good ones and one more that is plainly wrong."""
    project = odd(folder)
    with judge_for(tunnel, project, **options) as judge:
        if observe:
            judge.observe()
        found = list(judge.judge([proposal(GOOD), bad, proposal(GOOD + "\nX = 1\n"), acting("    return 7\n")], tests=[FAILING, PASSING]))
    return [one.good for one in found], found[1]


def body(*lines):
    return acting("".join(f"    {line}\n" for line in lines))


@pytest.mark.parametrize("loop", [
    ("while True:", "    pass"), ("import signal", "signal.signal(signal.SIGPROF, signal.SIG_IGN)", "sum(range(10**15))"),
    ("while True:", "    try:", "        while True:", "            pass", "    except BaseException:", "        pass")])
def test_an_endless_loop_runs_out_of_time(tunnel, tmp_path, loop):
    good, found = among(tunnel, tmp_path, body(*loop))

    assert (good, found.error, found.failed) == ([True, False, True, False], f"it ran out of time in {FAILING}", {FAILING})


def test_a_loop_while_it_is_loaded_runs_out_of_time(tunnel, tmp_path):
    good, found = among(tunnel, tmp_path, proposal(GOOD + "\nwhile True:\n    pass\n"))

    assert (good, found.error) == ([True, False, True, False], "it ran out of time while it was loaded")


def test_one_that_sleeps_for_ever_runs_out_of_time(tunnel, tmp_path):
    good, found = among(tunnel, tmp_path, body("import time", "time.sleep(10**6)"))

    assert (good, found.error) == ([True, False, True, False], f"it ran out of time in {FAILING}")


def test_one_that_eats_memory_fails_alone(tunnel, tmp_path):
    good, _ = among(tunnel, tmp_path, body("hold = []", "while True:", "    hold.append(bytearray(16 << 20))"))

    assert good == [True, False, True, False]


def test_one_that_makes_processes_without_end_is_ended_with_all_of_them(tunnel, tmp_path):
    bomb = body("import time", "while True:", "    try:", "        os.fork()", "    except OSError:", "        time.sleep(1)")

    good, _ = among(tunnel, tmp_path, bomb, limits=replace(TRIAL_LIMITS, processes=80))

    assert good == [True, False, True, False]


@pytest.mark.parametrize("deed", EXITS)
def test_one_that_ends_its_process_is_not_good(tunnel, tmp_path, deed):
    good, _ = among(tunnel, tmp_path, body(deed))

    assert good == [True, False, True, False]


def test_one_that_ends_its_process_while_it_is_loaded_is_not_good(tunnel, tmp_path):
    good, found = among(tunnel, tmp_path, proposal("import os\nos._exit(0)\n"))

    assert (good, found.error) == ([True, False, True, False], "it crashed (exit code 0) while it was loaded")


@pytest.mark.parametrize("deed", KILLS)
def test_one_that_kills_whom_it_can_is_not_good_and_others_are_judged_anew(tunnel, tmp_path, deed):
    good, _ = among(tunnel, tmp_path, body(deed, "return 2"))

    assert good == [True, False, True, False]


def test_a_copy_that_a_proposal_makes_of_its_process_says_nothing(tunnel, tmp_path):
    """The parent is wrong and lingers, the child is right and would be the first to say so."""
    good, _ = among(tunnel, tmp_path, body("import time", "if os.fork() == 0:", "    return 2", "time.sleep(0.5)", "return 0"))

    assert good == [True, False, True, False]


def forgery():
    """One that says by itself that all tests passed, with a token that it guesses, and ends as if it were over."""
    words = b'\n[0, "passed"]\n[1, "passed"]\n{"wrote": false, "spawned": false}\n'
    token = b"0" * 32
    return body("for descriptor in range(3, 1000):", "    try:", f"        os.write(descriptor, {words!r} + b''.join({token!r} + b' ' + line + b'\\n' for line in {words!r}.split(b'\\n')))",
                "    except OSError:", "        pass", "os._exit(90)")


def test_words_written_to_every_descriptor_are_not_believed(tunnel, tmp_path):
    good, found = among(tunnel, tmp_path, forgery())

    assert (good, found.passed) == ([True, False, True, False], frozenset())


def test_a_flood_of_output_harms_nobody(tunnel, tmp_path):
    flood = body("while True:", "    for descriptor in range(1, 1000):", "        try:", "            os.write(descriptor, b'x' * 65536)", "        except OSError:", "            pass")

    good, _ = among(tunnel, tmp_path, flood)

    assert good == [True, False, True, False]


def test_what_waits_for_orders_cannot_be_looked_into(tunnel, tmp_path):
    look = body("found = 0", "for pid in os.listdir('/proc'):", "    for name in ('mem', 'environ', 'fd/3'):", "        path = f'/proc/{pid}/{name}'",
                "        try:", "            found += pid.isdigit() and int(pid) != os.getpid() and int(pid) > 1 and os.open(path, os.O_RDWR if name == 'mem' else os.O_RDONLY) >= 0",
                "        except OSError:", "            pass", "return 2 if found else 0")

    with judge_for(tunnel, odd(tmp_path), jobs=1) as judge:
        found = list(judge.judge([look], tests=[FAILING]))

    assert [one.good for one in found] == [False]


@pytest.mark.parametrize("deed", [
    "open('odd.py', 'w').write('def act(a):\\n    return 2\\n\\n\\ndef other(a):\\n    return 4\\n')",
    "open('test_odd.py', 'w').write('def test_act(): pass\\ndef test_other(): pass\\n')",
    "open('conftest.py', 'w').write('raise SystemExit(0)')", "os.remove('test_odd.py')", "os.rename('odd.py', 'even.py')", "os.symlink('/dev/null', 'odd')",
    "import glob; [open(path, 'wb').close() for path in glob.glob('__pycache__/*')]", "os.chmod('odd.py', 0)",
    "__import__('subprocess').run(['sh', '-c', 'echo broken > odd.py; touch -d @0 odd.py'])"])
def test_files_that_a_proposal_writes_do_not_reach_the_next(tunnel, tmp_path, deed):
    project = odd(tmp_path)
    wave = [body(deed, "return 7"), body(deed, "return 7"), proposal(GOOD), proposal("X = 1\n" + GOOD), proposal("X = 1\n" + CODE), acting("    return 7\n")]

    found = judged(tunnel, project, wave, tests=[FAILING, PASSING], observe=True)

    assert [one.good for one in found] == [False, False, True, True, False, False]


def test_one_that_stays_behind_its_end_is_found_and_ended(tunnel, tmp_path):
    """It would write the right answer over the module as soon as its own trial is over."""
    write = "import time\nwhile True:\n    time.sleep(0.01)\n    open('odd.py', 'w').write('def act(a):\\n    return 2\\n')"
    hidden = body("if os.fork() == 0:", "    os.setsid()", "    if os.fork() == 0:", f"        exec({write!r})", "    os._exit(0)", "return 7")

    found = judged(tunnel, odd(tmp_path), [hidden, *(proposal(f"X = {number}\n{CODE}") for number in range(8)), proposal("X = 9\n" + GOOD)], observe=True)

    assert [one.good for one in found] == [*[False] * 9, True]


def test_descriptors_that_a_proposal_closes_leave_nothing_said(tunnel, tmp_path):
    good, _ = among(tunnel, tmp_path, body("os.closerange(3, 5000)", "return 7"))

    assert good == [True, False, True, False]


WALLS = {
    "files": (
        {"windtunnel_repair_tree.py": [(b"return self.whole and self._look() != self.before", b"return False")]},
        "open('test_odd.py', 'w').write('def test_act(): pass\\ndef test_other(): pass\\n')"),
    "token": ({"windtunnel_repair_copies.py": [(b"os.urandom(16).hex()", b"'0' * 32")]}, ""),
}


@pytest.mark.parametrize(("wall", "good"), [("files", [False, True]), ("token", [True, False])])
def test_without_its_wall_an_attack_succeeds(tunnel, tmp_path, monkeypatch, wall, good):
    """One writes tests that say yes to whoever comes next, the other forges its own words."""
    holes, deed = WALLS[wall]
    weak = dict(judge_session.scripts())
    for name, pairs in holes.items():
        for old, new in pairs:
            assert old in weak[name]
            weak[name] = weak[name].replace(old, new)
    monkeypatch.setattr(judge_session, "scripts", lambda: weak)
    attack = body(deed, "return 7") if deed else forgery()

    def tried(number):
        project = odd(tmp_path / str(number))
        return [one.good for one in judged(
            tunnel, project, [attack, proposal("X = 1\n" + CODE)], tests=[FAILING, PASSING], observe=True)]

    # Whether the next one is loaded before or after the file is written is chance on a busy machine.
    assert good in (tried(number) for number in range(5))
