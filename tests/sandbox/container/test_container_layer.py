"""What a build leaves in a project comes over to the next step: deletions, links and empty folders too."""

from __future__ import annotations

import os
import stat

import layer_story
import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.sandbox.container.project import lay_over

pytestmark = pytest.mark.xdist_group("containers")
PROJECT = Language(name="project", suffixes=(".x",), source="main", find=lambda _: None, install="")


def run(container, project, script, **options):
    command = Command(argv=("/bin/sh", "-c", script), cwd="/workspace", workspace=str(project), env={"PATH": "/usr/bin:/bin"}, **options)
    return container.run(Job(command=command, limits=Limits(), language=PROJECT, warm=False, toolchain=Toolchain(run=("/bin/sh",))))


@pytest.mark.parametrize("copied", [False, True], ids=["overlay", "copy"])
def test_a_step_on_top_of_what_a_build_left_sees_what_the_build_saw(shared, tmp_path, monkeypatch, copied):
    if copied:
        monkeypatch.setattr("windtunnel.sandbox.container.cell.Cell._mount_overlay", lambda *_: False)
    project = layer_story.make(tmp_path / "story")

    built = run(shared, project, layer_story.BUILD, keep_layer=True)
    result = run(shared, project, layer_story.LOOK, overlay=built.layer, keep_layer=True)

    assert (built.stdout, built.stderr, result.stdout, result.stderr) == (layer_story.AFTER, "", layer_story.AFTER, "")
    assert result.layer == built.layer


# --- laying over a folder on the host, as root ---

@pytest.fixture
def top(tmp_path):
    """A folder, by descriptor, with a folder of somebody else's beside it."""
    (tmp_path / "project/src/deep").mkdir(parents=True)
    (tmp_path / "project/src/deep/x").write_text("x")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_text("kept")
    descriptor = os.open(tmp_path / "project", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)
    assert (tmp_path / "outside/kept").read_text() == "kept"


def lay(top, path, data, mode=None):
    lay_over(top, path, data=data, mode=mode, uid=None)


def found(tmp_path):
    top = tmp_path / "project"
    return {str(path.relative_to(top)): str(path.readlink()) if path.is_symlink() else "folder" if path.is_dir() else path.read_text()
            for path in top.rglob("*")}


def test_a_deleted_folder_goes_with_all_that_is_in_it_and_nothing_that_it_links_to(top, tmp_path):
    (tmp_path / "project/src/deep/out").symlink_to(tmp_path / "outside")

    lay(top, "src", None)

    assert found(tmp_path) == {}


def test_a_link_is_made_in_the_place_of_a_folder_and_leads_where_it_says(top, tmp_path):
    lay(top, "src/deep", b"../other", stat.S_IFLNK | 0o777)

    assert found(tmp_path) == {"src": "folder", "src/deep": "../other"}


def test_a_folder_takes_the_place_of_a_link_and_what_comes_into_it_stays_in_the_project(top, tmp_path):
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")

    lay(top, "link", b"", stat.S_IFDIR | 0o500)
    lay(top, "link/y", b"y")

    assert found(tmp_path) == {"src": "folder", "src/deep": "folder", "src/deep/x": "x", "link": "folder", "link/y": "y"}
    assert stat.S_IMODE((tmp_path / "project/link").stat().st_mode) == 0o700


def test_nothing_is_laid_through_a_link(top, tmp_path):
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")

    for path, data in (("link/kept", None), ("link/kept", b"changed"), ("link/new/x", b"new")):
        with pytest.raises(SandboxFailure):
            lay(top, path, data)

    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["kept"]
