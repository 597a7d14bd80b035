"""One sandbox of the vm level for all tests; its kernel, disks and snapshots stay in .tools between runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vm_here import CACHE, PATIENT, missing

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.vm.level import VirtualMachine


@pytest.fixture(scope="session")
def vm():
    """With no machine waiting, so that every run starts alike."""
    if reason := missing():
        pytest.skip(reason)
    made = VirtualMachine(cache_dir=CACHE, pool_size=0)
    try:
        made.ready()
    except IsolationUnavailable as error:
        pytest.skip(str(error))
    yield made
    made.close()


@pytest.fixture
def program(sh):
    """A shell program as a job; ``live`` is its live input, the other options are its command's, or else its own."""

    def make(code, *, limits=PATIENT, **options):
        job = sh(code)
        live = {"stdin": options.pop("live")} if "live" in options else {}
        own = [name for name in options if name not in type(job.command).__dataclass_fields__]
        fields = live | {name: options.pop(name) for name in own}
        return replace(job, limits=limits, command=replace(job.command, **options), **fields)

    return make


@pytest.fixture
def project(tmp_path):
    """A small project on the host."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/one.txt").write_text("one\n")
    (folder / "src/two.txt").write_text("two\n")
    (folder / "link").symlink_to("src/one.txt")
    (folder / "run.sh").write_text("echo ran\n")
    (folder / "run.sh").chmod(0o755)
    return folder
