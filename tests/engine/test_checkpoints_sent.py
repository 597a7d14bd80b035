"""Checkpoints that are sent now and then by whoever writes: recorded, retried, and never in anybody's way."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from audit_trails import run, trail_in, worked

from windtunnel import Tunnel, config
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.engine.checkpoints import Courier, send_all
from windtunnel.store.audit.checkpoint import read_checkpoint
from windtunnel.store.audit.destination import kept
from windtunnel.store.audit.query import find

MINUTE = 60


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


class Place:
    """Takes what it gets, or does not."""

    name = "place"

    def __init__(self):
        self.got, self.broken = [], False
        self.gate, self.asked = threading.Event(), threading.Event()
        self.gate.set()

    def send(self, note, checkpoint):
        self.asked.set()
        self.gate.wait(60)
        if self.broken:
            raise SandboxFailure("nobody there")
        self.got.append(checkpoint.size)
        return "taken"


@pytest.fixture
def trail(tmp_path):
    made = worked(tmp_path / "state")
    yield made
    made.log.close()


@pytest.fixture
def post(trail, tmp_path):
    """A courier to one place, its clock, and what it said."""
    made = Post(trail, tmp_path)
    yield made
    made.place.gate.set()
    made.courier.close(60)


class Post:
    def __init__(self, trail, folder, minutes=10):
        self.trail, self.folder, self.minutes = trail, folder, minutes
        self.clock, self.place, self.told = Clock(), Place(), []
        self.courier = self.another()

    def another(self):
        """As another process would have it."""
        made = Courier(lambda: self.trail, ["file:/nowhere"], minutes=self.minutes, folder=self.folder / "state", actor="ann",
                       tell=self.told.append, clock=self.clock)
        made._places = dict.fromkeys(made._places, self.place)
        return made

    def sent(self):
        return [one.success for one in self.another().send_due()]


def recorded(trail):
    return [(record.entry.outcome, record.entry.subject, record.entry.details["size"], record.entry.details["told"])
            for record in find(trail.log, AuditQuery(kind="checkpoint")) if "told" in record.entry.details]


def test_each_sending_is_written_down(trail):
    good, bad = Place(), Place()
    bad.broken = True

    sent = send_all(trail, trail.checkpoint(), [good, bad], actor="ann")

    assert [(one.success, one.told) for one in sent] == [(True, "taken"), (False, "nobody there")]
    assert recorded(trail) == [("done", "place", 12, "taken"), ("failed", "place", 12, "nobody there")]


def test_it_is_sent_at_most_once_in_so_many_minutes(post):
    assert post.sent() == [True]
    post.trail.log.append(run(1))
    post.clock.now += 9 * MINUTE
    assert post.sent() == []
    post.clock.now += 1 * MINUTE
    assert post.sent() == [True]
    assert post.place.got == [12, 14]


def test_the_record_of_a_sending_is_no_reason_for_the_next(post):
    post.sent()
    post.clock.now += 1000 * MINUTE

    assert post.sent() == []


def test_what_failed_is_said_and_tried_again_later_each_time(post):
    post.place.broken = True
    attempts = []
    for minute in range(40):
        attempts += [minute] if post.sent() else []
        post.clock.now += MINUTE

    assert attempts == [0, 1, 3, 7, 15, 25, 35]
    assert post.told[0] == "the checkpoint was not sent to place, and will be tried again: nobody there"


def test_what_failed_is_sent_when_it_can_be(post):
    post.place.broken = True
    post.sent()
    post.place.broken = False
    post.clock.now += MINUTE

    assert (post.sent(), post.place.got) == ([True], [13])


def test_a_clock_that_was_set_back_keeps_nothing_here(post):
    post.sent()
    post.trail.log.append(run(1))
    post.clock.now -= 10_000 * MINUTE

    assert post.sent() == [True]


@pytest.mark.parametrize("state", ["", "[]", "{", '{"x": 1}', "\x00", '{"x": {"time": "soon"}}'])
def test_a_state_that_cannot_be_read_means_that_it_is_sent_again(post, state):
    post.sent()
    (post.folder / "state" / "checkpoints.sent").write_text(state)
    post.trail.log.append(run(1))

    assert post.sent() == [True]


def test_of_two_one_sends(post):
    post.place.gate.clear()
    post.courier.nudge()
    post.place.asked.wait(60)

    second = post.sent()

    post.place.gate.set()
    post.courier.close(60)
    assert (second, post.place.got) == ([], [12])


def test_nobody_waits_for_a_place_that_does_not_answer(post):
    post.place.gate.clear()

    post.courier.nudge()
    post.courier.close(0.01)

    assert (post.courier._thread.is_alive(), post.place.got) == (True, [])


def test_one_nudge_after_the_other_starts_one_thread(post):
    post.place.gate.clear()
    post.courier.nudge()
    first = post.courier._thread
    for _ in range(100):
        post.courier.nudge()

    assert post.courier._thread is first


def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_raised(trail, tmp_path):
    (tmp_path / "file").write_text("x")
    told = []
    courier = Courier(lambda: trail, [f"file:{tmp_path}/notes"], minutes=1, folder=tmp_path / "file" / "x", actor="ann", tell=told.append)

    courier.nudge()
    courier.close(60)

    assert [line.split(":")[0] for line in told] == ["checkpoints were not sent"]


# --- as the settings say ---


@pytest.fixture
def settings(tmp_path):
    return replace(config.load(), state_dir=tmp_path / "own", cache_dir=tmp_path / "cache", pool_size=0, actor="ann",
                   audit_checkpoints=(f"file:{tmp_path}/notes",), audit_checkpoint_minutes=1.0)


def test_whoever_writes_sends(settings, tmp_path):
    with Tunnel(settings) as tunnel:
        tunnel.run("print(1)")

    with Tunnel(settings) as tunnel:
        found = [(record.entry.kind, record.entry.outcome) for record in find(tunnel.audit, AuditQuery())]
    (note,) = kept(str(tmp_path / "notes"))
    trail = trail_in(tmp_path / "own")
    assert (found, read_checkpoint(note, trail.keys.public()).size) == ([("run", "done"), ("checkpoint", "done")], 1)


def test_without_a_place_nothing_is_sent(settings, tmp_path):
    with Tunnel(replace(settings, audit_checkpoints=())) as tunnel:
        tunnel.run("print(1)")

    assert sorted(path.name for path in (tmp_path / "own").iterdir() if path.name.startswith(("checkpoints", "keys"))) == []


def test_a_place_that_is_none_is_refused_before_anything_is_done(settings):
    ran = []
    with Tunnel(replace(settings, audit_checkpoints=("http://example.org/",))) as tunnel, pytest.raises(UsageError, match="in the clear"):
        tunnel.run("print(1)", on_stdout=ran.append)

    assert ran == []


def test_a_killed_sender_holds_nobody_up(trail, tmp_path):
    state = tmp_path / "state"
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from windtunnel.engine.checkpoints import _alone\n"
        "with _alone(Path(sys.argv[1]) / 'checkpoints.lock') as mine:\n"
        "    print(mine, flush=True)\n"
        "    threading.Event().wait(120)\n")
    holder = subprocess.Popen([sys.executable, "-c", code, str(state)], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout.readline() == "True\n"
        courier = Courier(lambda: trail, [f"file:{tmp_path}/notes"], minutes=1, folder=state, actor="ann", tell=print)
        held = courier.send_due()
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(60)
        freed = courier.send_due()

    assert (held, [one.success for one in freed]) == ([], [True])
    assert set(json.loads((state / "checkpoints.sent").read_text()).popitem()[1]) == {"time", "size", "failures"}
