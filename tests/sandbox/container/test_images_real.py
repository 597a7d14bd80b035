"""Images of all three kinds, built by a real Docker and a real Podman, and programs that run in them."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from engines import docker_daemon, podman_env

from windtunnel.config import CAPS
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.engine.images import InImages, Source, build_images, list_images, plans, remove_images
from windtunnel.engine.run import Snippet, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.images import Images
from windtunnel.sandbox.container.sandbox import Container
from windtunnel.sandbox.container.socket_engine import SocketEngine

TABLE = LanguageTable()
LIMITS = replace(Limits(), wall_seconds=60.0)
UNREACHABLE = ("Could not resolve", "Failed to fetch", "Temporary failure", "Could not connect", "Unable to connect")


@pytest.fixture(scope="module")
def daemon():
    with docker_daemon() as made:
        yield made


@pytest.fixture(params=["docker by its socket", "docker by its command line", "podman"])
def engine(request, monkeypatch):
    """An engine of the test's own, without a single image; what a test leaves in it is told."""
    if request.param == "podman":
        if shutil.which("podman") is None or os.geteuid() != 0:
            pytest.skip("podman is not installed here, or this is not root")
        made = request.getfixturevalue("podman")
    else:
        url = request.getfixturevalue("daemon").url
        monkeypatch.setenv("DOCKER_HOST", url)
        made = SocketEngine(url, name="docker") if "socket" in request.param else CommandEngine("docker", options=("--host", url))
    yield made
    for image in list_images(made):
        made.remove_image(image.name)


@pytest.fixture
def podman(monkeypatch):
    with podman_env() as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        yield CommandEngine("podman")


@pytest.fixture
def docker(daemon, monkeypatch):
    """Docker by its socket alone, for what does not depend on how it is spoken to."""
    monkeypatch.setenv("DOCKER_HOST", daemon.url)
    made = SocketEngine(daemon.url, name="docker")
    yield made
    for image in list_images(made):
        made.remove_image(image.name)


def ran(engine, code, language, **images):
    """A program in the image that its language gets."""
    chosen = Images(engine, **images)
    sandbox = Container(engine, image=lambda job: chosen.get(job.language))
    rig = Rig(sandbox=sandbox, languages=InImages(TABLE, chosen), history=None, builds=None, caps=replace(CAPS, wall_seconds=60.0),
              default_limits=LIMITS)
    try:
        return run(rig, Snippet(code=code, language=language))
    finally:
        sandbox.close()


LOOK = """
import os, pwd
print(oct(os.stat("/tmp").st_mode & 0o7777), pwd.getpwuid(1000).pw_name, sorted(os.listdir("/home") if os.path.exists("/home") else []))
"""


@pytest.mark.parametrize("source", [Source.HOST, Source.FILES])
def test_a_program_runs_in_an_image_that_was_built_here(engine, source):
    (built,) = build_images(engine, plans(TABLE, ["sh"], source=source))

    result = ran(engine, "echo hello; id -u | grep -qv '^0$' && echo ordinary", "sh")

    assert (result.stdout, result.stderr, result.exit_code) == ("hello\nordinary\n", "", 0)
    assert [one.name.removeprefix("localhost/") for one in list_images(engine)] == [built.name]


def test_python_runs_with_the_hosts_own_tools_in_an_image_of_a_few_bytes(docker):
    (built,) = build_images(docker, plans(TABLE, ["python"]))

    result = ran(docker, "import ssl, sqlite3\n" + LOOK, "python")

    assert (result.stdout, result.stderr) == ("0o1777 sandbox []\n", "")
    assert built.size < 100_000


def test_a_compiled_program_is_built_and_run_in_its_image(docker):
    build_images_all = list(build_images(docker, plans(TABLE, ["c"])))

    result = ran(docker, TABLE.get("c").examples[0].code, "c")

    assert (result.stdout, len(build_images_all)) == ("hello\n", 1)


def test_an_older_image_leaves_nothing_when_it_is_built_anew(engine):
    list(build_images(engine, plans(TABLE, ["sh"])))
    first = list_images(engine)

    list(build_images(engine, plans(TABLE, ["sh"])))

    second = list_images(engine)
    assert (len(first), len(second), first[0].id != second[0].id) == (1, 1, True)
    assert engine.image(first[0].id) is None


def test_images_are_removed_and_then_gone(engine):
    list(build_images(engine, plans(TABLE, ["sh"])))
    list(build_images(engine, plans(TABLE, ["sh"], name="mine/own:2")))

    removed = remove_images(engine, TABLE, ["mine/own:2", "sh"])

    assert (removed, list_images(engine)) == (["mine/own:2", "windtunnel/sh:local"], [])


def test_the_users_own_image_is_used_by_its_name(docker):
    list(build_images(docker, plans(TABLE, ["sh"], name="mine/own:2")))

    assert ran(docker, "echo hello", "sh", own={"sh": "mine/own:2"}).stdout == "hello\n"


def test_an_image_of_somebody_else_is_neither_replaced_nor_removed(docker):
    docker.import_tar(empty(), name="windtunnel/sh:local", labels={})
    try:
        with pytest.raises(UsageError, match="did not build"):
            list(build_images(docker, plans(TABLE, ["sh"])))
        with pytest.raises(UsageError, match="not ours to remove"):
            remove_images(docker, TABLE, ["sh"])
        assert docker.image("windtunnel/sh:local") is not None
    finally:
        docker.remove_image("windtunnel/sh:local")


def empty():
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("file"))
    out.seek(0)
    return out


def test_a_registry_that_cannot_be_reached_is_told_in_the_engines_own_words(engine):
    with pytest.raises(IsolationUnavailable) as refused:
        Images(engine, own={"sh": "localhost:1/no/such:image"}, pull=True).get(TABLE.get("sh"))

    said = str(refused.value)
    assert said.startswith("the image localhost:1/no/such:image cannot be pulled: ")
    assert "windtunnel image build sh" in said
    assert "refused" in said
    assert (said.isprintable(), len(said) < 1000) == (True, True)


def test_the_command_builds_lists_and_removes(docker, tmp_path):
    def command(*arguments):
        code = ("import sys, argparse\nfrom windtunnel.cli import image\nmade = argparse.ArgumentParser()\n"
                "image.add(made.add_subparsers())\nchosen = made.parse_args(['image', *sys.argv[1:]])\nsys.exit(chosen.act(chosen))")
        done = subprocess.run([sys.executable, "-c", code, *arguments, "--engine", "docker", "--json"], capture_output=True, text=True,
                              env=os.environ | {"HOME": str(tmp_path)}, timeout=120, check=True)
        return json.loads(done.stdout)

    built, listed = command("build", "sh"), command("list")
    removed, nothing = command("remove", "sh"), command("list")

    assert ([row["name"] for row in built], [row["id"] for row in listed]) == (["windtunnel/sh:local"], [built[0]["id"]])
    assert (removed, nothing) == ({"removed": ["windtunnel/sh:local"]}, [])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_image_of_packages_runs_a_language_by_its_bare_name(docker):
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed here")
    told = []
    try:
        list(build_images(docker, plans(TABLE, ["python"], source=Source.PACKAGES), tell=told.append))
    except SandboxFailure as failure:
        if any(word in str(failure) for word in UNREACHABLE):
            pytest.skip(f"the mirror cannot be reached: {failure}")
        raise

    result = ran(docker, "import sys, ssl, sqlite3\nprint(sys.executable)\n" + LOOK, "python")

    assert (result.stdout, result.stderr) == ("/usr/bin/python3\n0o1777 sandbox []\n", "")
    assert any("installing remaining packages" in line for line in told)
