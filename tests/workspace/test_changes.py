import os
import unicodedata
from pathlib import Path

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.workspace import changes as limits
from windtunnel.workspace.changes import check_changes

HOSTILE = [
    "", ".", "..", "./x", "../x", "a/../x", "a/../../x", "a/..", "a/.", "a/./x", "x/", "/x", "//x", "a//x",
    "/etc/passwd", "~", "~/x", "~root/x", "C:", "C:x", "C:/x", "c:\\x", "\\x", "a\\x", "..\\x", "a\\..\\x",
    "a\0b", "a\nb", "a\rb", "a\tb", "a\x1b[31mb", "a\x7fb", "a\x85b", "\x01",
    "a\u202eb", "a\u2066b", "a\u200eb", "a\u200bb", "a\u200db", "a\ufeffb", "a\u00adb", "a\u2028b", "a\u2029b",
    "a\u3164b", "a\u115fb", "a\ufffeb", "\U000e0041",
    "\uff0e\uff0e/x", "\uff0e./x", "a\uff0epy", "\u2025/x", "\u2026", "\u2024\u2024/x", "a\uff0fb", "a\uff3cb",
    "a\ufe68b", "a\u2215b", "a\u2044b", "\u2100",
    "x.", "x..", "...", "x ", "x\u00a0", "x\u3000", "d /x", "d./x", " ",
    ".git", ".git/config", ".GIT/config", ".gIt/hooks/pre-commit", "git~1/config", "GIT~2/x", "sub/.git/config",
    ".git /x", ".git./x", " .git/x", ".git::$INDEX_ALLOCATION/x", ".\uff47it/x", ".g\u200cit/x", ".git",
    ".windtunnel/x", ".WindTunnel/x", "a/.windtunnel", ".windtunnel-0001-abcdefab-0",
    "a\ud800b", "a\udcffb", "\udce2\udc80\udcae",
    "x" * 256, "é" * 128, "a/" * 2047 + "xx", "x/" * 200 + "x", ("y" * 200 + "/") * 20 + "x", "z" * 1_000_000,
    "-rf", "--checkpoint-action=exec=sh", "d/-x",
    "link/x", "link/inner/x", "dangling/x", "loop/x", "link", "dangling", "file-link", "up/x",
    "file/x", "file/x/y", "folder", "pipe", "existing.py", "nfc-\u0065\u0301.py",
]


@pytest.fixture
def project(tmp_path):
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    place = tmp_path / "project"
    (place / "folder").mkdir(parents=True)
    (place / "d").mkdir()
    (place / "existing.py").write_text("old\n")
    (place / "file").write_text("old\n")
    (place / unicodedata.normalize("NFC", "nfc-\u00e9.py")).write_text("")
    os.mkfifo(place / "pipe")
    for name, target in {"link": outside, "dangling": "nowhere", "loop": "loop", "file-link": "file", "up": ".."}.items():
        (place / name).symlink_to(target)
    return place


def everything(folder):
    return sorted((str(path), path.lstat().st_mtime_ns) for path in folder.parent.rglob("*"))


def create(path, content="x", **more):
    return FileChange(path, "create", content, **more)


def test_there_are_more_hostile_paths_than_the_catalogue_asks_for():
    assert len(set(HOSTILE)) >= 66


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: ascii(path[:30]))
def test_a_hostile_path_is_refused_by_name_before_anything_is_written(project, path):
    before = everything(project)

    with pytest.raises(UsageError) as refused:
        check_changes([create("fine.py"), create(path)], project=project)

    assert refused.value.field == "changes"
    assert repr(path)[:100] in str(refused.value)
    assert str(refused.value).isprintable()
    assert everything(project) == before


@pytest.mark.parametrize("path", ["../outside/x", "link/x", "up/outside/x"])
def test_without_the_check_such_a_path_leads_out_of_the_project(project, path):
    (project / path).write_text("escaped")

    assert (project.parent / "outside" / "x").read_text() == "escaped"


@pytest.mark.parametrize("operation", ["modify", "delete"])
@pytest.mark.parametrize("path", ["link/inner", "file-link", "folder", "pipe", "missing.py", "folder/missing", "."])
def test_only_plain_files_that_are_there_are_modified_or_deleted(project, operation, path):
    content = None if operation == "delete" else "x"
    with pytest.raises(UsageError) as refused:
        check_changes([FileChange(path, operation, content)], project=project)

    assert refused.value.field == "changes"


