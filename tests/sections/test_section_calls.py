"""Sections that do what they like, called in a real sandbox: each hurts nobody but itself."""

from __future__ import annotations

import pytest
from section_samples import calls_of, ends, explored, replayed, write

HOSTILE = """
import asyncio, contextlib, glob, os, signal, sys, time


def sound(n=1):
    return n + 1


def crash():
    os._exit(3)


def hang():
    while True:
        pass


def loud():
    for _ in range(2000):
        print("x" * 10_000)
        sys.stderr.write("y" * 1000)
    return 1


def leave():
    sys.exit(4)


def murder():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def breed():
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
    return 5


def close():
    os.closerange(0, 200)
    return 1


def forge():
    for number in range(3, 200):
        try:
            os.write(number, b'{"id": "m.py:entered", "failed": "forged"}\\n')
        except OSError:
            pass
    for way in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            if os.path.realpath(way).count("pipe:"):
                with open(way, "wb") as pipe:
                    pipe.write(b'{"id": "m.py:entered", "failed": "forged"}\\n')
        except OSError:
            pass
    return 1


def grow():
    return len(bytearray(64 * 1024**3))


async def later(n=1):
    await asyncio.sleep(0)
    return n


def endless():
    at = 0
    while True:
        yield at
        at += 1


@contextlib.contextmanager
def entered(word="a"):
    yield word
"""


@pytest.fixture(scope="module")
def hostile(tunnel, tmp_path_factory):
    return explored(tunnel, write(tmp_path_factory.mktemp("hostile"), {"m.py": HOSTILE}), seconds=0.5)


def test_every_hostile_section_is_told_of(hostile):
    how = {name: one.failed or ends(one)[0][1:] for name, one in hostile.items()}

    assert how == {
        "sound": ("returned", ""), "crash": ("ended the process", ""), "hang": ("never returned", ""),
        "loud": ("returned", ""), "leave": ("raised", "SystemExit"), "murder": "ended by SIGKILL",
        "breed": ("returned", ""), "close": ("ended the process", ""), "forge": "no inputs were found for it",
        "grow": ("raised", "MemoryError"),
        "later": ("returned", ""), "endless": ("returned", ""), "entered": ("returned", "")}


def test_a_section_cannot_write_the_record_of_another(hostile):
    assert (hostile["forge"].ends, hostile["entered"].failed) == ((), "")


def test_calls_replayed_in_a_fresh_process_give_the_same_values(tunnel, tmp_path):
    project = write(tmp_path, {"shop/__init__.py": "", "shop/cart.py": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    name: str\n    price: int = 3\n\n"
        "    def cheaper(self, by):\n        return Item(self.name, self.price - by)\n\n\n"
        "def total(items):\n    return sum(item.price for item in items)\n\n\n"
        "def pairs(text):\n    return dict(part.split('=') for part in text.split(',') if part)\n")})
    found = explored(tunnel, project)
    again = replayed(tunnel, project, calls_of(found), repeats=2)

    first = {str(end.call): (end.how, end.error, end.digest) for one in found.values() for end in one.ends}
    assert [{(end.how, end.error, end.digest) for end in one.ends if str(end.call) == call}
            for one in again.called for call in dict.fromkeys(str(end.call) for end in one.ends)] == [
                {told} for told in first.values()]
    assert all(one.returned for one in found.values())


def test_a_module_that_cannot_be_imported_costs_only_its_own_sections(tunnel, tmp_path):
    project = write(tmp_path, {
        "a.py": "import nothing_there\n\ndef f(): pass\n", "b.py": "import os\nos._exit(9)\n\ndef g(): pass\n",
        "c.py": "raise SystemExit(2)\n\ndef h(): pass\n", "d.py": "def k():\n    return 1\n"})
    found = explored(tunnel, project, seconds=0.5)

    assert {name: one.failed for name, one in found.items()} == {
        "f": "ModuleNotFoundError: No module named 'nothing_there'",
        "g": "importing it: ended with exit code 9", "h": "SystemExit: 2", "k": ""}


