"""One kept workspace on the disk."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.result import Artifact
from windtunnel.workspace.kept import laying
from windtunnel.workspace.kept.difference import difference
from windtunnel.workspace.kept.home import BEGINNING, Home
from windtunnel.workspace.kept.trees import Room, TooMuch, copy_tree


@pytest.fixture
def home(tmp_path):
    source = tmp_path / "source"
    (source / "pkg").mkdir(parents=True)
    (source / "pkg" / "one.py").write_text("one\n")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "away").symlink_to("/etc/passwd")
    made = Home(tmp_path / "home")
    made.make(lambda tree: copy_tree(source, tree, room=Room(files=100, bytes_=10_000)))
    return made


def lay(home, layer):
    with home.receiving() as incoming:
        home.settle(incoming, layer)


def test_a_copy_has_files_modes_and_links_as_they_were(home):
    assert (home.tree / "pkg" / "one.py").read_text() == "one\n"
    assert (home.tree / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (home.tree / "away").readlink() == Path("/etc/passwd")


def test_a_source_that_is_too_large_leaves_nothing(tmp_path, home):
    big = Home(tmp_path / "big")

    with pytest.raises(TooMuch):
        big.make(lambda tree: copy_tree(tmp_path / "source", tree, room=Room(files=2, bytes_=10_000)))

    assert sorted(one.name for one in tmp_path.iterdir()) == ["home", "source"]


def test_what_is_laid_changes_the_tree_and_no_snapshot(home):
    lay(home, {"pkg/one.py": Artifact(data=b"two\n", mode=0o600), "new/deep/file": Artifact(data=b"x"), "run.sh": None,
               "empty": Artifact(data=b"", mode=0o040755), "link": Artifact(data=b"pkg/one.py", mode=0o120777)})

    assert (home.tree / "pkg" / "one.py").read_text() == "two\n"
    assert (home.tree / "new" / "deep" / "file").read_text() == "x"
    assert not (home.tree / "run.sh").exists()
    assert (home.tree / "empty").is_dir()
    assert (home.tree / "link").readlink() == Path("pkg/one.py")
    assert (home.snapshot_of(BEGINNING) / "pkg" / "one.py").read_text() == "one\n"
    assert (home.snapshot_of(BEGINNING) / "run.sh").exists()


def test_a_link_in_the_way_is_replaced_and_never_followed(home, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    lay(home, {"door": Artifact(data=os.fsencode(outside), mode=0o120777)})

    lay(home, {"door/planted": Artifact(data=b"x")})

    assert (home.tree / "door").is_dir()
    assert not (home.tree / "door").is_symlink()
    assert list(outside.iterdir()) == []


def test_a_folder_gives_way_to_a_file_and_a_file_to_a_folder(home):
    lay(home, {"pkg": Artifact(data=b"file"), "run.sh/inner": Artifact(data=b"x")})

    assert (home.tree / "pkg").read_text() == "file"
    assert (home.tree / "run.sh" / "inner").read_text() == "x"


def test_a_tree_is_not_changed_under_a_running_program(home):
    with home.running() as tree:
        lay(home, {"pkg/one.py": Artifact(data=b"two\n")})
        assert (tree / "pkg" / "one.py").read_text() == "one\n"
        assert (home.tree / "pkg" / "one.py").read_text() == "two\n"

    lay(home, {"other": Artifact(data=b"x")})
    assert sorted(one.name for one in (home.path / "trees").iterdir()) == ["2", "2.lock"]


def test_a_snapshot_brings_the_files_back(home):
    home.snapshot("before")
    lay(home, {"pkg/one.py": Artifact(data=b"two\n"), "more": Artifact(data=b"x")})

    home.restore("before")

    assert (home.tree / "pkg" / "one.py").read_text() == "one\n"
    assert not (home.tree / "more").exists()
    with pytest.raises(UsageError, match="already"):
        home.snapshot("before")
    with pytest.raises(UsageError, match="none is named 'nothing'"):
        home.restore("nothing")
    with pytest.raises(UsageError, match="not a name"):
        home.snapshot("../../escape")


def test_the_difference_is_a_change_set(home):
    lay(home, {"pkg/one.py": Artifact(data=b"two\n"), "run.sh": None, "new": Artifact(data=b"n", mode=0o755),
               "node_modules/x/index.js": Artifact(data=b"x"), "__pycache__/a.pyc": Artifact(data=b"x")})

    found = difference(home.snapshot_of(BEGINNING), home.tree)

    assert [(one.relative_path, one.operation, one.data, one.mode) for one in found] == [
        ("new", "create", b"n", 0o755), ("pkg/one.py", "modify", b"two\n", None), ("run.sh", "delete", b"", None)]
    assert found.notes == ("node_modules: not told",)


def test_what_was_written_down_is_laid_after_a_crash_and_all_else_is_forgotten(home):
    whole, half = home.path / "incoming" / "whole", home.path / "incoming" / "half"
    whole.mkdir()
    half.mkdir()
    laying.stage(whole, {"pkg/one.py": Artifact(data=b"crashed\n")})
    laying.stage(half, {"lost": Artifact(data=b"x")})
    (half / "layer.json").unlink()

    home.snapshot("after")

    assert (home.tree / "pkg" / "one.py").read_text() == "crashed\n"
    assert not (home.tree / "lost").exists()
    assert list((home.path / "incoming").iterdir()) == []


def test_kill_9_at_any_moment_leaves_all_of_a_change_or_nothing(home):
    script = textwrap.dedent(f"""
        from pathlib import Path
        from windtunnel.core.result import Artifact
        from windtunnel.workspace.kept.home import Home
        home = Home(Path({str(home.path)!r}))
        for round in range(10_000):
            with home.receiving() as incoming:
                home.settle(incoming, {{f"many/{{n}}": Artifact(data=b"%d" % round) for n in range(30)}})
            print("x", flush=True)
    """)
    for delay in (0.0, 0.003, 0.011, 0.02):
        worker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        worker.stdout.readline()
        time.sleep(delay)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        worker.stdout.close()

        lay(home, {"after": Artifact(data=b"x")})

        assert len({(home.tree / "many" / str(n)).read_bytes() for n in range(30)}) == 1
        assert list((home.path / "incoming").iterdir()) == []
        assert not list(home.tree.rglob(".windtunnel-laying"))
