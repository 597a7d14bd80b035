"""Sandboxes made ahead of their runs."""

import contextlib
import os
import shutil
import socket
import threading
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.language import usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Command, Reason
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.warm import Pool

TABLE = LanguageTable()


class FakeGroup:
    def __init__(self):
        self.removed = False

    def remove(self):
        self.removed = True
        return True


class FakeSlot:
    def __init__(self, kind):
        self.kind, self.living, self.discarded, self.group = kind, True, False, FakeGroup()

    def alive(self):
        return self.living

    def discard(self):
        self.discarded = True


class Maker:
    """Makes fake slots; fails on request."""

    def __init__(self):
        self.made, self.failures = [], []

    def drop(self, slot):
        slot.discard()
        slot.group.remove()

    def __call__(self, kind):
        if self.failures:
            raise self.failures.pop()
        self.made.append(FakeSlot(kind))
        return self.made[-1]


@pytest.fixture
def maker():
    return Maker()


@pytest.fixture
def pool(maker):
    made = Pool(2, maker, drop=maker.drop)
    yield made
    made.close()


@pytest.fixture
def warm():
    made = Bubblewrap(pool_size=2)
    yield made
    made.close()


def run_folders(sandbox):
    groups = sandbox._groups
    return sorted(path.name for parent in set(groups.parents.values()) for path in parent.glob("run-*")) if groups else []


def test_nothing_is_made_before_it_is_asked_for(pool, maker):
    pool.flush()

    assert maker.made == []


def test_a_pool_fills_to_its_size(pool, maker):
    pool.fill("python")

    assert [slot.kind for slot in maker.made] == ["python", "python"]


def test_the_first_of_a_kind_finds_none_and_the_next_does(pool, maker):
    assert pool.take("python") is None
    pool.refill("python")
    pool.flush()

    assert pool.take("python") is maker.made[0]


