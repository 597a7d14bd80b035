"""The code sandbox's own door: its words, its results, and that its runs share nothing."""

import math
import multiprocessing
import subprocess
import sys
import threading
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel import CodeSandbox, IsolationUnavailable, Limits, ResourceLimits, Tunnel, UsageError
from windtunnel.core.limits import GIB, MIB
from windtunnel.core.result import Level, Reason

NOT_NUMBERS = [0, -1, math.nan, math.inf, "5", "", None, True, [], 10**20]


@pytest.fixture
def sandbox(tunnel):
    return CodeSandbox(tunnel=tunnel)


# --- its words ---

def test_a_result_has_every_field_that_the_document_lists(sandbox):
    before = datetime.now(UTC)

    result = sandbox.execute("import sys\nprint('out')\nprint('err', file=sys.stderr)\n", "python")

    assert (result.success, result.exit_code, result.stdout, result.stderr, result.timeout, result.error_message,
            result.language) == (True, 0, "out\n", "err\n", False, None, "python")
    assert 0 < result.execution_time < 10
    assert isinstance(result.container_id, str)
    assert before <= result.timestamp <= before + timedelta(minutes=1)


def test_a_result_says_what_was_enforced_used_and_watched(sandbox, grouped):
    result = sandbox.execute("print(1)", "python")

    assert (result.level, result.reason, result.limits) == (Level.PROCESS, Reason.EXITED, Limits(cpu_seconds=3600.0))
    assert {"memory", "processes", "wall time", "disk", "files", "open files", "output", "network", "root",
            "capabilities", "system calls", "no new privileges", "process namespace"} <= set(result.enforced)
    assert result.usage.cpu_seconds > 0
    assert result.usage.memory_peak_bytes > 100_000
    assert result.usage.processes_peak >= 1
    assert result.effects.watched == ("files", "processes", "network", "blocked")
    assert [(stage.name, stage.exit_code) for stage in result.stages] == [("run", 0)]


def test_a_failure_is_a_result_with_one_line_of_reason(sandbox):
    result = sandbox.execute("raise ValueError('no such thing')", "python")

    assert (result.success, result.exit_code, result.error_message) == (False, 1, "ValueError: no such thing")


def test_limits_become_the_engines_own():
    limits = ResourceLimits(memory_limit="256m", memory_swap="1g", cpu_quota=50_000, cpu_period=100_000, cpu_shares=512,
                            pids_limit=50, timeout_seconds=5)

    assert limits.to_limits() == Limits(
        wall_seconds=5.0, cores=0.5, cpu_weight=512, memory_bytes=256 * MIB, swap_bytes=GIB - 256 * MIB, processes=50)


def test_limits_of_a_sandbox_hold_unless_a_call_has_its_own(tunnel):
    sandbox = CodeSandbox(ResourceLimits(timeout_seconds=7), tunnel=tunnel)

    own = sandbox.execute("print(1)", "python")
    given = sandbox.execute("print(1)", "python", ResourceLimits(timeout_seconds=8))

    assert (own.limits.wall_seconds, given.limits.wall_seconds) == (7.0, 8.0)


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", ["memory_limit", "cpu_quota", "cpu_period", "cpu_shares", "pids_limit", "timeout_seconds"])
def test_what_is_no_limit_is_refused_in_the_words_of_the_door(name, value):
    with pytest.raises(UsageError) as refused:
        ResourceLimits(**{name: value})

    assert refused.value.field == name
    assert str(refused.value).startswith(f"{name}: ")


@pytest.mark.parametrize(("name", "given"), [
    ("memory_limit", {"memory_limit": "1k"}), ("memory_limit", {"memory_limit": "lots"}),
    ("memory_swap", {"memory_limit": "512m", "memory_swap": "256m"}), ("memory_swap", {"memory_swap": -1}),
    ("pids_limit", {"pids_limit": 10.5}), ("cpu_shares", {"cpu_shares": 100.5}), ("cpu_shares", {"cpu_shares": 10**6}),
    ("cpu_quota", {"cpu_quota": 1000, "cpu_period": 10**9}),
])
def test_a_limit_that_cannot_be_is_refused_by_its_name(name, given):
    with pytest.raises(UsageError) as refused:
        ResourceLimits(**given)

    assert refused.value.field == name


def test_an_unknown_limit_is_a_type_error():
    with pytest.raises(TypeError, match="foo"):
        ResourceLimits(foo=1)


def test_more_than_thirty_seconds_is_refused_and_leaves_no_trace(new_tunnel):
    sandbox = CodeSandbox(tunnel=new_tunnel())

    with pytest.raises(UsageError, match="over the cap of 30") as refused:
        sandbox.execute("print(1)", "python", ResourceLimits(timeout_seconds=31))

    assert (refused.value.field, sandbox.get_execution_history()) == ("wall_seconds", [])