@pytest.mark.parametrize("change", [
    FileChange("existing.py", "delete", "content"),
    FileChange("existing.py", "delete", mode=0o644),
    FileChange("existing.py", "modify", None),
    FileChange("existing.py", "modify", 7),
    FileChange("existing.py", "modify", bytearray(b"x")),
    FileChange("existing.py", "modify", "\ud800"),
    FileChange("existing.py", "rename", "x"),
    FileChange("existing.py", None, "x"),
    FileChange("new.py", "create", None),
    FileChange(b"new.py", "create", "x"),
    FileChange(None, "create", "x"),
    *(create("new.py", mode=mode) for mode in (
        0o4755, 0o2755, 0o1755, 0o666, 0o777, 0o002, 0, 0o200, -1, 755, 0o100644, True, "0644", 1 << 64)),
    "new.py", None, ("new.py", "create", "x"),
], ids=repr)
def test_a_change_that_makes_no_sense_is_refused(project, change):
    with pytest.raises(UsageError) as refused:
        check_changes([change], project=project)

    assert refused.value.field == "changes"


@pytest.mark.parametrize("paths", [
    ("a.py", "a.py"), ("a.py", "A.py"), ("Dir/a", "dir/b"), ("e\u0301", "\u00e9"), ("stra\u00dfe", "strasse"),
    ("a", "a/b"), ("a/b/c", "a/b"),
])
def test_two_new_files_that_would_be_one_are_refused(project, paths):
    with pytest.raises(UsageError) as refused:
        check_changes([create(path) for path in paths], project=project)

    assert refused.value.field == "changes"


def test_too_many_changes_are_refused_without_reading_them_all(project):
    endless = (create(f"f{number}") for number in iter(int, 1))

    with pytest.raises(UsageError, match="more than 10000"):
        check_changes(endless, project=project)


def test_too_large_a_file_is_refused(project):
    with pytest.raises(UsageError, match="at most 33554432"):
        check_changes([create("big", bytes(limits.MOST_FILE_BYTES + 1))], project=project)


def test_too_much_in_all_is_refused(project):
    part = bytes(limits.MOST_FILE_BYTES)

    with pytest.raises(UsageError, match="at most 134217728"):
        check_changes([create(f"big{number}", part) for number in range(5)], project=project)


@pytest.mark.parametrize("make", [
    lambda place: place / "missing", lambda place: place / "file", lambda place: place / "link"])
def test_a_project_that_is_no_folder_of_its_own_is_refused(project, make):
    with pytest.raises(UsageError) as refused:
        check_changes([create("x")], project=make(project))

    assert refused.value.field == "project"


@pytest.mark.parametrize("path", [
    "a.py", "new/deep/er.py", ".github/workflows/ci.yml", ".gitignore", ".gitattributes", "a b.txt", "ü/日本.txt",
    "it's \"quoted\".md", "a..b", "..a", "xy:z", "#1", "emoji-🎉.md", "e\u0301tude.txt", "[slug]/page.tsx", "file~"])
def test_an_honest_path_is_taken_as_it_is(project, path):
    taken = check_changes([create(path)], project=project)

    assert taken == ChangeSet(changes=(create(path, mode=0o644),))


def test_a_name_that_windows_keeps_for_a_device_is_only_noted(project):
    taken = check_changes([create("aux.py")], project=project)

    assert taken.notes == ("aux.py: Windows cannot have a file of this name",)


def test_a_name_that_differs_in_case_from_one_of_the_project_is_noted(project):
    taken = check_changes([create("EXISTING.py")], project=project)

    assert taken.notes == ("EXISTING.py: differs only in case or spelling from existing.py, which the project has",)


def test_a_rename_that_changes_only_the_case_is_taken(project):
    taken = check_changes([FileChange("existing.py", "delete"), create("Existing.py")], project=project)

    assert [change.relative_path for change in taken] == ["existing.py", "Existing.py"]


def test_a_modification_keeps_its_mode_to_itself_unless_it_changes(project):
    (project / "existing.py").chmod(0o600)
    changes = [FileChange("existing.py", "modify", "new", 0o600), FileChange("file", "modify", b"\xff", 0o755)]

    taken = check_changes(changes, project=project)

    assert taken.changes == (FileChange("existing.py", "modify", "new"), FileChange("file", "modify", b"\xff", 0o755))


def test_what_is_already_so_is_left_out_and_noted(project):
    taken = check_changes([FileChange("existing.py", "modify", "old\n")], project=project)

    assert taken == ChangeSet(changes=(), notes=("existing.py: is already so; left out",))


def test_a_relative_project_is_taken(project, monkeypatch):
    monkeypatch.chdir(project.parent)

    assert check_changes([create("x")], project=Path("project")).paths == {"x"}
