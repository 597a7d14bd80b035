"""Folders of our own: made with a lock, filled without following a name out, removed and swept."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.result import Command
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.private import make_folder, own_folder, own_place, place_files, remove_folder, sweep

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def described(folder):
    return {str(path.relative_to(folder)): (oct(path.stat().st_mode & 0o7777), path.read_bytes() if path.is_file() else None)
            for path in sorted(folder.rglob("*"))}


# --- a folder of our own ---

def test_a_folder_is_named_for_us_closed_to_others_and_locked(tmp_path):
    path, lock = make_folder(str(tmp_path))
    other = os.open(path, os.O_RDONLY)

    with pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    os.close(other)
    name = rf"windtunnel-{os.getpid()}-{cgroups.start_time(os.getpid())}-\w+"
    assert (re.fullmatch(name, Path(path).name) is not None, oct(Path(path).stat().st_mode & 0o777)) == (True, "0o700")
    remove_folder(path, lock)
    assert list(tmp_path.iterdir()) == []


def test_its_path_is_the_real_one_although_the_way_was_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    path, lock = make_folder(str(tmp_path / "link"))

    assert Path(path).parent == tmp_path / "real"
    remove_folder(path, lock)


def test_removing_takes_all_that_is_in_it_and_nothing_that_links_lead_to(tmp_path):
    (tmp_path / "host").mkdir()
    (tmp_path / "host/file").write_text("the host's own")
    path, lock = make_folder(str(tmp_path))
    (Path(path) / "a/b").mkdir(parents=True)
    (Path(path) / "a/b/out").symlink_to(tmp_path / "host")
    (Path(path) / "a").chmod(0)

    remove_folder(path, lock)

    assert described(tmp_path) == {"host": ("0o755", None), "host/file": ("0o644", b"the host's own")}


DIED = "import os, sys; from windtunnel.sandbox.private import make_folder; print(make_folder(sys.argv[1])[0], flush=True); os.kill(os.getpid(), 9)"


def test_a_dead_supervisors_folder_is_swept_and_a_living_ones_stays(tmp_path):
    died = subprocess.run([sys.executable, "-c", DIED, str(tmp_path)], capture_output=True, text=True, timeout=30, check=False)
    path, lock = make_folder(str(tmp_path))
    before = Path(died.stdout.strip()).is_dir()

    sweep(str(tmp_path))

    assert (before, list(tmp_path.iterdir())) == (True, [Path(path)])
    remove_folder(path, lock)


@pytest.mark.parametrize(("given", "shared"), [("", True), ("relative", True), ("/no/such/folder", True), (None, True), ("own", False)])
def test_an_ordinary_users_place_is_the_one_of_its_session_if_it_can_be_used(tmp_path, monkeypatch, given, shared):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if given is not None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path) if given == "own" else given)

    assert own_place() == ("/tmp" if shared else str(tmp_path))


# --- a command's files ---

def command(**files):
    return Command(argv=("x",), files=files, executables=frozenset({"bin/tool"}))


def test_files_are_laid_in_their_folders_read_only_and_executable_where_said(tmp_path):
    place_files(str(tmp_path), command(**{"main.py": b"1", "pkg/sub/mod.py": b"2", "pkg/other.py": b"3", "bin/tool": b"#!"}), uid=None)

    assert described(tmp_path) == {
        "main.py": ("0o444", b"1"), "pkg": ("0o700", None), "pkg/sub": ("0o700", None), "pkg/sub/mod.py": ("0o444", b"2"),
        "pkg/other.py": ("0o444", b"3"), "bin": ("0o700", None), "bin/tool": ("0o555", b"#!")}


@pytest.mark.parametrize("name", ["../escaped", "a/../../escaped", "/escaped", "", ".", "a//b", "a/./b", "a/", "..", "a\0b"])
def test_a_name_that_leads_elsewhere_is_refused_and_nothing_is_written(tmp_path, name):
    (tmp_path / "root").mkdir()

    with pytest.raises(UsageError, match="files: not a relative path") as refused:
        place_files(str(tmp_path / "root"), command(**{name: b"x"}), uid=None)

    assert (refused.value.field, [path.name for path in tmp_path.rglob("*")]) == ("files", ["root"])


def test_joined_without_a_look_such_a_name_would_write_outside(tmp_path):
    (tmp_path / "root").mkdir()

    Path(f"{tmp_path}/root/../escaped").write_bytes(b"x")

    assert (tmp_path / "escaped").exists()


def test_a_file_that_is_there_already_or_a_link_is_never_written_through(tmp_path):
    (tmp_path / "outside").write_text("the host's own")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/main.py").symlink_to("../outside")

    with pytest.raises(FileExistsError):
        place_files(str(tmp_path / "root"), command(**{"main.py": b"x"}), uid=None)

    assert (tmp_path / "outside").read_text() == "the host's own"


@ROOT
def test_files_and_folders_belong_to_the_program(tmp_path):
    place_files(str(tmp_path), command(**{"pkg/main.py": b"1"}), uid=61234)

    assert {path.name: (path.stat().st_uid, path.stat().st_gid) for path in tmp_path.rglob("*")} == dict.fromkeys(
        ("pkg", "main.py"), (61234, 61234))


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o1777])
def test_a_folder_has_the_mode_named_whatever_our_umask(tmp_path, mode):
    before = os.umask(0o077)
    try:
        own_folder(f"{tmp_path}/made", uid=None, mode=mode)
    finally:
        os.umask(before)

    assert (tmp_path / "made").stat().st_mode & 0o7777 == mode