def test_walls_that_cannot_be_raised_are_refused_and_nothing_runs(new_tunnel, no_engine):
    heard = []
    sandbox = CodeSandbox(tunnel=new_tunnel(min_isolation="container"))

    with pytest.raises(IsolationUnavailable, match="no container engine is installed"):
        sandbox.execute("print(1)", "python", on_stdout=heard.append)

    assert (heard, sandbox.get_execution_history()) == ([], [])


@pytest.mark.parametrize("given", [{"min_isolation": "fortress"}, {"level": "fortress"}, {"pool_size": -1}, {"pool_size": "x"}],
                         ids=repr)
def test_a_tunnel_refuses_what_it_does_not_know_by_name(given, tunnel):
    (name,) = given

    with pytest.raises(UsageError) as refused:
        Tunnel(tunnel.settings, **given)

    assert refused.value.field == name


# --- its other verbs ---

def test_all_languages_are_listed(sandbox):
    assert sandbox.list_supported_languages()[:15] == [
        "python", "javascript", "typescript", "bash", "sh", "ruby", "go", "rust", "java", "c", "c++", "php", "perl",
        "lua", "r"]


def test_the_history_survives_a_restart(new_tunnel):
    with new_tunnel() as first:
        results = [CodeSandbox(tunnel=first).execute(f"print({number})", "python") for number in range(3)]

    records = CodeSandbox(tunnel=new_tunnel()).get_execution_history()

    assert [(record["id"], record["stdout"]) for record in records] == [
        (result.id, result.stdout) for result in reversed(results)]


def test_the_history_can_be_asked_for_the_latest_alone(sandbox):
    result = sandbox.execute("print('latest')", "python")

    assert [record["id"] for record in sandbox.get_execution_history(1)] == [result.id]


def test_a_failed_run_is_remembered_too(sandbox):
    result = sandbox.execute("raise SystemExit(3)", "python")

    record = sandbox.get_execution_history(1)[0]
    assert (record["id"], record["exit_code"], record["reason"]) == (result.id, 3, "exited")


def test_usage_is_known_by_the_runs_name(sandbox):
    result = sandbox.execute("print(1)", "python")

    assert sandbox.get_resource_usage(result.container_id) == asdict(result.usage)


def test_the_usage_of_an_unknown_run_is_refused(sandbox):
    with pytest.raises(UsageError, match="no run 'nobody'") as refused:
        sandbox.get_resource_usage("nobody")

    assert refused.value.field == "container_id"


def test_a_sandbox_can_be_used_again_after_it_was_cleaned_up(new_tunnel):
    sandbox = CodeSandbox(tunnel=new_tunnel(pool_size=1))
    sandbox.execute("print(1)", "python")

    sandbox.cleanup_all_containers()

    assert sandbox.execute("print(2)", "python").stdout == "2\n"


def test_closing_one_tunnel_leaves_another_of_the_same_process_alone(new_tunnel):
    one, other = new_tunnel(), new_tunnel()
    assert [one.run("print(1)").stdout, other.run("print(1)").stdout] == ["1\n", "1\n"]

    one.close()

    assert other.run("print(2)").stdout == "2\n"


# --- runs share nothing ---

LEAVE = """
import builtins, ctypes, json, os, socket
open("/tmp/left", "w").close()
open("/dev/shm/left", "w").close()
shared = ctypes.CDLL(None).shmget(0x5774, 4096, 0o1666)
sock = socket.socket(socket.AF_UNIX)
sock.bind("\\0left")
sock.listen()
os.environ["LEFT"] = "1"
json.dumps = builtins.len = None
print(shared >= 0, flush=True)
"""
LOOK = """
import ctypes, json, os, socket
def connects():
    try:
        socket.socket(socket.AF_UNIX).connect("\\0left")
        return True
    except OSError:
        return False
print(os.path.exists("/tmp/left"), os.path.exists("/dev/shm/left"), ctypes.CDLL(None).shmget(0x5774, 4096, 0o666) >= 0,
      connects(), "LEFT" in os.environ, json.dumps is None, len is None)
"""


def test_what_a_run_leaves_the_same_run_finds(sandbox):
    """The control: each of these can be seen where nothing stands between."""
    assert sandbox.execute(LEAVE + LOOK, "python").stdout == "True\nTrue True True True True True True\n"


def test_what_a_run_leaves_the_next_does_not_find(sandbox):
    assert sandbox.execute(LEAVE, "python").stdout == "True\n"

    assert sandbox.execute(LOOK, "python").stdout == "False False False False False False False\n"


def test_two_runs_at_once_do_not_find_each_other(sandbox, tunnel):
    seen = []

    def look(_):
        seen.append(sandbox.execute(LOOK, "python").stdout)

    tunnel.run(LEAVE + "input()\n", on_stdout=look)

    assert seen == ["False False False False False False False\n"]


