import os
import subprocess
import sys
import threading

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.spawn import ask, converse, keeper_call, start

FORKED = """
import os, threading
from windtunnel.spawn import keeper_call
before = keeper_call(threading.get_native_id)
pid = os.fork()
if pid == 0:
    os._exit(7 if keeper_call(threading.get_native_id) not in (before, threading.get_native_id()) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), keeper_call(threading.get_native_id) == before)
"""

FORKED_AT_WORK = """
import os, threading
from windtunnel.spawn import keeper_call
entered, leave = threading.Event(), threading.Event()
busy = threading.Thread(target=lambda: keeper_call(lambda: (entered.set(), leave.wait())))
busy.start()
entered.wait()
pid = os.fork()
if pid == 0:
    os._exit(keeper_call(lambda: 7))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
leave.set()
busy.join()
"""


def python(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=30, check=False)
    return done.stdout.split() or done.stderr


def test_all_threads_share_one_keeper():
    told = []
    threads = [threading.Thread(target=lambda: told.append(keeper_call(threading.get_native_id))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(told), len(set(told))) == (20, 1)
    assert told[0] != threading.get_native_id()


def test_each_thread_gets_its_own_answer():
    told = {}

    def tell(number):
        told[number] = keeper_call(lambda: number * number)

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told == {number: number * number for number in range(50)}


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_what_the_act_raises_is_raised_where_it_was_asked_for(error):
    def act():
        raise error

    with pytest.raises(type(error)) as raised:
        keeper_call(act)

    assert raised.value is error
    assert keeper_call(lambda: "still here") == "still here"


def test_a_forked_child_has_a_keeper_of_its_own():
    assert python(FORKED) == ["7", "True"]


def test_a_fork_while_the_keeper_is_at_work_does_not_block_the_child():
    assert python(FORKED_AT_WORK) == ["7"]


def test_a_started_process_outlives_the_thread_that_asked_for_it():
    held = []
    leash_read, leash_write = os.pipe()

    def ask_for_one():
        code = "import ctypes, os; ctypes.CDLL(None).prctl(1, 9); os.read(0, 1)"
        held.append(start([sys.executable, "-I", "-S", "-c", code], stdin=leash_read, output=2, env={}))

    thread = threading.Thread(target=ask_for_one)
    thread.start()
    thread.join()
    os.close(leash_read)
    os.close(leash_write)

    assert held[0].wait(timeout=10) == 0, "it was killed with its thread instead of ending at the end of its input"


def test_a_started_process_gets_no_other_variable_and_a_session_of_its_own():
    read, write = os.pipe()
    code = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), os.getsid(0) == os.getpid())"

    process = start([sys.executable, "-I", "-S", "-c", code], output=write, env={"ONE": "1"})

    os.close(write)
    with os.fdopen(read) as output:
        assert output.read() == "['ONE'] True\n"
    assert process.wait() == 0


def test_a_program_that_cannot_start_is_our_failure_and_says_which():
    with pytest.raises(SandboxFailure, match=r"cannot start /nonexistent/tool: No such file or directory"):
        start(["/nonexistent/tool"], output=2, env={})


def test_a_conversation_goes_over_three_pipes_with_the_variables_and_the_folder_named(tmp_path):
    process = converse(["/bin/sh", "-c", "cat; pwd; echo $ONE >&2; exit 3"], cwd=str(tmp_path), env={"ONE": "1"})

    assert process.communicate(b"in\n") == (f"in\n{tmp_path}\n".encode(), b"1\n")
    assert process.returncode == 3


@pytest.mark.parametrize("leak", [False, True])
def test_a_conversation_passes_our_descriptors_on_only_when_told_to(leak, tmp_path):
    read, write = os.pipe()
    os.set_inheritable(write, True)

    process = converse(["/bin/sh", "-c", f"test -e /proc/self/fd/{write} && echo leaked"], cwd=str(tmp_path), env={}, leak=leak)

    assert process.communicate() == (b"leaked\n" if leak else b"", b"")
    os.close(read)
    os.close(write)


def test_a_conversation_with_what_cannot_start_is_our_failure(tmp_path):
    with pytest.raises(SandboxFailure, match=r"cannot start /nonexistent/tool: No such file or directory"):
        converse(["/nonexistent/tool"], cwd=str(tmp_path), env={})


def test_asking_joins_both_streams_and_tells_the_exit_code():
    assert ask(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"]) == (3, "out\nerr\n")


def test_asking_what_is_not_there_is_127():
    code, said = ask(["/nonexistent/tool"])

    assert (code, "No such file or directory" in said) == (127, True)


def test_asking_too_long_is_124():
    assert ask(["/bin/sh", "-c", "exec sleep 60"], seconds=0.2) == (124, "no answer within 0.2 seconds")


def test_asking_gives_only_the_variables_named():
    assert ask(["/usr/bin/env"], env={"ONE": "1"}) == (0, "ONE=1\n")


def test_asking_reads_no_input_of_ours():
    assert ask(["/bin/cat"]) == (0, "")


def test_bytes_that_are_no_text_do_not_break_an_answer():
    assert ask(["/usr/bin/printf", r"\377"]) == (0, "\N{REPLACEMENT CHARACTER}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can ask as another user")
def test_asking_as_another_user_leaves_root_and_its_groups():
    assert ask(["/bin/sh", "-c", "id -u; id -g; id -G"], uid=12345) == (0, "12345\n12345\n12345\n")


def test_a_conversation_may_have_a_session_of_its_own(tmp_path):
    code = "import os; print(os.getsid(0) == os.getpid())"
    told = [converse([sys.executable, "-I", "-S", "-c", code], cwd=str(tmp_path), env={}, session=session).communicate()
            for session in (False, True)]

    assert told == [(b"False\n", b""), (b"True\n", b"")]


def test_asking_hands_on_the_input_named(tmp_path):
    (tmp_path / "input").write_bytes(b"asked\n")

    with (tmp_path / "input").open("rb") as given:
        assert ask(["/bin/cat"], stdin=given) == (0, "asked\n")


@pytest.mark.parametrize(("code", "answer"), [(0, "out\n"), (3, "err\n")])
def test_asked_not_to_join_the_answer_of_a_failure_is_what_it_complained_of(code, answer):
    assert ask(["/bin/sh", "-c", f"echo out; echo err >&2; exit {code}"], join=False) == (code, answer)
