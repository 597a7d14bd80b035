"""The real profilers, run bare with the sandbox's places moved to a folder of the test's own, and the readers."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from dataclasses import dataclass

import pytest

from windtunnel.core.errors import LanguageMissing
from windtunnel.languages import LanguageTable, profile_node, profile_python
from windtunnel.languages.profiling import collapse, stacks


@dataclass(frozen=True)
class Ran:
    exit_code: int
    stdout: str
    stderr: str


class Profiled:
    """One language's profiler in a folder that stands for /sandbox and /tmp."""

    def __init__(self, folder, name):
        table = LanguageTable()
        self.language = table.get(name)
        try:
            self.toolchain = table.toolchain(self.language)
        except LanguageMissing as missing:
            pytest.skip(str(missing))
        self.folder, self.source, self.profile = folder, folder / self.language.source, folder / "windtunnel-profile"
        (folder / ".windtunnel").mkdir()
        (folder / ".windtunnel" / "profiler").write_text(self.language.profiler)

    def run(self, code, *arguments, command=None):
        self.source.write_text(code)
        places = {"{source}": str(self.source), "{profile}": str(self.profile), "/sandbox/": f"{self.folder}/"}
        argv = list(command or self.toolchain.profile)
        for name, place in places.items():
            argv = [word.replace(name, place) for word in argv]
        env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **self.toolchain.env}
        done = subprocess.run(
            [*argv, *arguments], env=env, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def bare(self, code, *arguments):
        return self.run(code, *arguments, command=self.toolchain.run)

    def collapsed(self):
        return self.language.read_profile(self.profile.read_bytes())

    def own(self, function):
        """Microseconds in frames of that function as the innermost one."""
        return sum(weight for stack, weight in stacks(self.collapsed()) if stack[-1].startswith(f"{function} ("))


@pytest.fixture
def python(tmp_path):
    return Profiled(tmp_path, "python")


@pytest.fixture
def node(tmp_path):
    return Profiled(tmp_path, "javascript")


PYTHON_BUSY = """\
def hot():
    for number in range(90_000):
        number % 7

def cold():
    for number in range(10_000):
        number % 7

for _ in range(60):
    hot()
    cold()
"""


def test_a_hot_python_function_has_most_of_the_time(python):
    python.run(PYTHON_BUSY)

    assert python.own("hot") > 3 * python.own("cold") > 0


def test_a_python_frame_is_named_by_function_file_and_line_of_its_definition(python):
    python.run(PYTHON_BUSY)

    assert python.collapsed().splitlines()[0].rpartition(" ")[0] == "<module> (main.py:1);hot (main.py:1)"


def test_python_threads_are_all_sampled(python):
    python.run(
        "import threading, time\n"
        "def left():\n    time.sleep(0.2)\n"
        "def right():\n    time.sleep(0.2)\n"
        "for target in (left, right):\n    threading.Thread(target=target).start()\n"
    )

    assert min(python.own("left"), python.own("right")) > 100_000


def test_waiting_counts_as_time(python):
    """What a processor timer would not see; weighed by time, so being sampled more often changes nothing."""
    python.run("import time\ndef nap():\n    time.sleep(0.3)\n" + PYTHON_BUSY + "nap()\n")

    assert 250_000 < python.own("nap") < 450_000


def test_the_profiler_is_not_in_its_own_profile(python):
    python.run(PYTHON_BUSY)

    assert {name for stack, _ in stacks(python.collapsed()) for name in stack if "main.py" not in name} == set()


SAME = {
    "an exception": "def fail():\n    raise ValueError('no such thing')\nfail()\n",
    "a chain of exceptions": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError(1)\n",
    "an exception group": "raise ExceptionGroup('both', [ValueError(1), TypeError(2)])\n",
    "an exit code": "import sys\nsys.exit(3)\n",
    "an exit text": "import sys\nsys.exit('that is all')\n",
    "a syntax error": "print((1)\n",
    "an interrupt": "raise KeyboardInterrupt\n",
    "an own exception hook": (
        "import sys\nsys.excepthook = lambda kind, error, traceback: print(kind, traceback.tb_next)\n1 / 0\n"
    ),
    "its arguments and path": "import sys\nprint(sys.argv, sys.path)\n",
    "its names": (
        "print({name: str(value).split(' object at')[0] for name, value in globals().items()})\n"
        "import sys\nprint(sys.modules['__main__'].__dict__ is globals())\n"
    ),
    "its future": "def name(thing: Missing): pass\n",
    "its threads": "import threading\nprint(threading.active_count(), threading.enumerate()[0].name)\n",
    "a thread after the end": (
        "import atexit, threading\natexit.register(print, 'last')\n"
        "def later():\n    threading.main_thread().join()\n    print('later')\n"
        "threading.Thread(target=later).start()\n"
    ),
    "a finaliser": "class Thing:\n    def __del__(self):\n        print('gone')\nthing = Thing()\n",
    "a pickled class": "import pickle\nclass Thing: pass\nprint(type(pickle.loads(pickle.dumps(Thing()))))\n",
    "its own source": "import inspect\ndef double(x):\n    return 2 * x\nprint(inspect.getsource(double))\n",
    "spawned processes": (
        "import multiprocessing\ndef double(x):\n    return 2 * x\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(pool.map(double, [1, 2]))\n"
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_a_profiled_python_program_ends_and_prints_as_without_the_profiler(python, case):
    profiled = python.run(SAME[case], "one", "--two")

    assert profiled == python.bare(SAME[case], "one", "--two")


def test_an_uncaught_exception_shows_the_programs_frames_alone(python):
    ran = python.run("def fail():\n    raise ValueError('no such thing')\nfail()\n")

    assert ran == Ran(
        1, "",
        "Traceback (most recent call last):\n"
        f'  File "{python.source}", line 3, in <module>\n    fail()\n'
        f'  File "{python.source}", line 2, in fail\n'
        "    raise ValueError('no such thing')\nValueError: no such thing\n",
    )  # fmt: skip


def test_a_python_program_sees_one_module_more_than_usual(python):
    code = "import sys\nprint(*sorted(sys.modules), sep='\\n')\n"

    profiled, bare = python.run(code), python.bare(code)

    assert set(profiled.stdout.split()) - set(bare.stdout.split()) <= {"atexit"}


@pytest.mark.parametrize("end", ["raise ValueError", "raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_a_python_program_that_fails_leaves_its_profile(python, end):
    python.run(PYTHON_BUSY + end + "\n")

    assert python.own("hot") > 0


UNTIL_CHECKPOINT = (
    "import os, signal, sys\n"
    "def busy():\n    while not os.path.exists(sys.argv[1]):\n        sum(range(1000))\n"
    "busy()\n"
)


def test_a_python_program_that_is_killed_leaves_what_was_seen_before(python):
    ran = python.run(UNTIL_CHECKPOINT + "os.kill(os.getpid(), signal.SIGKILL)\n", str(python.profile))

    assert ran.exit_code == -signal.SIGKILL
    assert sum(weight for stack, weight in stacks(python.collapsed()) if "busy (main.py:2)" in stack) > 100_000


def test_what_ends_by_itself_before_the_first_checkpoint_leaves_nothing(python):
    ran = python.run("import os\nos._exit(4)\n")

    assert (ran, python.profile.exists()) == (Ran(4, "", ""), False)


def test_a_forked_child_leaves_its_parents_profile_alone(python):
    python.run(
        "import os\ndef parent():\n    os.wait()\n    sum(range(3_000_000))\n"
        "def child():\n    sum(range(100))\n"
        "parent() if os.fork() else child()\n"
    )

    assert python.own("parent") > 0


def test_a_deep_python_stack_keeps_its_root_and_its_leaf(python):
    python.run(
        "import sys\nsys.setrecursionlimit(2000)\n"
        "def leaf():\n    sum(range(20_000_000))\n"
        "def down(depth):\n    down(depth - 1) if depth else leaf()\n"
        "down(1000)\n"
    )

    heaviest = python.collapsed().splitlines()[0].rpartition(" ")[0].split(";")

    assert (len(heaviest), heaviest[0], heaviest[100], heaviest[-1]) == (
        200, "<module> (main.py:1)", "(omitted frames)", "leaf (main.py:3)"
    )  # fmt: skip


def test_one_long_call_that_lets_nobody_in_is_still_counted(python):
    python.run("def long():\n    return sum(range(10_000_000))\nlong()\n")

    assert python.own("long") > 20_000


def test_odd_python_names_stay_one_frame(python):
    python.run(
        "exec(compile('def busy():\\n    sum(range(20_000_000))\\nbusy()', 'a;b\\nc 7\\u202e', 'exec'))\n"
    )

    assert python.collapsed().splitlines()[0].rpartition(" ")[0] == (
        "<module> (main.py:1);<module> (a?b?c 7?:1);busy (a?b?c 7?:1)"
    )


NODE_BUSY = """\
function hot() { let sum = 0; for (let i = 0; i < 9e5; i++) sum += Math.sqrt(i % 7); return sum; }
function cold() { let sum = 0; for (let i = 0; i < 1e5; i++) sum += Math.sqrt(i % 7); return sum; }
// Calling by name out of a table keeps the two from being merged into their caller.
const table = { hot, cold };
for (let round = 0; round < 120; round++) for (const name of ['hot', 'cold']) table[name]();
"""


def test_a_hot_javascript_function_has_most_of_the_time(node):
    node.run(NODE_BUSY)

    assert node.own("hot") > 3 * node.own("cold")


def test_a_javascript_stack_begins_at_the_program_and_not_at_the_loader(node):
    node.run(NODE_BUSY)

    heaviest = node.collapsed().splitlines()[0].rpartition(" ")[0]

    assert heaviest == f"(anonymous) ({node.source}:1);hot ({node.source}:1)"


@pytest.mark.parametrize(
    ("end", "exit_code"), [("process.exit(3);", 3), ("process.exitCode = 4;", 4), ("throw new Error('no');", 1)]
)
def test_a_javascript_program_ends_as_usual_and_leaves_its_profile(node, end, exit_code):
    ran = node.run(NODE_BUSY + end)

    assert (ran, node.own("hot") > 0) == (node.bare(NODE_BUSY + end), True)
    assert ran.exit_code == exit_code


def site(number, name, *children, url="file:///sandbox/main.js", line=0):
    frame = {"functionName": name, "url": url, "lineNumber": line, "columnNumber": 0}
    return {"id": number, "callFrame": frame, "children": list(children)}


def cpuprofile(nodes, samples, deltas, *, end=0):
    document = {"nodes": nodes, "samples": samples, "timeDeltas": deltas, "startTime": 0, "endTime": end}
    return json.dumps(document).encode()


NODES = [site(1, "(root)", 2, 4, url=""), site(2, "", 3), site(3, "work", line=6), site(4, "(idle)", url="")]


def test_a_sample_lasts_until_the_next_and_the_last_until_the_end():
    data = cpuprofile(NODES, [2, 3, 3, 4], [5, 10, 20, 40], end=100)

    assert profile_node.read_profile(data) == (
        "(anonymous) (main.js:1);work (main.js:7) 60\n(idle) 25\n(anonymous) (main.js:1) 10\n"
    )


def test_time_that_runs_backwards_counts_as_none():
    data = cpuprofile(NODES, [3, 3], [5, -10])

    assert profile_node.read_profile(data) == ""


def test_a_call_tree_that_bites_its_tail_gives_nothing():
    data = cpuprofile([site(1, "a", 2), site(2, "b", 1)], [2, 2], [1, 1])

    assert profile_node.read_profile(data) == ""


def test_loading_alone_is_kept_and_loading_before_the_program_is_not():
    loader = site(2, "load", 3, url="node:internal/modules/run_main")
    nodes = [site(1, "(root)", 2, url=""), loader, site(3, "work", 4), site(4, "open", url="node:fs")]
    loader["children"].append(5)
    data = cpuprofile([*nodes, site(5, "stat", url="node:fs")], [2, 3, 4, 5, 5], [0, 1, 2, 3, 4])

    assert profile_node.read_profile(data) == (
        "load (node:internal/modules/run_main:1);stat (node:fs:1) 4\n"
        "work (main.js:1);open (node:fs:1) 3\n"
        "work (main.js:1) 2\n"
        "load (node:internal/modules/run_main:1) 1\n"
    )


GARBAGE = [
    b"", b"\0" * 1000, b"\xff\xfe\xfa", b"no number\n", b" 12\n", b"a -1\n", b"a 1.5\n", b"a 0\n",
    b"a " + b"9" * 5000 + b"\n", "a \u0663\n".encode(), b"{", b"[]", b"null", b'"text"', b"{}", b"[" * 300_000,
    b'{"nodes": 1, "samples": {}, "timeDeltas": null}', b'{"nodes": [null, 1, {"id": "x"}], "samples": [true]}',
    b'{"samples": [1e999, NaN], "timeDeltas": [1, ' + b"1" * 5000 + b"]}", b"{}," * 1_000_000,
]  # fmt: skip


@pytest.mark.parametrize("read", [profile_python.read_profile, profile_node.read_profile])
@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_gives_nothing(read, data):
    assert read(data) == ""


def broken(data, seed):
    """The same bytes with a few of them changed."""
    chance, changed = random.Random(seed), bytearray(data)
    for _ in range(chance.randint(1, 12)):
        changed[chance.randrange(len(changed))] = chance.choice(b'0919{}[]",:;\n \x00\xff')
    return bytes(changed)


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (profile_python.read_profile, b"<module> (main.py:1);hot (main.py:1) 1200\n" * 5),
        (profile_node.read_profile, cpuprofile(NODES, [2, 3, 3, 4], [5, 10, 20, 40], end=100)),
    ],
    ids=["python", "javascript"],
)
def test_damaged_profiles_are_read_as_lines_or_as_nothing(read, data):
    texts = [read(broken(data, seed)) for seed in range(500)]

    assert [text for text in texts if len(list(stacks(text))) != text.count("\n")] == []


def bounds(text):
    """The most lines, frames and letters, each no more than promised."""
    lines = [line.rpartition(" ")[0].split(";") for line in text.splitlines()]
    return (len(lines), max(map(len, lines)), max(len(name) for frames in lines for name in frames))


def test_a_flood_of_python_lines_is_cut():
    data = b"".join(b"frame%d;%s 1\n" % (number, b"x" * 300) for number in range(40_000))

    assert bounds(profile_python.read_profile(data)) == (19_999 + 1, 2, 200)


def test_a_flood_of_javascript_frames_is_cut_and_its_weight_kept():
    """Two hundred long names above each of many leaves: a hundred times the file if it were written out."""
    chain = [site(number, "x" * 300, number + 1) for number in range(1, 240)]
    leaves = [site(number, "y" * 300) for number in range(241, 30_000)]
    data = cpuprofile([*chain, site(240, "x", *range(241, 30_000)), *leaves], list(range(241, 30_000)), [1] * 29_760)

    text = profile_node.read_profile(data)

    assert len(text) < 17 * 1024**2
    assert bounds(text)[1:] == (200, 200)
    assert sum(weight for _, weight in stacks(text)) == 29_759


def test_what_does_not_fit_has_a_line_of_its_own():
    text = collapse(((f"frame{number}",), 2) for number in range(20_010))

    assert (text.count("\n"), text.splitlines()[-1]) == (20_000, "(omitted stacks) 22")


def test_letters_that_hide_or_reorder_are_replaced():
    mark = "\N{REPLACEMENT CHARACTER}"

    assert collapse([(("a;b\n\x1b[31m", "\u202egnp.exe", "\u200b", ""), 3)]) == (
        f"a{mark}b{mark}{mark}[31m;{mark}gnp.exe;{mark};? 3\n"
    )
