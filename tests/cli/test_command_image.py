"""``windtunnel image``: what it understands, what it refuses, and what it says where there is no engine.

What it does with a real engine is in tests/sandbox/container/test_images_real.py.
"""

from __future__ import annotations

import argparse
import json

import pytest

from windtunnel.cli import image, render
from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.engine.images import Built


def parsed(*arguments):
    made = argparse.ArgumentParser(prog="windtunnel")
    image.add(made.add_subparsers(required=True))
    return made.parse_args(["image", *arguments])


@pytest.fixture
def act(tmp_path, monkeypatch):
    """Does what the arguments say, on a machine without any engine."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker")
    monkeypatch.setenv("CONTAINER_HOST", f"unix://{tmp_path}/podman")

    def run(*arguments):
        chosen = parsed(*arguments)
        return chosen.act(chosen)

    return run


# --- what it understands ---

@pytest.mark.parametrize(("arguments", "understood"), [
    (("build",), {"languages": [], "source": "host", "name": None, "engine": None, "json": False}),
    (("build", "python", "go", "--from", "files", "--engine", "podman", "--json"),
     {"languages": ["python", "go"], "source": "files", "name": None, "engine": "podman", "json": True}),
    (("build", "python", "--from", "packages", "--name", "my/image:1"),
     {"languages": ["python"], "source": "packages", "name": "my/image:1", "engine": None, "json": False}),
    (("list", "--engine", "docker"), {"engine": "docker", "json": False}),
    (("remove", "python", "my/image:1"), {"images": ["python", "my/image:1"], "all": False, "engine": None, "json": False}),
    (("remove", "--all"), {"images": [], "all": True, "engine": None, "json": False}),
])
def test_each_act_is_understood(arguments, understood):
    chosen = vars(parsed(*arguments))

    assert {name: chosen[name] for name in chosen if name not in ("act", "image_act")} == understood


@pytest.mark.parametrize("arguments", [
    (), ("fly",), ("build", "--from", "registry"), ("build", "--engine", "lxc"), ("build", "--privileged"), ("list", "python")], ids=" ".join)
def test_what_is_not_understood_is_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        parsed(*arguments)

    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: windtunnel")


@pytest.mark.parametrize("name", ["build", "list", "remove"])
def test_each_act_has_help_and_each_option_says_what_it_does(name, capsys):
    with pytest.raises(SystemExit) as left:
        parsed(name, "--help")

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: windtunnel image {name} ")


# --- what it refuses before any engine is asked ---

@pytest.mark.parametrize(("arguments", "said"), [
    (("build", "klingon"), "language: 'klingon' is not known"),
    (("build", "--from", "files"), "language: name those to build --from files"),
    (("build", "--name", "x", "python", "sh"), "--name: names one image"),
    (("build", "python", "--name", "--privileged"), None),
    (("build", "python", "--name=--privileged"), "name: not the name of an image: '--privileged'"),
    (("build", "python", "--name", "a b"), "name: not the name of an image: 'a b'"),
])
def test_a_wrong_wish_is_refused_by_name(act, arguments, said):
    with pytest.raises((UsageError, SystemExit)) as refused:
        act(*arguments)

    assert said is None or str(refused.value).startswith(said)


# --- without an engine ---

@pytest.mark.parametrize(("arguments", "said"), [
    (("build", "python"), "apt-get install docker.io"),
    (("list", "--engine", "podman"), "apt-get install podman"),
    (("remove", "python", "--engine", "docker"), "apt-get install docker.io"),
])
def test_without_an_engine_it_says_what_to_install(act, arguments, said):
    with pytest.raises(IsolationUnavailable) as refused:
        act(*arguments)

    assert str(refused.value).startswith(f"no container engine is installed ({said}")


# --- what it shows ---

ROWS = [Built(language="python", name="windtunnel/python:local", files="host", size=313, engine="docker", id="sha256:" + "0a" * 32, seconds=0.25)]


def test_images_are_told_as_json(capsys):
    image._show(ROWS, as_json=True)

    assert json.loads(capsys.readouterr().out) == [{
        "language": "python", "name": "windtunnel/python:local", "files": "host", "size": 313, "engine": "docker",
        "id": "sha256:" + "0a" * 32, "seconds": 0.25}]


def test_images_are_told_to_people_in_a_table(capsys):
    image._show(ROWS, as_json=False)

    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["language", "image", "files", "size", "engine", "id", "took"]
    assert row.split() == ["python", "windtunnel/python:local", "host", "313", "B", "docker", "0a0a0a0a0a0a", "250.0", "ms"]


def test_progress_goes_to_standard_error_without_what_a_terminal_would_obey(capsys):
    render.tell("I: done\x1b[2J")

    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "I: done\N{REPLACEMENT CHARACTER}[2J\n")
