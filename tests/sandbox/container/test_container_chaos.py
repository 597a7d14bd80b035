"""Twenty kills in a seeded order: of the engine, of a container, of the supervisor. Nothing is left, nothing is lost."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import engines
import pytest
from containers import children, docker_engine, left_of, make_container, wait_until

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.engine.images import build_images, plans
from windtunnel.languages import LanguageTable
from windtunnel.store.history import SqliteHistory

pytestmark = [pytest.mark.xdist_group("containers"), pytest.mark.slow, pytest.mark.timeout(300)]
SEED = 4
KILLS = ["engine"] * 6 + ["container"] * 7 + ["supervisor"] * 7
MOST = 4
"""Containers of one supervisor at a time: one runs, one waits, and one of each may be on its way out."""
SUPERVISOR = """
import sys, time
from dataclasses import replace
from pathlib import Path
from windtunnel.config import Settings
from windtunnel.core.errors import WindtunnelError
from windtunnel.tunnel import Tunnel
folder = Path(sys.argv[1])
tunnel = Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache", engine="docker", pull=False), level="container", pool_size=1)
while True:
    try:
        result = tunnel.run("import time; time.sleep(0.1); print(1)")
        print("done" if result.stdout == "1\\n" else "ended", result.id, flush=True)
    except WindtunnelError as error:
        print("failed", type(error).__name__, flush=True)
        time.sleep(0.1)
"""


class Supervisor:
    """A process that runs one program after another through a tunnel and tells of each."""

    def __init__(self, folder, url):
        self.process = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(folder)], stdout=subprocess.PIPE, text=True,
                                        env=os.environ | {"DOCKER_HOST": url}, start_new_session=True)
        self.pid = self.process.pid
        self.finished = []

    def heard(self):
        """What it tells next: done, ended or failed."""
        word, _, rest = self.process.stdout.readline().strip().partition(" ")
        if word in ("done", "ended"):
            self.finished.append(rest)
        return word

    def works(self):
        """Read on until a run is done; how many lines that took is bounded by the time-out of the test."""
        while (word := self.heard()) != "done":
            assert word in ("ended", "failed"), "the supervisor is gone"

    def kill(self):
        """Its guardian, which outlives it for a while."""
        guardian = [pid for pid, words in children(self.pid).items() if "guardian" in words]
        self.process.kill()
        self.process.wait()
        for line in self.process.stdout:
            word, _, rest = line.strip().partition(" ")
            self.finished += [rest] if word in ("done", "ended") else []
        self.process.stdout.close()
        return guardian


@pytest.fixture
def daemon():
    with engines.docker_daemon() as made:
        table = LanguageTable()
        assert [built.language for built in build_images(docker_engine(made.url), plans(table, ["python"]))] == ["python"]
        yield made


@pytest.fixture
def start(daemon, tmp_path):
    started = []

    def begin():
        started.append(Supervisor(tmp_path, daemon.url))
        return started[-1]

    yield begin
    for one in started:
        if one.process.poll() is None:
            one.kill()


def recorded(folder):
    history = SqliteHistory(folder / "state" / "history.db")
    try:
        return {str(row["id"]) for row in history.recent(None)}
    finally:
        history.close()


def nothing_left(daemon, supervisor, guardian):
    """Of a dead supervisor: no container, folder, mount or guardian."""
    engine = docker_engine(daemon.url)
    alive = [pid for pid in guardian if Path(f"/proc/{pid}").exists()]
    return not alive and left_of(supervisor.pid, engine=engine) == []


def owned(daemon, supervisor):
    return [one for one, owner in docker_engine(daemon.url).containers(label="windtunnel").items() if f"-{supervisor.pid}-" in owner]


def kill_container(daemon, supervisor):
    """The first process of one that runs or waits; whether there was one."""
    engine = docker_engine(daemon.url)
    for container in owned(daemon, supervisor):
        with contextlib.suppress(IsolationUnavailable, ProcessLookupError):  # it ended meanwhile
            pid = engine.state(container).pid
            if pid > 1:
                os.kill(pid, signal.SIGKILL)
                return True
    return False


def few_left(daemon, supervisor):
    """Of a living supervisor: what runs, what waits and what is being cleared away, and no more."""
    return len(owned(daemon, supervisor)) <= MOST and len(list(Path("/tmp").glob(f"windtunnel-{supervisor.pid}-*"))) <= MOST


def test_twenty_kills_leave_nothing_behind_and_lose_nothing(daemon, start, tmp_path):
    order = KILLS.copy()
    random.Random(SEED).shuffle(order)
    supervisor = start()
    supervisor.works()
    finished = []

    for number, what in enumerate(order):
        if what == "engine":
            daemon.kill()
            daemon.start_again()
        elif what == "container":
            assert wait_until(lambda living=supervisor: kill_container(daemon, living))
        else:
            guardian = supervisor.kill()
            finished += supervisor.finished
            dead = supervisor
            assert wait_until(lambda dead=dead, guardian=guardian: nothing_left(daemon, dead, guardian)), (
                number, left_of(dead.pid, engine=docker_engine(daemon.url)))
            supervisor = start()
        supervisor.works()
        assert wait_until(lambda living=supervisor: few_left(daemon, living)), (number, what, owned(daemon, supervisor))
        assert set(finished + supervisor.finished[:-1]) <= recorded(tmp_path), (number, what)

    guardian = supervisor.kill()
    assert wait_until(lambda: nothing_left(daemon, supervisor, guardian))
    assert docker_engine(daemon.url).containers(label="windtunnel") == {}


def test_a_supervisor_that_dies_with_its_engine_leaves_nothing_once_the_engine_is_back(daemon, start):
    supervisor = start()
    supervisor.works()
    daemon.kill()
    guardian = supervisor.kill()

    daemon.start_again()

    assert wait_until(lambda: nothing_left(daemon, supervisor, guardian)), left_of(supervisor.pid, engine=docker_engine(daemon.url))
    successor = start()
    successor.works()
    assert len(successor.finished) == 1


@pytest.fixture(params=[True, False], ids=["socket", "command line"])
def living(daemon, request):
    container = make_container(docker_engine(daemon.url, socket=request.param))
    yield container
    container.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # connections that the engine's death cut
def test_a_run_whose_engine_dies_is_our_failure_and_its_container_goes_when_the_engine_is_back(daemon, living, job):
    began = threading.Event()
    failures = []

    def run():
        with pytest.raises((SandboxFailure, IsolationUnavailable)) as raised:
            living.run(replace(job("import time; print(1, flush=True); time.sleep(3)"), on_stdout=lambda _: began.set()))
        failures.append(raised.type)

    thread = threading.Thread(target=run)
    thread.start()
    assert began.wait(30)
    daemon.kill()
    thread.join(60)
    gc.collect()
    daemon.start_again()

    assert failures == [SandboxFailure]
    assert living.run(job("print(2)")).stdout == "2\n"
    assert wait_until(lambda: docker_engine(daemon.url).containers(label="windtunnel") == {})