def test_the_same_seed_finds_the_same_inputs(tunnel, tmp_path):
    project = write(tmp_path, {"m.py": "def f(a, b=3):\n    if a > 5 and b == 77:\n        return 1\n    return a * b\n"})

    assert calls_of(explored(tunnel, project, seed=5, seconds=20.0)) == calls_of(
        explored(tunnel, project, seed=5, seconds=20.0))


def test_faults_are_around_each_call_and_their_probe_is_reported(tunnel, tmp_path):
    faults = (b"import os\n\ndef begin(spec):\n    os.environ['BROKEN'] = spec['word']\n\n"
              b"def end():\n    del os.environ['BROKEN']\n\ndef probe(spec):\n    return {'word': os.environ['BROKEN']}\n")
    project = write(tmp_path, {"m.py": "import os\n\ndef f():\n    return os.environ.get('BROKEN')\n"})
    calls = calls_of(explored(tunnel, project, seconds=0.5))
    plain = replayed(tunnel, project, calls)
    broken = replayed(tunnel, project, calls, faults={"word": "yes"}, files={"windtunnel_faults.py": faults})

    assert broken.probe == {"word": "yes"}
    assert broken.called[0].ends[0].digest != plain.called[0].ends[0].digest


def test_hostile_inputs_are_their_share_of_the_calls(tunnel, tmp_path):
    project = write(tmp_path, {"m.py": "def f(text: str):\n    return text.upper()\n"})
    found = explored(tunnel, project, calls=8, hostile=50)

    assert sum(end.call.hostile for end in found["f"].ends) == 4


def test_a_module_that_leaves_with_code_0_costs_only_its_own_sections(tunnel, tmp_path):
    project = write(tmp_path, {"a.py": "import os\nos._exit(0)\n\ndef f(): pass\n", "z.py": "def g():\n    return 1\n"})
    found = explored(tunnel, project, seconds=0.5)

    assert {name: one.failed for name, one in found.items()} == {
        "f": "importing it: ended with exit code 0", "g": ""}


KILLER = "import os, signal\n\n\ndef killer():\n    os.kill(-1, signal.SIGKILL)\n\n\ndef sound():\n    return 1\n"


def test_a_section_that_kills_all_processes_is_named_and_the_others_are_called(tunnel, tmp_path):
    project = write(tmp_path, {"a.py": KILLER, "z.py": "def other():\n    return 1\n"})
    found = explored(tunnel, project, seconds=0.5)

    assert {name: one.failed or ends(one)[0][1] for name, one in found.items()} == {
        "killer": "it ended all processes of its sandbox", "sound": "returned", "other": "returned"}


def test_a_call_that_kills_all_processes_under_a_condition_alone_is_told_of_as_such(tunnel, tmp_path):
    source = ("import os, signal\n\n\ndef killer(n=1):\n    if os.environ.get('BROKEN'):\n"
              "        os.kill(-1, signal.SIGKILL)\n    return n\n\n\ndef sound():\n    return 1\n")
    faults = (b"import os\n\ndef begin(spec):\n    os.environ['BROKEN'] = 'yes'\n\n"
              b"def end():\n    del os.environ['BROKEN']\n\ndef probe(spec):\n    return {}\n")
    project = write(tmp_path, {"m.py": source})
    calls = calls_of(explored(tunnel, project, seconds=0.5, calls=2))
    again = replayed(tunnel, project, calls, faults={"word": "yes"}, files={"windtunnel_faults.py": faults})

    assert {(one.section.name, str(end.how), end.message) for one in again.called for end in one.ends} == {
        ("killer", "ended the process", "it ended all processes of its sandbox"), ("sound", "returned", "")}
    assert sum(len(one.ends) for one in again.called) == len(calls)


def test_the_processor_time_of_a_small_call_is_measured(tunnel, tmp_path):
    project = write(tmp_path, {"m.py": "def f():\n    return 1\n"})
    again = replayed(tunnel, project, calls_of(explored(tunnel, project, seconds=0.5)), repeats=5)

    assert all(0 < end.cpu_seconds < 1 for one in again.called for end in one.ends)
