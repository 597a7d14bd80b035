"""A workspace: what is laid over it, what a run leaves in it, and that the host's own stays as it was."""

import hashlib
import stat
from unittest.mock import patch

import layer_story
import pytest
from walls import WALLS, Inside, without

from windtunnel.core.effects import FileEffect
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact, Command
from windtunnel.sandbox.bubblewrap import Bubblewrap

PROJECT = Language(name="project", suffixes=(".x",), source="main", find=lambda _: None, install="")


@pytest.fixture
def project(tmp_path):
    tmp_path.chmod(0o755)
    top = tmp_path / "project"
    (top / "src" / "deep").mkdir(parents=True)
    (top / "src" / "a.txt").write_text("a\n")
    (top / "src" / "deep" / "b.txt").write_text("b\n")
    (top / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (top / "run.sh").chmod(0o755)
    return top


NO_OVERLAY = (Inside("view", 'b"/workspace", b"overlay", _PRIVATE', 'b"/workspace", b"none-such", _PRIVATE'),)


@pytest.fixture(scope="module", params=["overlay", "copy"])
def walls(request):
    with patch.dict(WALLS, {"overlay": NO_OVERLAY}), without(*(["overlay"] if request.param == "copy" else [])):
        made = Bubblewrap(pool_size=0)
        yield made
        made.close()


def test_the_result_says_how_the_workspace_was_shown(walls, project, request):
    how = {"overlay": "copy-on-write", "copy": "copy"}[request.node.callspec.params["walls"]]

    assert run(walls, project, "true").enforced["workspace"] == how


def run(walls, project, script, **options):
    command = Command(argv=("/bin/sh", "-c", script), cwd="/workspace", workspace=str(project),
                      env={"PATH": "/usr/bin:/bin"}, **options)
    return walls.run(Job(command=command, limits=options.pop("limits", Limits()), language=PROJECT, warm=False,
                         toolchain=Toolchain(run=("/bin/sh",))))


def snapshot(top):
    return {str(path.relative_to(top)): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_ctime_ns,
                                         path.read_bytes() if path.is_file() else b"") for path in top.rglob("*")}


def effects(result):
    return {file.path.removeprefix("/workspace/"): file.act for file in result.effects.files
            if file.path.startswith("/workspace/")}


def test_what_is_laid_over_is_what_the_program_sees(walls, project):
    result = run(walls, project, "cat src/a.txt new/n.txt; ls src; ./run.sh; stat -c %a run.sh new/n.txt tool", overlay={
        "src/a.txt": Artifact(data=b"changed\n"), "new/n.txt": Artifact(data=b"new\n"), "src/deep/b.txt": None,
        "run.sh": Artifact(data=b"#!/bin/sh\necho other\n"), "tool": Artifact(data=b"x", mode=0o755)})

    assert (result.stdout, result.stderr) == ("changed\nnew\na.txt\ndeep\nother\n755\n644\n755\n", "")


def test_the_project_on_disk_is_not_touched_not_even_its_times(walls, project):
    before = snapshot(project)

    run(walls, project, "cat src/a.txt; echo x > src/a.txt; rm -r src/deep; touch run.sh; mkdir -p q; chmod 600 run.sh",
        overlay={"src/new": Artifact(data=b"1"), "src/deep/b.txt": None})

    assert snapshot(project) == before


def test_each_file_made_changed_or_deleted_is_reported(walls, project):
    result = run(walls, project, "echo x > src/a.txt; rm src/deep/b.txt; mkdir q; echo y > q/y; chmod 700 run.sh")

    assert effects(result) == {
        "src/a.txt": "changed", "src/deep/b.txt": "deleted", "q": "made", "q/y": "made", "run.sh": "changed"}


def test_a_changed_file_is_reported_with_size_mode_and_hash(walls, project):
    result = run(walls, project, "printf yes > src/a.txt; chmod 640 src/a.txt")

    assert FileEffect(
        path="/workspace/src/a.txt", kind="file", size=3, act="changed", mode=0o640,
        hash=hashlib.sha256(b"yes").hexdigest()) in result.effects.files


def test_a_deleted_folder_is_reported_file_by_file(walls, project):
    assert effects(run(walls, project, "rm -r src")) == {"src/a.txt": "deleted", "src/deep/b.txt": "deleted"}


def test_a_folder_that_was_deleted_and_made_again_does_not_hide_what_it_lost(walls, project):
    assert effects(run(walls, project, "rm -r src; mkdir src; echo n > src/n")) == {
        "src/a.txt": "deleted", "src/deep/b.txt": "deleted", "src/n": "made"}


