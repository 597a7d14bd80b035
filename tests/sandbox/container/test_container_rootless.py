"""Rootless Podman, as an ordinary user without control groups: what holds there, and that the result says so."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import engines
import pytest

import windtunnel

pytestmark = pytest.mark.xdist_group("containers")
USER = 12345
_START = """
mount --make-rprivate /
mount --bind {folder}/passwd /etc/passwd
mount --bind {folder}/subordinate /etc/subuid
mount --bind {folder}/subordinate /etc/subgid
exec setpriv --reuid {user} --regid {user} --clear-groups "$@"
"""
"""In mount tables of its own, so that the user and its subordinates exist for these processes alone."""


INTERPRETER = "/usr/bin/python3"


def _source():
    """Where the package lies, if an ordinary user can use it."""
    source = Path(windtunnel.__file__).parents[1]
    as_user = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
    probe = f"import sys; sys.path.insert(0, {str(source)!r}); import windtunnel; sys.exit(sys.version_info < (3, 11))"
    if subprocess.run([*as_user, INTERPRETER, "-c", probe], capture_output=True, check=False, cwd="/").returncode:
        pytest.skip("an ordinary user finds no Python 3.11 in /usr, or cannot read this package")
    return source


@pytest.fixture(scope="module")
def told():
    """What each run came to, by its name."""
    engines.need("podman", "runc", "newuidmap", "setpriv", "unshare")
    source = _source()
    with engines.podman_env(driver="vfs") as env:
        folder = Path(env["WT_FOLDER"])
        _furnish(folder)
        try:
            if (refused := _as_user(folder, env, argv=["podman", "info"], path=source)).returncode:
                pytest.skip(f"rootless podman does not run here: {refused.stderr[-300:]}")
            script = Path(__file__).with_name("rootless_runs.py")
            yield _told(_as_user(folder, env, argv=[INTERPRETER, str(script), str(folder / "project")], path=source), folder)
        finally:
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((folder / "libpod/tmp/pause.pid").read_text()), signal.SIGKILL)


def _furnish(folder):
    """A user with subordinates, a project of that user's."""
    (folder / "passwd").write_text(f"{Path('/etc/passwd').read_text()}windtunnel-test:x:{USER}:{USER}::{folder}:/bin/sh\n")
    (folder / "subordinate").write_text("windtunnel-test:200000:65536\n")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("a")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, USER, USER)


def _as_user(folder, env, *, argv, path):
    given = env | {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "USER": "windtunnel-test", "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [shutil.which("unshare"), "--mount", "sh", "-ec", _START.format(folder=folder, user=USER), "sh", *argv]
    return subprocess.run(command, env=given, cwd="/", capture_output=True, text=True, timeout=120, check=False)


def _told(done, folder):
    assert done.returncode == 0, done.stderr
    assert (folder / "project" / "a.txt").read_text() == "a"
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row.pop("name"): row for row in rows}


def test_a_program_runs_as_nobody_in_particular(told):
    assert (told["answer"]["exit_code"], told["answer"]["stdout"]) == (5, "1000 True\n")


@pytest.mark.parametrize(("name", "reason"), [("time", "timeout"), ("memory", "out_of_memory"), ("disk", "out_of_disk")])
def test_the_supervisor_holds_the_limits(told, name, reason):
    assert told[name]["reason"] == reason


def test_there_is_no_network(told):
    assert told["network"]["stdout"] == "Network is unreachable\n"


def test_a_project_is_copied_and_its_changes_are_told(told):
    assert told["project"]["stdout"] == "['a.txt', 'new']\n"
    assert told["project"]["files"] == ["changed /workspace/a.txt", "made /workspace/new"]


def test_the_result_says_what_held_by_what(told):
    held = told["project"]["enforced"]

    assert {name: held[name] for name in ("memory", "processes", "disk", "workspace", "user namespace", "host user")} == {
        "memory": "supervisor", "processes": "supervisor", "disk": "supervisor", "workspace": "copy", "user namespace": "own",
        "host user": f"uid {USER}"}
    assert held.keys() & {"swap", "cores", "cpu weight"} == set()


def watched(row):
    return {name: row[name] for name in ("stdout", "watched", "blocked", "network", "processes")}


SEEN = {"stdout": "-1 Operation not permitted\nNetwork is unreachable\n", "watched": ["files", "processes", "network", "blocked"],
        "blocked": ["unshare"], "network": ["203.0.113.9:443 refused: no network"], "processes": ["sleep"]}


def test_refused_calls_addresses_and_processes_are_seen_as_by_root(told):
    assert watched(told["watched"]) == SEEN


def test_nothing_is_left(told):
    assert told["left"]["left"] == []


# --- an ordinary user to whom root's Docker listens ---

@pytest.fixture(scope="module")
def by_docker(docker):
    """What each run came to, by the same names."""
    engines.need("setpriv", "unshare")
    source, script = _source(), Path(__file__).with_name("rootless_runs.py")
    with engines.own_folder("user") as folder:
        _furnish(folder)
        listening = docker.folder / "socket"
        docker.folder.chmod(0o711)
        listening.chmod(0o666)
        try:
            done = _as_user(folder, {"XDG_RUNTIME_DIR": str(folder)}, argv=[INTERPRETER, str(script), str(folder / "project"), docker.url], path=source)
            yield _told(done, folder)
        finally:
            listening.chmod(0o660)
            docker.folder.chmod(0o700)


def test_by_roots_docker_an_ordinary_user_sees_as_much(by_docker):
    assert watched(by_docker["watched"]) == SEEN


def test_by_roots_docker_an_ordinary_user_leaves_nothing(by_docker):
    assert (by_docker["answer"]["exit_code"], by_docker["left"]["left"]) == (5, [])
