"""The folder behind a container: what the shell becomes, what is shown and counted, and that nothing stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Artifact
from windtunnel.sandbox.container.cell import GATE, Cell, mount_disk, mount_points, unmount_below
from windtunnel.sandbox.container.engine import Mount
from windtunnel.sandbox.container.watching import Sight

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts here")
USER = 61234
LIMITS = Limits(disk_bytes=4 * MIB, files=100)
BARE, SEEN = Sight(processes=False, calls=False), Sight(processes=True, calls=False)


@pytest.fixture
def cell():
    """Makes cells; those that are left are removed."""
    made = []

    def make(limits=LIMITS, *, sight=BARE, **options):
        made.append(Cell(limits, uid=USER, sight=sight, **options))
        return made[-1]

    yield make
    for one in made:
        if Path(one.path).exists():
            one.remove()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project/main.py").write_text("print(1)")
    return tmp_path / "project"


# --- mounts below a folder ---

def test_mount_points_are_those_below_in_order_with_their_names_read_back(tmp_path):
    table = tmp_path / "mountinfo"
    table.write_bytes(
        b"20 1 0:1 / / rw - ext4 /dev/a rw\n21 20 0:2 / /t/a rw - tmpfs x rw\n22 20 0:3 / /t/a\\040b\\134c\\012d rw - tmpfs x rw\n"
        b"23 21 0:4 / /t/a/deep rw - tmpfs x rw\n24 20 0:5 / /t rw - tmpfs x rw\n25 20 0:6 / /tt/a rw - tmpfs x rw\n")

    assert mount_points("/t", table=table) == ["/t/a", "/t/a b\\c\nd", "/t/a/deep"]


@pytest.mark.parametrize("name", [b"\xff", "\u2028".encode(), b"\x0b", "\u00a0".encode(), b"\x1c", b"\r"])
def test_an_odd_name_in_the_table_hides_no_mount(tmp_path, name):
    table = tmp_path / "mountinfo"
    table.write_bytes(b"20 1 0:1 / /other" + name + b"x rw - tmpfs x rw\n21 1 0:2 / /t/a" + name + b" rw - tmpfs x rw\n22 1 0:3 / /t/b rw - tmpfs x rw\n")

    assert [os.fsencode(point) for point in mount_points("/t", table=table)] == [b"/t/a" + name, b"/t/b"]


def test_a_machine_without_the_table_has_no_mount_points(tmp_path):
    assert mount_points("/t", table=tmp_path / "missing") == []


@ROOT
def test_a_disk_holds_no_more_than_it_may_and_no_device_or_set_user_id(tmp_path):
    mount_disk(str(tmp_path), LIMITS)
    try:
        (options,) = [line.split()[3] for line in Path("/proc/mounts").read_text().splitlines() if line.split()[1] == str(tmp_path)]
        with pytest.raises(OSError, match="No space left"):
            (tmp_path / "big").write_bytes(bytes(5 * MIB))
    finally:
        subprocess.run(["umount", tmp_path], check=True)

    assert {"nosuid", "nodev", "size=4096k", "nr_inodes=100"} <= set(options.split(","))


@ROOT
def test_all_mounts_below_are_taken_away_the_last_first_even_while_in_use(tmp_path):
    for folder in ("a", "a/b", "with space"):
        (tmp_path / folder).mkdir(parents=True)
        mount_disk(str(tmp_path / folder), LIMITS)
    with (tmp_path / "a/b/open").open("w"):
        unmount_below(str(tmp_path))

    assert mount_points(str(tmp_path)) == []


def test_a_disk_that_cannot_be_mounted_is_our_failure():
    with pytest.raises(SandboxFailure, match="no file system of a given size can be mounted here"):
        mount_disk("/no/such/folder", LIMITS)


# --- the cell ---

def test_what_is_shown_is_the_gate_and_the_writable_folders(cell):
    made = cell()

    assert made.mounts(read_only=True) == [
        Mount(source=f"{made.path}/gate", target=GATE), Mount(source=f"{made.path}/disk/tmp", target="/tmp", read_only=False),
        Mount(source=f"{made.path}/disk/shm", target="/dev/shm", read_only=False),
        Mount(source=f"{made.path}/disk/sandbox", target="/sandbox", read_only=True)]


def test_a_project_is_shown_by_both_of_its_names(cell, project):
    made = cell(workspace=str(project))

    assert made.mounts(read_only=False)[3:] == [
        Mount(source=f"{made.path}/disk/sandbox", target="/sandbox", read_only=False),
        Mount(source=f"{made.path}/disk/workspace", target="/workspace", read_only=False),
        Mount(source=f"{made.path}/disk/workspace", target=str(project), read_only=False)]


@pytest.mark.parametrize(("read_only", "names"), [
    (True, ["/dev/shm", "/tmp", "/workspace"]), (False, ["/dev/shm", "/sandbox", "/tmp", "/workspace"])])
def test_what_the_program_could_write_to_is_looked_at_afterwards(cell, project, job, read_only, names):
    made = cell(workspace=str(project))

    assert sorted(made.writable(job("", read_only=read_only))) == names


@ROOT
def test_what_is_writable_belongs_to_the_program(cell):
    made = cell()

    assert {name: (os.fstat(folder).st_uid, oct(os.fstat(folder).st_mode & 0o7777)) for name, folder in made._open.items()} == {
        "/tmp": (USER, "0o1777"), "/dev/shm": (USER, "0o1777"), "/sandbox": (USER, "0o755")}


def test_a_program_finds_its_files_and_folders_and_its_command(cell, job):
    made = cell()

    made.place(job("print(1)", files={"pkg/mod.py": b"x"}, command={"build": True, "collect": "out/"}))

    disk = Path(made.path, "disk")
    assert sorted(str(path.relative_to(disk)) for path in disk.rglob("*") if "run" not in path.name) == [
        "sandbox", "sandbox/main.py", "sandbox/pkg", "sandbox/pkg/mod.py", "shm", "tmp", "tmp/build", "tmp/out"]
    assert b"/sandbox/main.py\0" in Path(made.path, "gate/run").read_bytes()


def test_whatever_our_umask_the_program_can_read_its_gate_and_its_files(cell, job):
    before = os.umask(0o077)
    try:
        made = cell(sight=SEEN)
        made.place(job("print(1)"))
    finally:
        os.umask(before)

    modes = {str(path.relative_to(made.path)): path.stat().st_mode & 0o777 for path in Path(made.path, "gate").iterdir()}
    assert modes == {"gate/start": 0o755, "gate/go": 0o644, "gate/run": 0o644, "gate/socket": 0o666}
    assert [Path(made.path, folder).stat().st_mode & 0o777 for folder in ("gate", "disk", "disk/sandbox", "disk/run")] == [0o755, 0o711, 0o755, 0o755]


def test_a_file_that_leads_elsewhere_is_refused(cell, job):
    with pytest.raises(UsageError, match="not a relative path"):
        cell().place(job("", files={"../escaped": b"x"}))


@pytest.mark.parametrize(("sight", "names"), [(BARE, ["go", "start"]), (SEEN, ["go", "socket", "start"])], ids=["bare", "seen"])
def test_a_gate_has_a_door_where_its_starter_can_come_to_us(cell, sight, names):
    made = cell(sight=sight)

    assert sorted(path.name for path in Path(made.path, "gate").iterdir()) == names


def test_the_gate_opens_once_it_is_opened(cell):
    made = cell()
    before = made.passed()
    made.open_gate()
    waiting = made.passed()
    with Path(made.path, "gate/go").open("rb", buffering=0) as go:
        made.open_gate()
        go.read(8)

    assert (before, waiting, made.passed()) == (True, False, True)


@ROOT
def test_where_nothing_may_be_executed_no_starter_is_laid_and_the_place_is_named(cell, tmp_path, monkeypatch):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "none", tmp_path], check=True)
    monkeypatch.setattr("windtunnel.sandbox.container.cell.SHARED_PLACE", str(tmp_path))
    try:
        with pytest.raises(IsolationUnavailable, match=f"mount -o remount,exec {tmp_path}"):
            cell()
        left_behind = list(tmp_path.iterdir())
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)

    assert left_behind == []


def test_what_the_program_wrote_is_counted_and_a_full_room_is_told(cell):
    made = cell()
    before = made.used()[0]
    folder = Path(made.path, "disk/tmp")
    (folder / "half").write_bytes(b"x" * MIB)
    half = made.used()
    for number in range(200):
        try:
            (folder / str(number)).touch()
        except OSError:
            break

    assert (half[0] - before >= MIB, half[1], made.used()[1]) == (True, False, True)


def test_a_change_is_laid_over_the_project_which_stays_as_it_was(cell, project, job):
    made = cell(workspace=str(project))

    made.place(job("", command={"workspace": str(project), "overlay": {"main.py": None, "new.py": Artifact(data=b"x", executable=True)}}))

    shown = {path.name: path.stat().st_mode & 0o777 for path in Path(made.path, "disk/workspace").iterdir()}
    assert (shown, [path.name for path in project.iterdir()]) == ({"new.py": 0o755}, ["main.py"])


@ROOT
def test_a_project_that_root_shows_is_laid_under_an_overlay(cell, project):
    made = cell(workspace=str(project))

    Path(made.path, "disk/workspace/main.py").write_text("changed")

    assert (made.copied, project.joinpath("main.py").read_text(), Path(made.path, "disk/upper/main.py").read_text()) == (False, "print(1)", "changed")


# --- the end ---

def left(cell):
    return Path(cell.path).exists(), mount_points(cell.path), [
        path.name for path in Path("/proc/self/fd").iterdir() if os.path.exists(path) and cell.path in os.path.realpath(path)]  # noqa: PTH110 -- it may be gone


def test_nothing_of_a_cell_is_left(cell, project, job):
    made = cell(workspace=str(project), sight=SEEN)
    made.place(job("print(1)"))
    deep = Path(made.path, "disk/tmp/a/b/c")
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (deep / "link").symlink_to("/")
    deep.chmod(0)

    made.remove()

    assert left(made) == (False, [], [])


@ROOT
def test_what_somebody_else_mounted_below_goes_too_and_what_it_showed_stays(cell, tmp_path):
    made = cell()
    (tmp_path / "host").mkdir()
    (tmp_path / "host/file").write_text("the host's own")
    Path(made.path, "disk/tmp/seen").mkdir()
    subprocess.run(["mount", "--bind", tmp_path / "host", f"{made.path}/disk/tmp/seen"], check=True)

    made.remove()

    assert (left(made), (tmp_path / "host/file").read_text()) == ((False, [], []), "the host's own")


@ROOT
def test_a_cell_removed_without_unmounting_first_would_empty_what_is_mounted_there(tmp_path):
    import shutil

    (tmp_path / "host").mkdir()
    (tmp_path / "host/file").write_text("the host's own")
    (tmp_path / "cell/seen").mkdir(parents=True)
    subprocess.run(["mount", "--bind", tmp_path / "host", tmp_path / "cell/seen"], check=True)
    shutil.rmtree(tmp_path / "cell", ignore_errors=True)
    emptied = not (tmp_path / "host/file").exists()
    subprocess.run(["umount", tmp_path / "cell/seen"], check=True)

    assert emptied


def test_a_cell_that_cannot_be_made_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr("windtunnel.sandbox.container.cell.SHARED_PLACE", str(tmp_path))
    monkeypatch.setattr("windtunnel.sandbox.container.cell.own_place", lambda: str(tmp_path))

    with pytest.raises(FileNotFoundError):
        Cell(LIMITS, uid=USER, sight=SEEN, workspace="/no/such/project")

    assert (list(tmp_path.iterdir()), mount_points(str(tmp_path))) == ([], [])


# --- other users of the host ---

PEEK = "import os, sys; os.setgroups([]); os.setgid(12345); os.setuid(12345); print(b'/secret\\0' in open(sys.argv[1], 'rb').read())"


def peek(cell):
    return subprocess.run([sys.executable, "-I", "-S", "-c", PEEK, f"{cell.path}/gate/run"], capture_output=True, text=True, timeout=30, check=False)


@ROOT
def test_another_user_of_the_host_cannot_read_what_the_program_is_given(cell, job):
    made = cell()
    made.place(job("", command={"cwd": "/secret"}))

    assert (peek(made).stdout, "Permission denied" in peek(made).stderr) == ("", True)


@ROOT
def test_where_the_way_must_be_open_another_user_who_knows_the_name_could(cell, job):
    made = cell(mapped=True)
    made.place(job("", command={"cwd": "/secret"}))

    assert peek(made).stdout == "True\n"