def test_a_folder_that_took_the_place_of_a_file_is_a_change(walls, project):
    assert effects(run(walls, project, "rm run.sh; mkdir run.sh; echo 1 > run.sh/x")) == {
        "run.sh": "changed", "run.sh/x": "made"}


def test_links_and_pipes_in_the_workspace_are_reported_and_never_followed(walls, project, tmp_path):
    (tmp_path / "secret").write_text("host")
    result = run(walls, project, f"ln -s {tmp_path}/secret link; mkfifo pipe; ln -s / up", keep_layer=True)

    kinds = {file.path: file.kind for file in result.effects.files if file.path.startswith("/workspace/")}
    assert kinds == {"/workspace/link": "link", "/workspace/pipe": "other", "/workspace/up": "link"}
    assert dict(result.layer) == {}


def test_what_a_build_left_can_be_read_back(walls, project):
    result = run(walls, project, "mkdir out; echo bin > out/tool; chmod 755 out/tool; rm src/a.txt", keep_layer=True)

    assert dict(result.layer) == {
        "out/tool": Artifact(data=b"bin\n", executable=True, mode=0o755), "src/a.txt": None}


def test_a_step_on_top_of_what_a_build_left_sees_what_the_build_saw(walls, tmp_path):
    tmp_path.chmod(0o755)
    project = layer_story.make(tmp_path / "story")
    before = snapshot(project)

    built = run(walls, project, layer_story.BUILD, keep_layer=True)
    result = run(walls, project, layer_story.LOOK, overlay=built.layer, keep_layer=True)

    assert (built.stdout, built.stderr, result.stdout, result.stderr) == (layer_story.AFTER, "", layer_story.AFTER, "")
    assert (result.layer, snapshot(project)) == (built.layer, before)


def test_links_that_lead_out_of_the_workspace_are_not_read_back(walls, project):
    result = run(walls, project, layer_story.LEAVING, keep_layer=True)

    assert result.layer == {"d": Artifact(data=b"", mode=stat.S_IFDIR | 0o755)}


@pytest.mark.parametrize("act", ["ln -s / src", "mkfifo src"])
def test_where_something_was_put_that_cannot_be_read_back_there_is_nothing(walls, project, act):
    assert run(walls, project, f"rm -r src; {act}", keep_layer=True).layer == {"src": None}


def test_a_folder_that_was_deleted_is_read_back_as_one_deletion(walls, project):
    assert run(walls, project, "rm -r src", keep_layer=True).layer == {"src": None}


def test_a_folder_is_replaced_by_the_file_that_is_laid_over_it_and_links_are_not_followed(walls, project, tmp_path):
    (tmp_path / "secret").write_text("host")
    (project / "link").symlink_to(tmp_path)

    result = run(walls, project, "cat src; ls", overlay={"src": Artifact(data=b"file\n"), "link": None, "none/x": None})

    assert (result.stdout, result.stderr) == ("file\nrun.sh\nsrc\n", "")
    assert (tmp_path / "secret").read_text() == "host"


def test_nothing_is_read_back_unless_asked_for(walls, project):
    assert dict(run(walls, project, "echo x > y").layer) == {}


def test_a_report_folder_is_made_beforehand_and_read_when_all_is_dead(walls, project):
    result = run(walls, project, "echo 1 > /tmp/out/a; (sleep 5; echo late > /tmp/out/b) &", collect="out/")

    assert dict(result.artifacts) == {"a": Artifact(data=b"1\n")}


def test_the_workspace_is_also_found_by_its_path_on_the_host(walls, project):
    result = run(walls, project, f"cat {project}/src/a.txt; echo x > {project}/made; ls made")

    assert (result.stdout, result.stderr) == ("a\nmade\n", "")
    assert effects(result) == {"made": "made"}


def test_a_folder_that_took_the_place_of_another_is_another_workspace(walls, project):
    run(walls, project, "true")
    project.rename(project.with_name("old"))
    project.mkdir()
    (project / "fresh").write_text("")

    assert run(walls, project, "ls").stdout == "fresh\n"


def test_the_writable_layer_is_limited_in_size(walls, project):
    command = Command(argv=("/bin/sh", "-c", "head -c 20m /dev/zero > big"), cwd="/workspace", workspace=str(project),
                      env={"PATH": "/usr/bin:/bin"})
    result = walls.run(Job(command=command, limits=Limits(disk_bytes=4 << 20), language=PROJECT, warm=False,
                           toolchain=Toolchain(run=("/bin/sh",))))

    assert result.reason == "out_of_disk"


def test_a_file_only_its_owner_may_read_is_readable_inside_as_it_is_outside(walls, project):
    (project / "private").write_text("mine\n")
    (project / "private").chmod(stat.S_IRUSR)

    assert run(walls, project, "cat private").stdout == "mine\n"
