"""One real tunnel for all, small ones of a test's own, the command line, and a sandbox that only takes notes."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from windtunnel.config import CAPS, Settings
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import ExecutionResult, Level
from windtunnel.languages import LanguageTable
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.stems import Kind, paths_of
from windtunnel.tunnel import Tunnel

PROJECTS = Path(__file__).parent.parent / ".tools" / "projects"
"""The environment of the projects on trial; in ours, every run of pytest would load the plugins of our own tests."""
if PROJECTS.is_dir():
    os.environ["VIRTUAL_ENV"] = str(PROJECTS)


class FakeSandbox:
    """Runs nothing: keeps the jobs, and answers with what it was given, then with success."""

    level = Level.PROCESS

    def __init__(self):
        self.jobs = []
        self.answers = []

    def run(self, job):
        self.jobs.append(job)
        return self.answers.pop(0) if self.answers else ExecutionResult(exit_code=0)

    def close(self):
        pass


class CommandLine:
    """``windtunnel`` as a person starts it: a process of its own, with a clean environment."""

    def __init__(self, folder):
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "WINDTUNNEL_STATE_DIR": str(folder / "state"),
            "WINDTUNNEL_CACHE_DIR": str(folder / "cache"),
            **({"VIRTUAL_ENV": os.environ["VIRTUAL_ENV"]} if "VIRTUAL_ENV" in os.environ else {})}

    def start(self, *arguments, **streams):
        return subprocess.Popen([sys.executable, "-m", "windtunnel", *arguments], env=self.env, **streams)

    def __call__(self, *arguments, stdin="", seconds=60):
        command = [sys.executable, "-m", "windtunnel", *arguments]
        return subprocess.run(
            command, env=self.env, input=stdin, capture_output=True, text=True, check=False, timeout=seconds)


@pytest.fixture(scope="session")
def command_line():
    """For a test that needs more than one."""
    return CommandLine


@pytest.fixture
def cli(tmp_path):
    return CommandLine(tmp_path)


def descriptors():
    """What this process has open, each with what it leads to."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add((entry.name, str(entry.readlink())))
    return found


@pytest.fixture
def no_leak():
    """Around what must leave no descriptor open; threads of other tests may open and close some meanwhile."""
    @contextlib.contextmanager
    def watch():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # what other tests left to the collector
            gc.collect()
        before, until = descriptors(), time.monotonic() + 5
        yield
        while (left := descriptors() - before) and time.monotonic() < until:
            time.sleep(0.01)
        assert left == set()

    return watch


@pytest.fixture(scope="module")
def browser():
    """A real one; its tests are of the group ``chromium``, so that there is one at a time."""
    program = Path("/usr/bin/chromium")
    if not program.exists():
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
    with sync_playwright() as started:
        made = started.chromium.launch(executable_path=str(program), args=quiet, timeout=120_000)
        yield made
        made.close()


@pytest.fixture
def no_engine(monkeypatch, tmp_path):
    """A machine that has no container engine; the variables that say so, for a process of its own."""
    nowhere = {"PATH": str(tmp_path), **dict.fromkeys(("DOCKER_HOST", "CONTAINER_HOST"), f"unix://{tmp_path}/nowhere")}
    for name, value in nowhere.items():
        monkeypatch.setenv(name, value)
    return nowhere


@pytest.fixture
def grouped():
    """For what only control groups see or hold."""
    groups = cgroups.find()
    if groups is None:
        pytest.skip("no control groups for us here (root, or a delegated scope, has them)")
    groups.close()


@pytest.fixture
def in_tmp():
    """What a private /tmp holds at its start: nothing, unless the interpreter itself lives below the host's."""
    toolchain = LanguageTable().toolchain(LanguageTable().get("python"))
    paths = paths_of(Kind(interpreter=toolchain.run[0], paths=toolchain.paths))
    return sorted({path.split("/")[2] for path in paths if path.startswith("/tmp/")})


@pytest.fixture
def fake():
    return FakeSandbox()


@pytest.fixture
def rig(fake):
    return Rig(
        sandbox=fake, languages=LanguageTable(), history=None, builds=None, caps=CAPS, default_limits=Limits())


@pytest.fixture(scope="session")
def tunnel(tmp_path_factory):
    """Keeps sandboxes waiting, so most of its runs are warm ones."""
    folder = tmp_path_factory.mktemp("windtunnel")
    with Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache")) as shared:
        yield shared


@pytest.fixture
def new_tunnel(tmp_path):
    """Makes tunnels that share the test's own folders; nothing waits in them unless asked for."""
    made = []

    def make(*, pool_size=0, min_isolation=None, **settings):
        folders = {"state_dir": tmp_path / "state", "cache_dir": tmp_path / "cache"}
        made.append(Tunnel(Settings(**folders, **settings), pool_size=pool_size, min_isolation=min_isolation))
        return made[-1]

    yield make
    for tunnel in made:
        tunnel.close()