def test_each_is_taken_once(pool):
    pool.fill("python")
    taken = []
    threads = [threading.Thread(target=lambda: taken.append(pool.take("python"))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = [slot for slot in taken if slot is not None]
    assert len(found) == len({id(slot) for slot in found}) >= 2


def test_what_was_taken_is_replaced(pool, maker):
    pool.fill("python")
    pool.take("python")
    pool.refill("python")
    pool.flush()

    assert len(maker.made) == 3


def test_a_dead_one_is_passed_over_and_thrown_away(pool, maker):
    pool.fill("python")
    maker.made[0].living = False

    assert pool.take("python") is maker.made[1]
    assert (maker.made[0].discarded, maker.made[1].discarded) == (True, False)


def test_the_control_group_of_a_dead_one_is_removed(pool, maker):
    pool.fill("python")
    maker.made[0].living = False

    pool.take("python")
    pool.refill("python")
    pool.flush()

    assert maker.made[0].group.removed


def test_kinds_do_not_mix(pool):
    pool.fill("python")
    pool.fill("node")

    assert [pool.take(kind).kind for kind in ("python", "node", "python")] == ["python", "node", "python"]


def test_closing_throws_away_all_that_waits(pool, maker):
    pool.fill("python")
    pool.fill("node")

    pool.close()

    assert [(slot.discarded, slot.group.removed) for slot in maker.made] == [(True, True)] * 4


def test_closing_ends_the_thread(pool):
    pool.fill("python")

    pool.close()

    assert not pool._thread.is_alive()


@pytest.mark.timeout(20)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("failure", [SandboxFailure("no"), OSError(24, "Too many open files")], ids=repr)
def test_a_failure_to_make_one_is_not_the_end_of_the_pool(pool, maker, failure):
    maker.failures = [failure]
    pool.take("python")
    pool.refill("python")
    done = threading.Event()
    pool.take("python")
    pool.refill("python")
    pool.later(done.set)

    assert done.wait(timeout=5), "the pool's thread died"
    assert pool.take("python") is maker.made[0]


def test_groups_are_buried_later_and_at_once_when_closed(pool):
    first, second = FakeGroup(), FakeGroup()
    pool.bury(first)
    pool.close()
    pool.bury(second)

    assert (first.removed, second.removed) == (True, True)


# --- with real sandboxes ---

def test_a_run_uses_a_waiting_sandbox_and_says_so(warm, job):
    first = warm.run(job("print('cold')"))
    warm.flush()

    second = warm.run(job("print('warm')"))

    assert (first.warm, first.stdout, second.warm, second.stdout) == (False, "cold\n", True, "warm\n")


def test_a_job_that_refuses_waiting_sandboxes_gets_a_new_one(warm, job):
    warm.warm_up(job("print(1)"))

    assert not warm.run(job("print(1)", warm=False)).warm


def test_a_waiting_sandbox_takes_the_limits_of_the_job(warm, job):
    warm.warm_up(job("print(1)"))

    result = warm.run(job("data = b'x' * (200 << 20)", limits=Limits(memory_bytes=64 << 20)))

    assert (result.warm, result.reason) == (True, Reason.OUT_OF_MEMORY)


def test_a_waiting_sandbox_takes_the_quota_of_the_job(warm, job):
    warm.warm_up(job("print(1)"))

    result = warm.run(job("open('/tmp/big', 'wb').write(bytes(4 << 20))", limits=Limits(disk_bytes=1 << 20)))

    assert (result.warm, result.reason) == (True, Reason.OUT_OF_DISK)


def test_waiting_sandboxes_share_nothing_that_a_run_wrote(warm, job, in_tmp):
    warm.warm_up(job("print(1)"))
    for _ in range(3):
        warm.run(job("open('/tmp/mine', 'w').write('x'); open('/dev/shm/mine', 'w').write('x')"))

    result = warm.run(job("import os; print(os.listdir('/tmp'), os.listdir('/dev/shm'))"))

    assert result.stdout == f"{in_tmp} []\n"


def test_a_killed_waiting_sandbox_is_passed_over_and_leaves_no_group(warm, job):
    warm.warm_up(job("print(1)"))
    (waiting,) = warm._pool._ready.values()
    dead = waiting[0]
    os.kill(dead.init(), 9)
    assert wait_for(lambda: not dead.alive())

    result = warm.run(job("print('in')"))
    warm.flush()

    assert result.stdout == "in\n"
    if dead.group is not None:
        assert not [str(folder) for folder in dead.group.folders.values() if folder.exists()]


def wait_for(true):
    deadline = threading.Event()
    for _ in range(500):
        if true():
            return True
        deadline.wait(0.01)
    return False


def test_an_order_that_failed_leaves_no_group(job):
    sandbox = Bubblewrap(pool_size=0)
    sandbox.run(job("print(1)"))
    sandbox.flush()
    (grown,) = sandbox._stems.values()
    before, control = run_folders(sandbox), grown.stem.control
    grown.stem.control = socket.socket()
    grown.stem.control.close()

    with pytest.raises(SandboxFailure):
        sandbox.run(job("print(1)"))

    sandbox.flush()
    left = run_folders(sandbox)
    grown.stem.control = control
    sandbox.close()
    assert left == before


SEARCH = """
import os, sys
def environ(pid):
    try:
        return open(f"/proc/{pid}/environ", "rb").read().decode("latin1")
    except OSError:
        return ""
needle = "-".join(["correct", "horse"])
seen = [f"environ of {pid}" for pid in os.listdir("/proc") if pid.isdigit() and needle in environ(pid)]
frame = sys._getframe().f_back
while frame is not None:
    seen += [name for name, value in (*frame.f_globals.items(), *frame.f_locals.items()) if needle in repr(value)]
    frame = frame.f_back
print(sorted(set(seen)))
"""


@pytest.mark.parametrize("size", [0, 1], ids=["no pool", "pool"])
def test_the_variables_of_one_run_cannot_be_found_by_the_next(job, size):
    sandbox = Bubblewrap(pool_size=size)
    secret = job("import os; print(os.environ['TOKEN'])")
    secret.command.env["TOKEN"] = "correct-horse"
    first = sandbox.run(secret)
    sandbox.flush()

    second = sandbox.run(job(SEARCH))
    sandbox.close()

    assert (first.stdout, second.stdout, second.stderr) == ("correct-horse\n", "[]\n", "")


def script_job(code, *, env=None, limits=None, **options):
    language = TABLE.get("javascript")
    if language.find(shutil.which) is None:
        pytest.skip("node is not installed here")
    toolchain = TABLE.toolchain(language)
    command = Command(argv=(toolchain.run[0], "/sandbox/main.js"), script="/sandbox/main.js",
                      env={"PATH": "/usr/bin", "HOME": "/tmp"} | dict(toolchain.env) | (env or {}),
                      files={"main.js": code.encode()})
    return Job(command=command, limits=limits or Limits(), language=language, toolchain=toolchain,
               **options)


def test_the_variables_of_one_run_cannot_be_found_by_the_next_in_a_waiting_interpreter(warm):
    look = "console.log(require('fs').readFileSync('/proc/self/environ', 'latin1').includes('correct' + '-horse'))"
    warm.run(script_job("console.log(1)", env={"TOKEN": "correct-horse"}))
    warm.flush()

    result = warm.run(script_job(look))

    assert (result.warm, result.stdout) == (True, "false\n")


def test_a_limit_below_what_a_waiting_interpreter_already_uses_is_no_failure_of_ours(warm):
    warm.run(script_job("console.log(1)"))
    warm.flush()

    result = warm.run(script_job("console.log(Buffer.alloc(64 << 20, 1).length)", limits=Limits(memory_bytes=8 << 20)))

    assert result.reason is Reason.OUT_OF_MEMORY


def test_a_waiting_interpreter_reaches_its_allowed_hosts_as_a_new_one_does(warm):
    code = """
require('net').connect(3128, '127.0.0.1')
    .on('connect', () => { console.log('proxy'); process.exit() })
    .on('error', error => console.log(error.code))
"""
    network = Network(allow_hosts=("example.com",))
    answers = []
    for _ in range(2):
        answers.append(warm.run(script_job(code, network=network)).stdout)
        warm.flush()

    assert answers == ["proxy\n", "proxy\n"]


def test_a_closed_sandbox_can_be_used_again(warm, job):
    warm.run(job("print(1)"))
    warm.close()

    assert warm.run(job("print(2)")).stdout == "2\n"


def test_closing_leaves_no_process_and_no_group(job):
    sandbox = Bubblewrap(pool_size=2)
    sandbox.warm_up(job("print(1)"))
    (waiting,) = sandbox._pool._ready.values()
    inits = [slot.init() for slot in waiting]
    folders = [*sandbox._groups.parents.values()] if sandbox._groups else []

    sandbox.close()

    assert len(inits) == 2
    assert wait_for(lambda: not [pid for pid in inits if Path(f"/proc/{pid}").exists()])
    assert [folder for folder in folders if folder.exists()] == []


SHELL_PROBE = """\
echo "$0 $# ${1-none} $- $PWD"
ls -l "$0" | cut -c1
read -r word; echo "$word"
sleep 0.01 & wait
no-such-command
( exit 7 ); echo $?
if true; then
"""


def shell_job(name, code, *, arguments=(), env=None):
    language = TABLE.get(name)
    toolchain = TABLE.toolchain(language)
    source = f"/sandbox/{language.source}"
    command = Command(argv=(toolchain.run[0], source, *arguments), script=source, stdin=b"word\n",
                      env=usual_env(toolchain, cores=Limits().cores) | (env or {}), files={language.source: code.encode()})
    return Job(command=command, limits=Limits(), language=language, toolchain=toolchain)


def command_lines():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


def answer(result):
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("name", ["bash", "sh"])
def test_a_script_cannot_tell_a_waiting_shell_from_a_fresh_one(warm, name):
    cold = warm.run(shell_job(name, SHELL_PROBE))
    warm.flush()

    result = warm.run(shell_job(name, SHELL_PROBE))

    assert (cold.warm, result.warm, answer(result)) == (False, True, answer(cold))
    assert result.stdout.startswith(f"/sandbox/main.{name} 0 none ")


@pytest.mark.parametrize("name", ["bash", "sh"])
def test_a_waiting_shell_is_loaded_before_its_program_comes(warm, name):
    warm.warm_up(shell_job(name, ""))

    assert any(line.endswith(f"\0/sandbox/main.{name}\0".encode()) for line in command_lines())


@pytest.mark.parametrize("name", ["bash", "sh"])
@pytest.mark.parametrize("given", [{"arguments": ("a b",)}, {"env": {"COLOUR": "red"}}])
def test_a_shell_with_arguments_or_variables_of_its_own_starts_afresh_and_gets_them(warm, name, given):
    warm.run(shell_job(name, ":"))
    warm.flush()

    result = warm.run(shell_job(name, 'echo "${1-none} ${COLOUR-none}"', **given))

    assert (result.warm, result.stdout) == (False, "a b none\n" if "arguments" in given else "none red\n")


@pytest.mark.parametrize("name", ["bash", "sh"])
def test_a_script_larger_than_a_pipe_still_runs_whole(warm, name):
    warm.run(shell_job(name, ":"))
    warm.flush()

    result = warm.run(shell_job(name, ":" + " " * (1 << 17) + "\necho done\n"))

    assert (result.warm, result.stdout) == (True, "done\n")


@pytest.mark.parametrize("name", ["bash", "sh"])
@pytest.mark.parametrize("code", ["", "exit 3\n" + "# never read\n" * 20_000], ids=["empty", "ends early"])
def test_a_waiting_shell_ends_with_its_script_however_much_of_it_was_read(warm, name, code):
    cold = warm.run(shell_job(name, code))
    warm.flush()

    result = warm.run(shell_job(name, code))

    assert (result.warm, answer(result)) == (True, answer(cold))


@pytest.mark.parametrize("name", ["bash", "sh"])
def test_a_shell_whose_program_comes_before_it_is_loaded_still_runs_it(name):
    sandbox = Bubblewrap(pool_size=1)

    results = [sandbox.run(shell_job(name, "echo $((6 * 7))")) for _ in range(60)]
    sandbox.close()

    assert {answer(result) for result in results} == {(0, "42\n", "")}