@pytest.mark.parametrize("code", [
    "import random\nprint(random.random())", "import random\nprint(random.Random().random())", "import uuid\nprint(uuid.uuid4())",
    "import secrets\nprint(secrets.token_hex())", "import tempfile\nprint(tempfile.mktemp())", "import os\nprint(os.urandom(8))",
])
def test_random_numbers_differ_from_run_to_run(sandbox, code):
    assert len({sandbox.execute(code, "python").stdout for _ in range(6)}) == 6


# --- waiting or fresh, many threads, a forked child ---

SAME = {
    "print": "print('hello')",
    "unicode": "print('größe', '\\N{SNOWMAN}')",
    "standard error": "import sys\nprint('e', file=sys.stderr)",
    "exit code": "raise SystemExit(7)",
    "exit with text": "raise SystemExit('bye')",
    "exit in a finally": "try:\n    1 / 0\nfinally:\n    import os\n    os._exit(9)",
    "traceback": "def f():\n    raise ValueError('no')\n\ndef g():\n    f()\n\ng()\n",
    "chained errors": "try:\n    {}['a']\nexcept KeyError as error:\n    raise RuntimeError('no') from error\n",
    "syntax error": "print((1)\n",
    "not UTF-8": b"print('\xff')\n",
    "input": "print(input(), input())",
    "end of input": "for _ in range(3):\n    input()",
    "main": "print(__name__, __file__, __doc__, __spec__, __package__, sorted(globals()))",
    "doc": "'''words'''\nprint(__doc__)",
    "where": "import os, sys\nprint(os.getcwd(), sys.argv, sys.path, sys.executable, sys.prefix)",
    "flags": "import sys\nprint(sys.flags)",
    "environment": "import os\nprint(sorted(os.environ.items()))",
    "at exit": "import atexit\natexit.register(print, 'last')\nprint('first')",
    "threads": "import threading\nt = threading.Thread(target=print, args=('in a thread',))\nt.start()\nt.join()",
    "error in a thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\nt.start()\nt.join()",
    "child process": "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True).stdout)",
    "multiprocessing": "import multiprocessing\nif __name__ == '__main__':\n    with multiprocessing.Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))",
    "recursion": "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as error:\n    print(error)",
    "signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "asyncio": "import asyncio\nasync def f():\n    return 5\nprint(asyncio.run(f()))",
    "who": "import getpass, os, socket\nprint(os.getuid(), os.getgid(), os.getgroups(), getpass.getuser(), socket.gethostname())",
    "descriptors": "import os\nprint(sorted(os.listdir('/proc/self/fd'))[:-1], os.isatty(0), os.getsid(0) == os.getpid())",
    "signals": "import signal\nprint([signal.getsignal(one) for one in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)])",
    "future import": "from __future__ import annotations\ndef f(x: missing): pass\nprint(f.__annotations__)",
    "streams": "import sys\nprint([(s.encoding, s.errors, s.line_buffering) for s in (sys.stdin, sys.stdout, sys.stderr)])",
    "own module": "import helper\nprint(helper.__file__, helper.value)",
    "import from main": "import __main__\nprint(__main__.__file__)\nimport pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__)",
    "warning": "import warnings\nwarnings.warn('careful')",
    "closed output": "import sys\nsys.stdout.close()",
}


@pytest.mark.parametrize("name", SAME)
def test_a_waiting_sandbox_gives_the_same_answers_as_a_fresh_one(tunnel, name):
    def answer(*, warm):
        tunnel.warm_up()
        result = tunnel.run(SAME[name], stdin="one\ntwo\n", files={"helper.py": "value = 1\n"}, warm=warm)
        return result.warm, (result.stdout_bytes, result.stderr_bytes, result.exit_code, result.reason)

    (was_waiting, warm), (was_not, fresh) = answer(warm=True), answer(warm=False)

    assert (was_waiting, was_not) == (True, False)
    assert warm == fresh


def test_a_caller_who_ignores_interruptions_does_not_make_his_programs_ignore_them():
    code = "import signal; print(signal.getsignal(signal.SIGINT))"

    done = subprocess.run(["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-m", "windtunnel", "run", "-c", code],
                          capture_output=True, text=True, check=True)

    assert done.stdout == "<built-in function default_int_handler>\n"


def test_one_sandbox_serves_many_threads_at_once(sandbox, in_tmp):
    answers = {}

    def act(number):
        answers[number] = sandbox.execute(f"import os\nprint({number}, os.listdir('/tmp'))\nopen('/tmp/{number}', 'x')", "python").stdout

    threads = [threading.Thread(target=act, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert answers == {number: f"{number} {in_tmp}\n" for number in range(20)}


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_can_use_the_same_sandbox_and_so_can_the_parent_after_it(sandbox):
    sandbox.execute("print('before')", "python")
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(
        target=lambda: sender.send([sandbox.execute(f"print({number})", "python").stdout for number in range(3)]))

    child.start()
    answered = receiver.poll(60)
    child.join(30)

    assert (answered, child.exitcode) == (True, 0)
    assert receiver.recv() == ["0\n", "1\n", "2\n"]
    assert sandbox.execute("print('after')", "python").stdout == "after\n"
