"""A container that is held: its first process, its end, and the last that could be measured of it."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.result import Reason, Usage
from windtunnel.sandbox.container.engine import Begun, State
from windtunnel.sandbox.container.held import Held, LastMeter
from windtunnel.sandbox.meter import GroupMeter, TreeMeter

USED, MORE = Usage(cpu_seconds=0.5, memory_peak_bytes=7), Usage(cpu_seconds=0.9, memory_peak_bytes=9)


class Told:
    """A meter that answers with these, one after the other; an error is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def over(self):
        if isinstance(self.answers[0], OSError):
            raise self.answers.pop(0)
        return self.answers[0][1]

    def final(self):
        return self.answers.pop(0)


# --- the last that was measured ---

def test_before_anything_was_seen_nothing_is_known():
    assert LastMeter(Told()).final() == (Usage(), None)


def test_the_last_look_is_remembered_when_the_group_is_gone():
    meter = LastMeter(Told((USED, None), (MORE, Reason.OUT_OF_MEMORY), FileNotFoundError()))

    seen = [meter.over(), meter.over(), meter.over()]

    assert (seen, meter.final()) == ([None, Reason.OUT_OF_MEMORY, None], (MORE, Reason.OUT_OF_MEMORY))


def test_a_meter_that_fails_at_the_end_alone_keeps_what_was_before():
    class Half(Told):
        def final(self):
            if len(self.answers) == 1:
                raise FileNotFoundError
            return super().final()

    meter = LastMeter(Half((USED, None), (MORE, None)))

    assert ([meter.over(), meter.over()], meter.final()) == ([None, None], (USED, None))


def test_now_is_a_new_look_and_else_the_last_one():
    meter = LastMeter(Told((USED, None), (MORE, None), FileNotFoundError()))

    assert [meter.now(), meter.now(), meter.now()] == [USED, MORE, MORE]


@pytest.mark.parametrize(("meter", "grouped"), [(GroupMeter(None, Limits()), True), (TreeMeter(1, Limits()), False)], ids=["group", "tree"])
def test_whether_a_control_group_measures_is_told(meter, grouped):
    assert LastMeter(meter).grouped is grouped


def test_the_starter_is_not_counted_among_the_programs_processes():
    meter = LastMeter(Told((Usage(processes_peak=4), None), (Usage(processes_peak=1), None)))

    assert [meter.now().processes_peak, meter.now().processes_peak] == [3, 1]


# --- holding ---

class OneProcess:
    """An engine with one container, which is this process."""

    name = "docker"

    def __init__(self, pid, *, told=None):
        self.pid, self.told = pid, pid if told is None else told
        self.acts = []

    def begin(self, spec):
        ends = [os.pipe() for _ in range(3)]
        os.write(ends[2][1], b"its last words\n")
        for descriptor in (ends[0][0], ends[1][1], ends[2][1]):
            os.close(descriptor)
        streams = SimpleNamespace(stdin=ends[0][1], stdout=ends[1][0], stderr=ends[2][0], close=lambda: self.acts.append("close"))
        return Begun(id="c0ffee", pid=self.pid, streams=streams)

    def state(self, container):
        return State(running=True, exit_code=0, out_of_memory=False, pid=self.told)

    def wait(self, container, *, seconds):
        return State(running=False, exit_code=3, out_of_memory=False, pid=0)

    def kill(self, container):
        self.acts.append(f"kill {container}")

    def remove(self, container):
        self.acts.append(f"remove {container}")


@pytest.fixture
def process():
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"]) as made:
        yield made
        made.kill()


@pytest.fixture
def hold():
    made = []

    def make(engine, *, door=None):
        cell = SimpleNamespace(remove=lambda: engine.acts.append("remove the cell"), limits=Limits(), door=door, user=os.getuid())
        made.append(Held(engine, cell, kind="k"))
        return made[-1]

    yield make
    for held in made:
        held.remove()


