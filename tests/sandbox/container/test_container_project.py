"""A project prepared on the host: copied as it is, changed without following anything it holds."""

from __future__ import annotations

import os
import resource
import stat
import tempfile
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.container.project import copy_tree, lay_over

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away and make devices")
USER = 61234


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


@pytest.fixture
def target(tmp_path):
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


@pytest.fixture
def lay(target):
    """Lays one file over the copy."""
    def act(path, data=b"new", *, mode=None, uid=None):
        top = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
        try:
            lay_over(top, path, data=data, mode=mode, uid=uid)
        finally:
            os.close(top)

    return act


def described(folder):
    """Every entry below: kind, permission bits, and content or where it leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        kind = stat.S_IFMT(info.st_mode)
        content = str(path.readlink()) if stat.S_ISLNK(kind) else path.read_bytes() if stat.S_ISREG(kind) else None
        found[str(path.relative_to(folder))] = (kind, stat.S_IMODE(info.st_mode), content)
    return found


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


# --- the copy ---

def test_folders_files_and_links_are_copied_with_their_modes(source, target):
    (source / "pkg/deep").mkdir(parents=True)
    (source / "pkg/deep").chmod(0o750)
    (source / "pkg/deep/tool").write_bytes(b"#!/bin/sh\n")
    (source / "pkg/deep/tool").chmod(0o755)
    (source / "empty").touch(0o600)
    (source / "link").symlink_to("pkg/deep")
    (source / "nowhere").symlink_to("/no/such/place")

    copy_tree(str(source), str(target), uid=None)

    assert described(target) == described(source)


def test_the_time_of_a_file_is_kept(source, target):
    (source / "a").write_text("x")
    os.utime(source / "a", ns=(10**18, 10**18 + 7))

    copy_tree(str(source), str(target), uid=None)

    assert (target / "a").stat().st_mtime_ns == 10**18 + 7


def test_a_link_that_leads_out_is_copied_as_a_link_and_nothing_behind_it_is_read(source, target, tmp_path):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/key").write_text("the host's own")
    (source / "out").symlink_to(tmp_path / "secrets")
    (source / "key").symlink_to("../secrets/key")

    copy_tree(str(source), str(target), uid=None)

    assert described(target) == {"key": (stat.S_IFLNK, 0o777, "../secrets/key"), "out": (stat.S_IFLNK, 0o777, str(tmp_path / "secrets"))}


def test_a_copy_that_followed_links_would_hold_the_secret(source, target, tmp_path):
    import shutil

    (tmp_path / "key").write_text("the host's own")
    (source / "key").symlink_to("../key")

    shutil.copytree(source, target, dirs_exist_ok=True)

    assert (target / "key").read_text() == "the host's own"


@pytest.mark.timeout(20)
def test_pipes_and_sockets_are_left_out_and_hold_nobody_up(source, target):
    import socket

    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(source / "socket"))
    (source / "file").write_text("x")

    copy_tree(str(source), str(target), uid=None)

    assert list(described(target)) == ["file"]


@ROOT
def test_devices_are_left_out(source, target):
    os.mknod(source / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))

    copy_tree(str(source), str(target), uid=None)

    assert described(target) == {}


@ROOT
def test_the_copy_belongs_to_the_program_with_its_links_and_modes(source, target):
    (source / "sub").mkdir()
    (source / "sub/tool").write_text("x")
    (source / "sub/tool").chmod(0o4755)
    (source / "link").symlink_to("sub")

    copy_tree(str(source), str(target), uid=USER)

    owners = {path.name: (path.lstat().st_uid, path.lstat().st_gid) for path in target.rglob("*")}
    assert owners == dict.fromkeys(("sub", "tool", "link"), (USER, USER))
    assert described(target) == described(source)


@pytest.fixture
def ordinary(tmp_path):
    """As a user whom modes bind; root is not."""
    if os.geteuid() != 0:
        yield
        return
    for path in (tmp_path, *tmp_path.rglob("*")):
        os.chown(path, 12345, 12345)
    for path in tmp_path.parents:
        if "pytest" in str(path):
            path.chmod(0o755)
    os.seteuid(12345)
    yield
    os.seteuid(0)


def test_what_cannot_be_read_is_left_out_and_the_rest_is_copied(source, target, ordinary):
    for name in ("closed", "listed", "open"):
        (source / name).mkdir()
        (source / name / "inside").write_text("x")
    (source / "file").write_text("x")
    (source / "file").chmod(0)
    (source / "closed").chmod(0)
    (source / "listed").chmod(0o400)

    copy_tree(str(source), str(target), uid=None)

    assert sorted(described(target)) == ["open", "open/inside"]
    for name in ("closed", "listed"):
        (source / name).chmod(0o700)


def test_a_folder_that_nobody_may_write_to_is_filled_all_the_same(source, target, ordinary):
    (source / "sub/deep").mkdir(parents=True)
    (source / "sub/deep/file").write_text("x")
    (source / "sub").chmod(0o500)

    copy_tree(str(source), str(target), uid=None)

    assert [(name, oct(mode)) for name, (_, mode, _) in described(target).items()] == [
        ("sub", "0o700"), ("sub/deep", "0o755"), ("sub/deep/file", "0o644")]
    (source / "sub").chmod(0o700)


def test_a_wide_tree_holds_few_descriptors_open(source, target):
    for number in range(300):
        (source / f"d{number}").mkdir()
        (source / f"d{number}/file").write_text(str(number))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 20, hard))
    try:
        copy_tree(str(source), str(target), uid=None)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert described(target) == described(source)


def test_a_tree_deeper_than_a_path_can_say_is_copied(source, target):
    folder = os.open(source, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=folder)
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = deeper
    os.close(folder)
    before = descriptors()

    copy_tree(str(source), str(target), uid=None)

    depth, folder = 0, os.open(target, os.O_RDONLY)
    while os.listdir(folder):  # noqa: PTH208 -- by descriptor
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        depth, folder = depth + 1, deeper
    os.close(folder)
    assert (depth, descriptors()) == (60, before)


def test_a_project_on_one_file_system_is_copied_to_another(source):
    if Path("/dev/shm").stat().st_dev == source.stat().st_dev:
        pytest.skip("the same file system is at both places here")
    (source / "file").write_bytes(os.urandom(100_000))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        copy_tree(str(source), place, uid=None)

        assert (Path(place) / "file").read_bytes() == (source / "file").read_bytes()


def test_a_source_that_is_itself_a_link_is_refused(source, target, tmp_path):
    (tmp_path / "link").symlink_to(source)

    with pytest.raises(OSError, match="Not a directory"):
        copy_tree(str(tmp_path / "link"), str(target), uid=None)


# --- the change ---

def test_a_new_file_gets_its_folders_and_the_usual_mode(lay, target):
    lay("src/pkg/main.py", b"print(1)")

    assert described(target) == {
        "src": (stat.S_IFDIR, 0o755, None), "src/pkg": (stat.S_IFDIR, 0o755, None), "src/pkg/main.py": (stat.S_IFREG, 0o644, b"print(1)")}


@pytest.mark.parametrize(("mode", "kept"), [(None, 0o750), (0o600, 0o600)])
def test_a_file_that_is_replaced_keeps_its_mode_unless_another_is_named(lay, target, mode, kept):
    (target / "tool").write_text("old")
    (target / "tool").chmod(0o750)

    lay("tool", mode=mode)

    assert described(target) == {"tool": (stat.S_IFREG, kept, b"new")}


def test_a_set_user_id_bit_is_not_handed_on_to_what_replaces_the_file(lay, target):
    (target / "tool").write_text("old")
    (target / "tool").chmod(0o4755)

    lay("tool")

    assert described(target) == {"tool": (stat.S_IFREG, 0o755, b"new")}


def test_a_file_is_taken_away_and_one_that_is_not_there_is_no_error(lay, target):
    (target / "a").write_text("x")

    lay("a", None)
    lay("a", None)
    lay("no/such/folder/a", None)

    assert described(target) == {}


def test_a_hard_link_to_a_file_outside_is_replaced_and_the_other_name_keeps_its_content(lay, target, tmp_path):
    (tmp_path / "outside").write_text("the host's own")
    (target / "inside").hardlink_to(tmp_path / "outside")

    lay("inside")

    assert ((tmp_path / "outside").read_text(), (target / "inside").read_text()) == ("the host's own", "new")


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(lay, target, tmp_path):
    (tmp_path / "outside").write_text("the host's own")
    (target / "file").symlink_to("../outside")

    lay("file")

    assert ((tmp_path / "outside").read_text(), described(target)["file"][0]) == ("the host's own", stat.S_IFREG)


@pytest.mark.parametrize("data", [b"new", None])
def test_a_link_on_the_way_is_refused_and_nothing_outside_changes(lay, target, tmp_path, data):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("the host's own")
    (target / "way").symlink_to("../outside")
    before = descriptors()

    with pytest.raises(SandboxFailure, match="the change cannot be laid over 'way/file'"):
        lay("way/file", data)

    assert (described(tmp_path / "outside"), descriptors()) == ({"file": (stat.S_IFREG, 0o644, b"the host's own")}, before)


def test_a_writer_that_followed_the_link_would_write_outside(target, tmp_path):
    (tmp_path / "outside").mkdir()
    (target / "way").symlink_to("../outside")

    (target / "way/file").write_text("escaped")

    assert (tmp_path / "outside/file").read_text() == "escaped"


@pytest.mark.parametrize("path", ["../outside", "a/../../outside", "/outside", "", ".", "a//b", "a/./b", "a/", "..", "a\0b"])
def test_a_path_that_is_no_relative_one_is_refused_and_nothing_is_written(lay, target, tmp_path, path):
    with pytest.raises(SandboxFailure, match="not a relative path"):
        lay(path)

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["target"]


def test_a_folder_in_the_place_of_the_file_is_replaced(lay, target):
    (target / "file/inside").mkdir(parents=True)

    lay("file", b"new")

    assert (target / "file").read_bytes() == b"new"


def test_a_pipe_on_the_way_or_in_the_place_holds_nobody_up(lay, target):
    os.mkfifo(target / "pipe")

    with pytest.raises(SandboxFailure, match="Not a directory"):
        lay("pipe/file")
    lay("pipe")

    assert described(target)["pipe"][2] == b"new"


@ROOT
def test_what_is_laid_over_belongs_to_the_program(lay, target):
    lay("new/file", uid=USER)

    assert {path.name: path.stat().st_uid for path in target.rglob("*")} == {"new": USER, "file": USER}
