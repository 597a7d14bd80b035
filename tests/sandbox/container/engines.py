"""Real engines for the tests: a Docker daemon and a Podman service of our own, on folders and sockets of their own.

No other engine of the machine is ever spoken to. Each is ended by its process; what it mounted goes with it.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

READY_SECONDS = 30.0
_CONF = """
[containers]
default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
_RUNSC = '#!/bin/sh\nexec {program} --platform=ptrace --ignore-cgroups --network=none --host-fifo=open "$@"\n'
"""The options that an old runsc needs where it may neither use KVM nor be in the host's network."""
NO_WAY_OUT = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:1") | {
    "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
"""Variables by which an engine that wants a registry elsewhere finds a closed port; not even a name is asked for."""
_STORAGE = '[storage]\ndriver = "{driver}"\ngraphroot = "{folder}/root"\nrunroot = "{folder}/run"\n'


def need(*programs: str) -> list[str]:
    """Their paths; skips where one is missing, or where this is not root."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a container engine of its own")
    found = {program: shutil.which(program) for program in programs}
    for program, path in found.items():
        if path is None:
            pytest.skip(f"{program} is not installed here")
    return [str(path) for path in found.values()]


class Daemon:
    """A Docker daemon that can be killed and started again on the same folder."""

    def __init__(self, folder: Path, *, options: Sequence[str] = ()) -> None:
        self.folder, self.url, self._options = folder, f"unix://{folder}/socket", options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        server, client = need("dockerd", "docker")
        (self.folder / "pid").unlink(missing_ok=True)
        (self.folder / "daemon.json").write_text("{}")
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [server, "--data-root", f"{self.folder}/root", "--exec-root", f"{self.folder}/exec", "--pidfile",
                 f"{self.folder}/pid", "--host", self.url, "--iptables=false", "--ip6tables=false", "--bridge=none",
                 "--config-file", f"{self.folder}/daemon.json", *self._runtimes(), *self._options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True,
                env=os.environ | NO_WAY_OUT)
        until_ready([client, "--host", self.url, "version"], self.process, log=self.folder / "log")

    def _runtimes(self) -> list[str]:
        crun = shutil.which("crun")
        others = ["--add-runtime", f"crun={crun}"] if crun is not None else []
        program = shutil.which("runsc")
        if program is None:
            return others
        wrapper = self.folder / "runsc"
        wrapper.write_text(_RUNSC.format(program=program))
        wrapper.chmod(0o755)
        return [*others, "--add-runtime", f"runsc={wrapper}"]

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """After a kill. Its containerd died with it, and while nobody has waited for that it would be taken for alive."""
        (self.folder / "exec/containerd/containerd.pid").unlink(missing_ok=True)
        try:
            self.start()
        except pytest.skip.Exception as skipped:
            raise AssertionError(str(skipped)) from skipped

    def stop(self) -> None:
        """Ask it to end; its own containers and its containerd end with it."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.end_left_overs()

    def end_left_overs(self) -> None:
        """What a killed daemon left: its containerd and shims, known by our folder in their words."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if str(self.folder).encode() in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                        os.kill(int(entry.name), signal.SIGKILL)


def until_ready(command: list[str], process: subprocess.Popen[bytes], *, log: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while subprocess.run(command, capture_output=True, check=False).returncode:
        if process.poll() is not None or time.monotonic() > until:
            pytest.skip(f"the engine does not start here: {log.read_text(errors='replace')[-300:]}")
        time.sleep(0.05)


@contextlib.contextmanager
def docker_daemon(*options: str) -> Iterator[Daemon]:
    with own_folder("docker") as folder:
        daemon = Daemon(folder, options=options)
        try:
            daemon.start()
            yield daemon
        finally:
            daemon.stop()


@contextlib.contextmanager
def podman_env(driver: str = "overlay", *, registries: str = "") -> Iterator[dict[str, str]]:
    """Variables by which every podman command works on a folder of its own; ``registries`` says where it looks for images."""
    with own_folder("podman") as folder:
        files, processes = (resource.getrlimit(name)[1] for name in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
        (folder / "containers.conf").write_text(_CONF.format(files=min(files, 4096), processes=min(processes, 4096) if processes > 0 else 4096))
        (folder / "storage.conf").write_text(_STORAGE.format(driver=driver, folder=folder))
        (folder / "registries.conf").write_text(registries)
        yield {"CONTAINERS_CONF": f"{folder}/containers.conf", "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf",
               "CONTAINERS_REGISTRIES_CONF": f"{folder}/registries.conf", "XDG_RUNTIME_DIR": str(folder),
               "WT_FOLDER": str(folder), **NO_WAY_OUT}


@contextlib.contextmanager
def podman_service(env: dict[str, str]) -> Iterator[str]:
    """The address of a running service."""
    (program,) = need("podman")
    folder = Path(env["WT_FOLDER"])
    url = f"unix://{folder}/socket"
    (folder / "tmp").mkdir()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "system", "service", "--time", "0", url],
                                   env=os.environ | env | {"TMPDIR": f"{folder}/tmp"},
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=folder)
    try:
        until_ready(["curl", "-sf", "--unix-socket", f"{folder}/socket", "http://d/_ping"], process, log=folder / "log")
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextlib.contextmanager
def own_folder(name: str) -> Iterator[Path]:
    """Below /var/tmp, because an engine's overlay needs a real file system; unmounted and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"wt-{name}-", dir="/var/tmp"))
    try:
        yield folder
    finally:
        for _ in range(3):
            points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
            for point in reversed([point for point in points if point.startswith(f"{folder}/")]):
                subprocess.run(["umount", "--lazy", point], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)
