"""The watch over one run, with a real child process in the place of init."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from stand_in import dead, descriptors

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.result import Reason
from windtunnel.spawn import Ending, supervise

FOREVER = "\nsignal.pause()\n"

STOPPED = """
import os, signal, socket, subprocess, sys
from windtunnel.core.errors import SandboxFailure
from windtunnel.spawn import Kept, Watched, supervise
for _ in range(12):
    channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = subprocess.Popen(["sleep", "60"])
    pipes = [os.pipe() for _ in range(3)]
    run = Watched(channel=channel, pidfd=os.pidfd_open(child.pid), stdin=pipes[0][1], stdout=pipes[1][0],
                  stderr=pipes[2][0], kept_out=Kept(9, sink=lambda data: None), kept_err=Kept(9), wall_seconds=0.3,
                  tick=lambda: None)
    code = "import os, signal, time; time.sleep(0.1); os.kill(%d, signal.SIGSTOP); time.sleep(0.4); os.kill(%d, signal.SIGCONT)"
    stopper = subprocess.Popen([sys.executable, "-I", "-S", "-c", code % (os.getpid(), os.getpid())])
    try:
        print(supervise(run).reason)
    except SandboxFailure as failure:
        print("failure:", failure)
    child.wait()
    stopper.wait()
"""


def ended(ending, **fields):
    """The ending without the times that differ from run to run."""
    wall = fields.pop("wall_seconds", ending.wall_seconds)
    return Ending(**{"status": 0, "reason": Reason.EXITED, "wall_seconds": wall, "cpu_seconds": 0.5,
                     "memory_peak_bytes": 1048576, "read_bytes": 10, "written_bytes": 20} | fields)


def killed(ending, reason):
    return Ending(status=None, reason=reason, wall_seconds=ending.wall_seconds)


def test_a_run_that_reports_ends_with_its_report_and_output(begin):
    run = begin("os.write(1, b'out'); os.write(2, b'err'); report(3 << 8, b'one', b'\\xfftwo')")

    ending = supervise(run)

    assert ending == ended(ending, status=3 << 8, left=("one", "\\xfftwo"))
    assert (run.kept_out.value(), run.kept_err.value()) == (b"out", b"err")


def test_the_deadline_ends_a_silent_run(begin):
    run = begin(FOREVER, wall_seconds=0.3)

    ending = supervise(run)

    assert ending == killed(ending, Reason.TIMEOUT)
    assert 0.3 <= ending.wall_seconds < 10
    assert dead(run.pidfd)


def test_output_before_the_deadline_is_kept(begin):
    run = begin("os.write(1, b'so far')" + FOREVER, wall_seconds=0.5)

    ending = supervise(run)

    assert (ending.reason, run.kept_out.value()) == (Reason.TIMEOUT, b"so far")


def test_a_run_that_never_stops_writing_meets_its_deadline(begin):
    run = begin("while True: os.write(1, bytes(65536))", wall_seconds=0.5, most_bytes=100)

    ending = supervise(run)

    assert ending == killed(ending, Reason.TIMEOUT)
    assert ending.wall_seconds < 10
    assert run.kept_out.dropped > 65536


def test_a_limit_seen_by_the_tick_ends_the_run_for_its_reason(begin):
    answers = iter([None, None, Reason.OUT_OF_MEMORY])
    run = begin(FOREVER, tick=lambda: next(answers))

    ending = supervise(run)

    assert ending == killed(ending, Reason.OUT_OF_MEMORY)
    assert dead(run.pidfd)


def test_a_death_without_a_word_is_a_kill(begin):
    run = begin("os.write(1, b'last'); os.kill(os.getpid(), 9)")

    ending = supervise(run)

    assert ending == killed(ending, Reason.KILLED)
    assert run.kept_out.value() == b"last"


def test_a_sink_that_blocks_does_not_defeat_the_deadline(begin):
    seen = []
    run = begin("os.write(1, b'x')" + FOREVER, wall_seconds=0.3, sink=lambda _: seen.append(dead(run.pidfd, seconds=8)))

    ending = supervise(run)

    assert seen == [True], "the run was alive for as long as the sink waited"
    assert ending == killed(ending, Reason.TIMEOUT)


def test_without_a_deadline_of_its_own_the_blocked_sink_would_wait_for_good(begin):
    seen = []
    run = begin("os.write(1, b'x'); time.sleep(1); report()", wall_seconds=30,
                sink=lambda _: seen.append(dead(run.pidfd, seconds=0.3)))

    supervise(run)

    assert seen == [False]


def test_a_sink_that_raises_ends_the_run_first(begin):
    def sink(_):
        raise ZeroDivisionError

    run = begin("os.write(1, b'x')" + FOREVER, sink=sink)

    with pytest.raises(ZeroDivisionError):
        supervise(run)

    assert dead(run.pidfd, seconds=5)


def test_an_interruption_of_the_supervisor_ends_the_run_first(begin):
    def tick():
        raise KeyboardInterrupt

    run = begin(FOREVER, tick=tick)

    with pytest.raises(KeyboardInterrupt):
        supervise(run)

    assert dead(run.pidfd, seconds=5)


def test_a_grandchild_that_keeps_the_pipe_open_does_not_hold_the_run(begin):
    run = begin("if os.fork() == 0:\n    os.read(leash, 1); os._exit(0)\nos.write(1, b'answer'); report()")

    ending = supervise(run)

    assert ending == ended(ending)
    assert ending.wall_seconds < 10
    assert run.kept_out.value() == b"answer"


def test_a_grandchild_that_keeps_the_pipe_open_does_not_hold_a_killed_run(begin):
    run = begin("if os.fork() == 0:\n    os.read(leash, 1); os._exit(0)" + FOREVER, wall_seconds=0.3)

    ending = supervise(run)

    assert ending == killed(ending, Reason.TIMEOUT)
    assert ending.wall_seconds < 10


def test_input_larger_than_the_pipe_that_is_never_read_does_not_hold_the_run(begin):
    run = begin("report()", input=bytes(8 << 20))

    ending = supervise(run)

    assert ending == ended(ending)


def test_input_that_is_never_read_does_not_defeat_the_deadline(begin):
    run = begin(FOREVER, input=bytes(8 << 20), wall_seconds=0.3)

    ending = supervise(run)

    assert ending == killed(ending, Reason.TIMEOUT)


def test_large_input_comes_whole_and_then_ends(begin):
    run = begin("data = sys.stdin.buffer.read(); os.write(1, b'%d' % len(data)); report()", input=bytes(3_000_001))

    ending = supervise(run)

    assert (ending, run.kept_out.value()) == (ended(ending), b"3000001")


def test_input_to_a_program_that_closed_its_stream_is_dropped(begin):
    run = begin("os.close(0); time.sleep(0.2); os.write(1, b'went on'); report()", input=bytes(8 << 20))

    ending = supervise(run)

    assert (ending, run.kept_out.value()) == (ended(ending), b"went on")


def test_no_input_is_the_end_of_input_at_once(begin):
    run = begin("os.write(1, repr(sys.stdin.read()).encode()); report()")

    supervise(run)

    assert run.kept_out.value() == b"''"


def test_live_input_arrives_while_the_run_lasts(begin):
    read, write = os.pipe()
    answers = []

    def answer(data):
        answers.append(data)
        if len(answers) < 3:
            os.write(write, b"more\n")
        else:
            os.close(write)

    with os.fdopen(read, "rb", buffering=0) as live:
        run = begin("os.write(1, b'ready')\nfor line in sys.stdin.buffer: os.write(1, b'got ' + line)\nreport()",
                    live_input=live, sink=answer)
        ending = supervise(run)

    assert ending == ended(ending)
    assert b"".join(answers) == b"readygot more\ngot more\n"


def test_live_input_follows_the_given_input(begin):
    read, write = os.pipe()
    os.write(write, b" live")
    os.close(write)

    with os.fdopen(read, "rb", buffering=0) as live:
        run = begin("os.write(1, sys.stdin.buffer.read()); report()", input=b"given", live_input=live)
        supervise(run)

    assert run.kept_out.value() == b"given live"


def test_live_input_from_a_file_comes_whole(begin, tmp_path):
    (tmp_path / "input").write_bytes(bytes(300_000))

    with (tmp_path / "input").open("rb") as live:
        run = begin("os.write(1, b'%d' % len(sys.stdin.buffer.read())); report()", live_input=live)
        supervise(run)

    assert run.kept_out.value() == b"300000"


def test_live_input_that_the_caller_has_read_from_is_continued_where_the_caller_stopped(begin, tmp_path):
    (tmp_path / "input").write_bytes(b"first\nsecond\n")

    with (tmp_path / "input").open("rb") as live:
        assert live.readline() == b"first\n"
        run = begin("os.write(1, sys.stdin.buffer.read()); report()", live_input=live)
        supervise(run)

    assert run.kept_out.value() == b"second\n"


def test_live_input_that_never_comes_does_not_defeat_the_deadline(begin):
    read, write = os.pipe()

    with os.fdopen(read, "rb", buffering=0) as live:
        run = begin("sys.stdin.read(); report()", live_input=live, wall_seconds=0.3)
        ending = supervise(run)
    os.close(write)

    assert ending == killed(ending, Reason.TIMEOUT)


def test_live_input_without_a_descriptor_is_refused_and_nothing_leaks(begin):
    run = begin(FOREVER, live_input=io.BytesIO(b"text"))
    pipes = {run.stdin, run.stdout, run.stderr}

    with pytest.raises(Exception) as raised:  # noqa: PT011 -- which class it is does not matter here
        supervise(run)

    assert not isinstance(raised.value, AssertionError)
    assert not {number for number in pipes if Path(f"/proc/self/fd/{number}").exists()}
    assert dead(run.pidfd, seconds=5), "the run goes on although nobody watches"


def test_a_report_heard_before_the_watch_began_counts(begin):
    run = begin(FOREVER, heard=[(b"G", []), (b"E 256 1.5 2048 3 4\0left", [])])

    ending = supervise(run)

    assert ending == ended(ending, status=256, cpu_seconds=1.5, memory_peak_bytes=2048, read_bytes=3, written_bytes=4,
                           left=("left",))


def test_descriptors_handed_out_are_served_while_the_run_lasts(begin):
    read, write = os.pipe()
    handed, came = [], []

    def serve():
        came.append(os.read(handed[0], 99))
        return len(came) < 2

    def take(descriptors):
        handed.extend(descriptors)
        return {handed[0]: serve}

    run = begin("channel.recv(1); report()", heard=[(b"G", [read])], on_descriptors=take)
    run.channel.send(b".")
    os.write(write, b"asked")

    supervise(run)

    assert came[0] == b"asked"
    os.close(read)
    os.close(write)


def test_a_reader_that_answers_false_is_asked_no_more(begin):
    read, write = os.pipe()
    asked = []

    def once():
        asked.append(1)
        return False

    os.write(write, b"x")
    run = begin("time.sleep(0.3); report()", readers={read: once})

    supervise(run)

    assert asked == [1]
    os.close(read)
    os.close(write)


def test_descriptors_from_inside_that_nobody_asked_for_are_closed(begin):
    run = begin("socket.send_fds(channel, [b'E 0 0.5 1048576 10 20'], [0, 1, 2])")
    before = descriptors()

    ending = supervise(run)

    assert ending == ended(ending)
    assert descriptors() <= before


def test_received_descriptors_do_not_pass_to_programs_that_we_start(begin):
    handed = []
    run = begin("socket.send_fds(channel, [b'G'], [0]); report()", on_descriptors=lambda came: handed.extend(came) or {})

    supervise(run)

    inheritable = [os.get_inheritable(number) for number in handed]
    for number in handed:
        os.close(number)
    assert inheritable == [False]


def test_a_sandbox_that_could_not_be_built_is_our_failure(begin):
    run = begin("channel.send(b'Xno such mount'); signal.pause()")

    with pytest.raises(SandboxFailure, match="the sandbox could not be built: no such mount"):
        supervise(run)

    assert dead(run.pidfd, seconds=5)


def test_a_last_word_of_a_dead_sandbox_is_heard(begin):
    run = begin("channel.send(b'Xno such mount')")
    assert dead(run.pidfd, seconds=10)

    with pytest.raises(SandboxFailure, match="no such mount"):
        supervise(run)


def test_all_messages_of_a_run_that_is_already_over_are_heard(begin):
    run = begin("channel.send(b'G'); report(512)")
    assert dead(run.pidfd, seconds=10)

    ending = supervise(run)

    assert ending == ended(ending, status=512)


def test_a_channel_that_closes_early_leaves_the_deadline_in_force(begin):
    run = begin("channel.close()" + FOREVER, wall_seconds=0.3)
    before = time.process_time()

    ending = supervise(run)

    assert ending == killed(ending, Reason.TIMEOUT)
    assert time.process_time() - before < 0.25, "a closed channel was asked without end"


def test_nonsense_on_the_channel_does_not_hide_the_report(begin):
    run = begin("channel.send(b'?what'); report(256)")

    ending = supervise(run)

    assert ending == ended(ending, status=256)


def test_a_program_that_closes_both_streams_is_waited_for_without_spinning(begin):
    run = begin("os.close(1); os.close(2); time.sleep(0.5); report()")
    before = time.process_time()

    ending = supervise(run)

    assert ending == ended(ending)
    assert time.process_time() - before < 0.3


def test_a_watch_leaves_no_descriptor_open(begin, tmp_path):
    run = begin("os.write(1, b'x'); report()", spill=tmp_path / "stdout")
    kept = {run.pidfd, run.channel.fileno()}
    before = {int(number) for number in descriptors()}

    supervise(run)

    assert {int(number) for number in descriptors()} & before >= kept
    assert not {int(number) for number in descriptors()} - before
    assert (tmp_path / "stdout").read_bytes() == b"x"


def test_a_watch_with_a_sink_leaves_no_thread(begin):
    before = threading.active_count()

    supervise(begin("os.write(1, b'x'); report()", sink=lambda _: None))

    assert threading.active_count() == before


def test_fifty_megabytes_of_output_are_drained_and_bounded(begin):
    run = begin("for _ in range(800): os.write(1, bytes(65536))\nreport()", most_bytes=1000)

    ending = supervise(run)

    assert ending == ended(ending)
    assert (run.kept_out.total, run.kept_out.dropped) == (52_428_800, 52_427_800)


def test_a_supervisor_that_was_itself_held_up_reports_a_timeout_and_no_failure():
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, timeout=60, check=False)

    assert done.stdout.splitlines() == ["timeout"] * 12, done.stderr


@pytest.mark.parametrize("ends", [True, False])
def test_a_run_that_is_not_ours_to_signal_is_ended_by_the_act_named(begin, ends):
    asked = []

    def end():
        asked.append("ended")
        signal.pidfd_send_signal(run.pidfd, signal.SIGKILL)

    run = begin(FOREVER, wall_seconds=0.3, **({"end": end} if ends else {}))

    ending = supervise(run)

    assert (ending, bool(asked), dead(run.pidfd)) == (killed(ending, Reason.TIMEOUT), ends, True)


def test_an_interruption_of_the_supervisor_ends_such_a_run_too(begin):
    asked = []

    def tick():
        raise KeyboardInterrupt

    run = begin(FOREVER, tick=tick, end=lambda: asked.append("ended"))

    with pytest.raises(KeyboardInterrupt):
        supervise(run)

    assert asked == ["ended"]


CARRIED = "if os.fork() == 0:\n    os.read(leash, 1); os.write(1, b' late'); os._exit(0)\nos.write(1, b'soon'); report()"
"""Its output is carried by one that outlives it, as an engine does, and ends when the leash does."""


CARRIED_LATE = """
read, write = os.pipe()
if os.fork() == 0:
    os.close(write); os.read(read, 1); time.sleep(0.3); os.write(1, b' late'); os._exit(0)
os.close(read); os.write(1, b'soon'); report()
"""


def test_output_that_others_still_carry_is_waited_for_until_both_streams_end(begin):
    run = begin(CARRIED_LATE, linger_seconds=20)

    ending = supervise(run)

    assert (ending, run.kept_out.value()) == (ended(ending), b"soon late")
    assert ending.wall_seconds < 10


def test_without_lingering_the_last_words_are_lost(begin):
    run = begin(CARRIED)

    supervise(run)

    assert run.kept_out.value() == b"soon"


def test_a_carrier_that_never_ends_holds_the_run_no_longer_than_allowed(begin):
    run = begin(CARRIED, linger_seconds=0.3)
    before = time.monotonic(), time.process_time()

    ending = supervise(run)

    assert (ending, run.kept_out.value()) == (ended(ending), b"soon")
    assert time.monotonic() - before[0] < 5
    assert time.process_time() - before[1] < 0.25, "it asked without end"