def test_a_started_container_is_held_by_its_first_process_and_killed_through_it(hold, process):
    held = hold(OneProcess(process.pid))
    held.start(None)
    before = held.alive()

    held.kill()

    assert (before, process.wait(timeout=20), held.alive(), held.pid, held.id) == (True, -9, False, process.pid, "c0ffee")


def test_a_number_that_is_another_process_by_now_is_never_held(hold, process):
    held = hold(OneProcess(process.pid, told=0))

    with pytest.raises(SandboxFailure, match="the container ended before its program came: its last words"):
        held.start(None)

    assert (held.pid, process.poll()) == (0, None)


def test_a_container_that_ended_at_once_says_why(hold, process):
    process.kill()
    process.wait()
    held = hold(OneProcess(process.pid))

    with pytest.raises(SandboxFailure, match="the container ended before its program came: its last words"):
        held.start(None)


def test_where_we_may_not_signal_the_engine_is_asked_to(hold, process, monkeypatch):
    def forbidden(*_):
        raise PermissionError

    engine = OneProcess(process.pid)
    held = hold(engine)
    held.start(None)
    monkeypatch.setattr("signal.pidfd_send_signal", forbidden)

    held.kill()

    assert engine.acts == ["kill c0ffee"]


def test_removing_ends_everything_in_order_and_leaves_no_descriptor(hold, process):
    from pathlib import Path

    engine = OneProcess(process.pid)
    before = set(Path("/proc/self/fd").iterdir())
    held = hold(engine)
    held.start(None)

    held.remove()

    assert (engine.acts, process.wait(timeout=20)) == (["close", "remove c0ffee", "remove the cell"], -9)
    assert set(Path("/proc/self/fd").iterdir()) <= before


def test_the_cell_goes_although_the_engine_is_gone(hold, process):
    class Gone(OneProcess):
        def remove(self, container):
            if "remove the cell" not in self.acts:
                raise IsolationUnavailable("no answer")

    engine = Gone(process.pid)
    held = hold(engine)
    held.start(None)

    with pytest.raises(IsolationUnavailable):
        held.remove()

    assert engine.acts == ["close", "remove the cell"]


def test_streams_that_were_taken_are_the_takers_to_close(hold, process):
    held = hold(OneProcess(process.pid))
    held.start(None)

    taken = held.taken()
    held.remove()

    for descriptor in taken:
        os.fstat(descriptor)
        os.close(descriptor)
    assert held.streams is None


class Entrance:
    """A door at which this comes."""

    def __init__(self, comer):
        self.comer, self.asked = comer, {}

    def take(self, **asked):
        self.asked = asked
        return self.comer


def test_a_started_container_has_the_starter_that_came_from_its_first_process(hold, process):
    closed = []
    door = Entrance(SimpleNamespace(close=lambda: closed.append(True)))
    held = hold(OneProcess(process.pid), door=door)

    held.start(None)
    came = held.starter
    asked = door.asked | {"pidfd": held.pidfd == door.asked["pidfd"]}
    held.remove()

    assert (came, asked, closed) == (door.comer, {"first": process.pid, "pidfd": True, "uid": os.getuid(), "seconds": 20.0}, [True])


def test_a_container_whose_starter_never_came_is_our_failure_in_its_words(hold, process):
    held = hold(OneProcess(process.pid), door=Entrance(None))

    with pytest.raises(SandboxFailure, match="the container ended before its program came: its last words"):
        held.start(None)


def test_a_container_that_was_cancelled_before_its_starter_came_is_no_failure(hold, process):
    held = hold(OneProcess(process.pid), door=Entrance(None))
    held.cancelled = True

    held.start(None)

    assert (held.starter, held.pid) == (None, process.pid)


def test_one_that_was_never_started_is_only_its_cell(hold):
    engine = OneProcess(1)
    held = hold(engine)

    held.remove()

    assert engine.acts == ["remove the cell"]
