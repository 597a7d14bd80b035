"""Images of all three kinds, built by a real Docker and a real Podman, and programs that run in them."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace

import pytest

from windtunnel.config import CAPS
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.engine.images import InImages, Source, build_images, list_images, plans, remove_images
from windtunnel.engine.run import Snippet, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.image_names import spellings
from windtunnel.sandbox.container.images import Images
from windtunnel.sandbox.container.sandbox import Container

TABLE = LanguageTable()
LIMITS = replace(Limits(), wall_seconds=60.0)
UNREACHABLE = ("Could not resolve", "Failed to fetch", "Temporary failure", "Could not connect", "Unable to connect")


@pytest.fixture(autouse=True)
def nothing_left(request):
    """An engine is shared with other tests: each test of this file removes what it built in it."""
    yield
    for name in ("engine", "docker_engine"):
        if name in request.fixturenames:
            used = request.getfixturevalue(name)
            for image in mine(used):
                used.remove_image(image.name or image.id)


def mine(engine):
    """The images that this file builds, and nobody else does."""
    return [built for built in list_images(engine) if built.language in ("sh", "c") or "/test-own" in built.name]


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
    assert [one.name in spellings(built.name) for one in mine(engine)] == [True]


def test_python_runs_with_the_hosts_own_tools_in_an_image_of_a_few_bytes(docker_engine):
    (built,) = build_images(docker_engine, plans(TABLE, ["python"], name="windtunnel/test-own:1"))

    result = ran(docker_engine, "import ssl, sqlite3\n" + LOOK, "python", own={"python": built.name})

    assert (result.stdout, result.stderr) == ("0o1777 sandbox []\n", "")
    assert built.size < 100_000


def test_a_compiled_program_is_built_and_run_in_its_image(docker_engine):
    list(build_images(docker_engine, plans(TABLE, ["c"])))

    result = ran(docker_engine, TABLE.get("c").examples[0].code, "c")

    assert (result.stdout, [stage.name for stage in result.stages]) == ("hello\n", ["build", "run"])


def test_an_older_image_leaves_nothing_when_it_is_built_anew(engine):
    list(build_images(engine, plans(TABLE, ["sh"])))
    first = mine(engine)

    list(build_images(engine, plans(TABLE, ["sh"])))

    second = mine(engine)
    assert (len(first), len(second), first[0].id != second[0].id) == (1, 1, True)
    assert engine.image(first[0].id) is None


def test_images_are_removed_and_then_gone(engine):
    list(build_images(engine, plans(TABLE, ["sh"])))
    list(build_images(engine, plans(TABLE, ["sh"], name="windtunnel/test-own:2")))

    removed = remove_images(engine, TABLE, ["windtunnel/test-own:2", "sh"])

    assert (removed, mine(engine)) == (["windtunnel/test-own:2", "windtunnel/sh:local"], [])


def test_the_users_own_image_is_used_by_its_name(docker_engine):
    list(build_images(docker_engine, plans(TABLE, ["sh"], name="windtunnel/test-own:2")))

    assert ran(docker_engine, "echo hello", "sh", own={"sh": "windtunnel/test-own:2"}).stdout == "hello\n"


def test_an_image_of_somebody_else_is_neither_replaced_nor_removed(docker_engine):
    docker_engine.import_tar(empty(), name="windtunnel/sh:local", labels={})
    try:
        with pytest.raises(UsageError, match="did not build"):
            list(build_images(docker_engine, plans(TABLE, ["sh"])))
        with pytest.raises(UsageError, match="not ours to remove"):
            remove_images(docker_engine, TABLE, ["sh"])
        assert docker_engine.image("windtunnel/sh:local") is not None
    finally:
        docker_engine.remove_image("windtunnel/sh:local")


def empty():
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


def test_the_command_builds_lists_and_removes(docker, docker_engine, tmp_path):
    def command(*arguments):
        code = ("import sys, argparse\nfrom windtunnel.cli import image\nmade = argparse.ArgumentParser()\n"
                "image.add(made.add_subparsers())\nchosen = made.parse_args(['image', *sys.argv[1:]])\nsys.exit(chosen.act(chosen))")
        done = subprocess.run([sys.executable, "-c", code, *arguments, "--engine", "docker", "--json"], capture_output=True, text=True,
                              env=os.environ | {"HOME": str(tmp_path), "DOCKER_HOST": docker.url}, timeout=120, check=True)
        return json.loads(done.stdout)

    built, listed = command("build", "sh"), command("list")
    removed, nothing = command("remove", "sh"), command("list")

    assert [row["name"] for row in built] == ["windtunnel/sh:local"]
    assert [row["id"] for row in listed if row["language"] == "sh"] == [built[0]["id"]]
    assert (removed, [row for row in nothing if row["language"] == "sh"]) == ({"removed": ["windtunnel/sh:local"]}, [])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_image_of_packages_runs_a_language_by_its_bare_name(docker_engine):
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed here")
    told = []
    try:
        planned = plans(TABLE, ["python"], source=Source.PACKAGES, name="windtunnel/test-own:3")
        list(build_images(docker_engine, planned, tell=told.append))
    except SandboxFailure as failure:
        if any(word in str(failure) for word in UNREACHABLE):
            pytest.skip(f"the mirror cannot be reached: {failure}")
        raise

    result = ran(docker_engine, "import sys, ssl, sqlite3\nprint(sys.executable)\n" + LOOK, "python",
                 own={"python": "windtunnel/test-own:3"})

    assert (result.stdout, result.stderr) == ("/usr/bin/python3\n0o1777 sandbox []\n", "")
    assert any("installing remaining packages" in line for line in told)
