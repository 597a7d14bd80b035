"""Peers that are container engines: private instances on folders of their own, stopped by process afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.ground import PROGRAM, Ground, interpreter, python_toolchain
from benchmarks.peer_install import Installed
from benchmarks.timing import Contender, NotRun
from windtunnel.sandbox.root import minimal_root

_IMAGE = "windtunnel-peer"
_GUARD = ("timeout", "--foreground", "120")
"""An engine that hangs ends as a row; the millisecond this costs is small beside theirs."""
_READY_SECONDS = 20.0
_HARDENED = ("run", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp:mode=1777", "--cap-drop", "ALL",
             "--security-opt", "no-new-privileges", "--memory", "512m", "--pids-limit", "100", "--cpus", "1",
             "--user", "1000:1000")


@contextmanager
def docker(ground: Ground, installed: Installed) -> Iterator[Contender]:
    """By a daemon of our own; no other daemon is ever spoken to."""
    with docker_daemon(ground, installed) as (talk, folder), _group() as group:
        yield _engine(ground, talk, folder, ("--cgroup-parent", group))


@contextmanager
def docker_daemon(ground: Ground, installed: Installed) -> Iterator[tuple[list[str], Path]]:
    """How to speak to it, and its folder, in which ``socket`` is where it listens."""
    _need_root()
    client, server = installed.tool("docker", "dockerd"), installed.tool("dockerd")
    folder = _fresh(ground, "docker")
    address = f"unix://{folder}/socket"
    log = (folder / "log").open("wb")
    daemon = subprocess.Popen(
        [server, "--data-root", str(folder / "root"), "--exec-root", str(folder / "exec"), "--pidfile",
         str(folder / "pid"), "--host", address, "--iptables=false", "--ip6tables=false", "--bridge=none"],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)
    talk = [client, "--config", str(folder), "--host", address]
    try:
        _until_ready([*talk, "version"], daemon)
        yield talk, folder
    finally:
        daemon.terminate()
        try:
            daemon.wait(timeout=30)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
        log.close()


@contextmanager
def podman(ground: Ground, installed: Installed) -> Iterator[Contender]:
    """As root, by runc, which also works where crun cannot."""
    with podman_command(ground, installed) as (talk, folder), _group() as group:
        yield _engine(ground, talk, folder, (
            "--cgroup-parent", group, "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=4096:4096"))


@contextmanager
def podman_command(ground: Ground, installed: Installed) -> Iterator[tuple[list[str], Path]]:
    """The command with its options, and its folder."""
    _need_root()
    tool, _ = installed.tool("podman", "runc"), installed.tool("runc")
    folder = _fresh(ground, "podman")
    talk = [tool, "--root", str(folder / "root"), "--runroot", str(folder / "run"), "--storage-driver", "overlay",
            "--cgroup-manager", "cgroupfs", "--events-backend", "file", "--runtime", "runc"]
    try:
        yield talk, folder
    finally:
        subprocess.run(["umount", str(folder / "root" / "overlay")], capture_output=True, check=False)


@contextmanager
def runsc(ground: Ground, installed: Installed) -> Iterator[Contender]:
    """Its own way to run a command, on the platform it chooses; the answer comes by a pipe, as it needs."""
    tool = installed.tool("runsc")
    rootless = [] if os.geteuid() == 0 else ["--rootless"]
    folder = _fresh(ground, "runsc")
    yield ground.command([
        *_GUARD, tool, "--root", str(folder), *rootless, "--network=none", "do", interpreter(), "-c", PROGRAM])


def _engine(ground: Ground, talk: Sequence[str], folder: Path, options: Sequence[str]) -> Contender:
    """Import an image of links alone and run the host's interpreter in it, bound read-only."""
    root = minimal_root(python_toolchain().paths, host_network=False, certificates=False)
    image = _image(folder, root.links)
    subprocess.run([*talk, "import", str(image), _IMAGE], check=True, capture_output=True, timeout=60)
    volumes = [part for source, inside in root.binds for part in ("--volume", f"{source}:{inside}:ro")]
    return ground.command([*_GUARD, *talk, *_HARDENED, *options, *volumes, _IMAGE, interpreter(), "-c", PROGRAM])


def _image(folder: Path, links: Sequence[tuple[str, str]]) -> Path:
    tree = folder / "tree"
    for name in ("usr", "etc", "proc", "sys", "dev", "tmp"):
        (tree / name).mkdir(parents=True)
    (tree / "tmp").chmod(0o1777)
    for target, inside in links:
        (tree / inside.lstrip("/")).symlink_to(target)
    made = folder / "image.tar"
    with tarfile.open(made, "w") as archive:
        archive.add(tree, arcname=".")
    return made


@contextmanager
def _group() -> Iterator[str]:
    """A control group to keep theirs below, so that none is left where the engine would put it."""
    name = f"windtunnel-peer-{os.getpid()}"
    try:
        yield f"/{name}"
    finally:
        for top in (Path("/sys/fs/cgroup"), *Path("/sys/fs/cgroup").iterdir()):
            for folder in sorted((top / name).rglob("*"), reverse=True) if (top / name).is_dir() else ():
                with suppress(OSError):
                    folder.rmdir()
            with suppress(OSError):
                (top / name).rmdir()


def _until_ready(argv: Sequence[str], daemon: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _READY_SECONDS
    while subprocess.run(argv, capture_output=True, check=False).returncode:
        if daemon.poll() is not None or time.monotonic() > until:
            raise NotRun("its daemon does not start here")
        time.sleep(0.1)


def _need_root() -> None:
    if os.geteuid() != 0:
        raise NotRun("needs root for an instance of its own")


def _fresh(ground: Ground, name: str) -> Path:
    """A short path, since a socket's may have only a hundred letters."""
    folder = ground.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
