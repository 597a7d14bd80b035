import json
import os
import shutil
import stat
import subprocess
import time

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.workspace import tree as module
from windtunnel.workspace.tree import Tree

as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
LONG_AGO = 1_500_000_000


@pytest.fixture
def project(tmp_path):
    place = tmp_path / "project"
    (place / "src").mkdir(parents=True)
    (place / "src" / "a.py").write_text("a = 1\n")
    (place / "b.txt").write_text("b\n")
    (place / "empty").mkdir()
    (place / "link").symlink_to("b.txt")
    return place


@pytest.fixture(params=[False, True], ids=["without index", "with index"])
def tree(request, project, tmp_path):
    return Tree(project, tmp_path / "state" / "index" if request.param else None)


@pytest.fixture
def hashed(monkeypatch):
    """The names of the files that were read."""
    names, real = [], module._hash
    monkeypatch.setattr(module, "_hash", lambda name, folder: names.append(name) or real(name, folder))
    return names


def settle():
    """Wait until what was written can be told by its times from what is written next."""
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        os.sched_yield()


def rewrite(path, text):
    path.write_text(text)


CHANGES = {
    "content": lambda place: rewrite(place / "b.txt", "c\n"),
    "content of equal size and restored time": lambda place: (rewrite(place / "b.txt", "c\n"), os.utime(place / "b.txt", (1, 1))),
    "mode": lambda place: (place / "b.txt").chmod(0o755),
    "new file": lambda place: rewrite(place / "new", ""),
    "new folder": lambda place: (place / "newly").mkdir(),
    "deleted file": lambda place: (place / "b.txt").unlink(),
    "deleted folder": lambda place: (place / "empty").rmdir(),
    "renamed file": lambda place: (place / "b.txt").rename(place / "c.txt"),
    "moved file": lambda place: (place / "b.txt").rename(place / "src" / "b.txt"),
    "link target": lambda place: ((place / "link").unlink(), (place / "link").symlink_to("src")),
    "link became file": lambda place: ((place / "link").unlink(), rewrite(place / "link", "b\n")),
    "pipe": lambda place: os.mkfifo(place / "pipe"),
    "hidden file": lambda place: rewrite(place / ".env", "x"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_that_counts_changes_the_digest(tree, project, change):
    before = tree.digest()

    change(project)

    assert tree.digest() != before


@pytest.mark.parametrize("cache", [
    "__pycache__/a.pyc", "src/__pycache__/a.pyc", ".pytest_cache/v/x", ".mypy_cache/x", ".ruff_cache/x", ".coverage",
    "node_modules/.cache/x"])
def test_caches_do_not_count(tree, project, cache):
    (project / "node_modules").mkdir()
    before = tree.digest()

    (project / cache).parent.mkdir(parents=True, exist_ok=True)
    (project / cache).write_text("x")

    assert tree.digest() == before


def test_the_files_that_counted_are_told_with_their_hashes_and_sizes(tree, project):
    (project / "node_modules").mkdir()
    (project / "node_modules/x.js").write_text("x")
    for _ in range(2):
        tree.digest()

        assert sorted((path, size, known == tree.hash_of(path)) for path, known, size in tree.files) == [
            ("b.txt", 2, True), ("src/a.py", 6, True)]


def test_a_folder_with_a_cache_tag_does_not_count(tree, project):
    (project / "target").mkdir()
    (project / "target" / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# x\n")
    before = tree.digest()

    (project / "target" / "debug.o").write_text("x")

    assert tree.digest() == before


def test_a_cache_tag_without_its_signature_is_a_file_like_others(tree, project):
    (project / "src" / "CACHEDIR.TAG").write_text("hide me\n")
    before = tree.digest()

    (project / "src" / "a.py").write_text("a = 2\n")

    assert tree.digest() != before


@pytest.mark.parametrize("inside", [".venv/lib/x.py", "node_modules/left-pad/index.js"])
def test_environments_count_by_size_and_time_and_are_not_read(tree, project, hashed, inside):
    (project / inside).parent.mkdir(parents=True)
    (project / ".venv").mkdir(exist_ok=True)
    (project / ".venv" / "pyvenv.cfg").write_text("home = /usr\n")
    (project / ".venv" / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (project / inside).write_text("one")
    os.utime(project / inside, (LONG_AGO, LONG_AGO))
    before = tree.digest()
    os.utime(project / inside, (LONG_AGO + 1, LONG_AGO))
    same = tree.digest()
    os.utime(project / inside, (LONG_AGO, LONG_AGO + 1))

    assert (same == before, tree.digest() == before) == (True, False)
    assert set(hashed) == {"a.py", "b.txt"}


def git(project, *words):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    env = {"PATH": os.environ["PATH"], "HOME": str(project.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    return subprocess.run(("git", *who, *words), cwd=project, check=True, capture_output=True, env=env, timeout=30)


def test_git_counts_by_the_commit_of_its_head(tree, project):
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    one = tree.digest()
    git(project, "pack-refs", "--all")
    git(project, "status")
    git(project, "gc", "-q")
    packed = tree.digest()
    git(project, "commit", "-qm", "two", "--allow-empty")

    assert (packed == one, tree.digest() == one) == (True, False)


def test_the_second_call_reads_no_file(project, tmp_path, hashed):
    settle()
    first = Tree(project, tmp_path / "index").digest()
    read = sorted(hashed)
    hashed.clear()

    assert (Tree(project, tmp_path / "index").digest(), read, hashed) == (first, ["a.py", "b.txt"], [])


def test_only_the_changed_file_is_read_again(project, tmp_path, hashed):
    settle()
    Tree(project, tmp_path / "index").digest()
    hashed.clear()
    (project / "b.txt").write_text("changed\n")

    Tree(project, tmp_path / "index").digest()

    assert hashed == ["b.txt"]


def test_a_file_that_had_just_changed_when_it_was_hashed_is_read_again(project, tmp_path, hashed):
    settle()
    (project / "b.txt").write_text("x\n")
    Tree(project, tmp_path / "index").digest()
    hashed.clear()

    Tree(project, tmp_path / "index").digest()

    assert hashed == ["b.txt"]


def test_without_that_rule_a_change_within_one_tick_goes_unnoticed(project, tmp_path, monkeypatch):
    before = Tree(project, tmp_path / "index").digest()
    told = json.loads((tmp_path / "index").read_bytes())
    (project / "b.txt").write_text("c\n")
    found = (project / "b.txt").stat()
    told["folders"][""]["b.txt"][1:] = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode]
    (tmp_path / "index").write_text(json.dumps(told))
    with_rule = Tree(project, tmp_path / "index").digest()
    (tmp_path / "index").write_text(json.dumps(told))
    monkeypatch.setattr(module.StatIndex, "is_racy", lambda index, changed: False)

    assert (with_rule == before, Tree(project, tmp_path / "index").digest() == before) == (False, True)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"version": 1}', b'{"version": 1, "project": 1, "stamp": "x"}'])
def test_a_damaged_index_is_as_good_as_none(project, tmp_path, content):
    expected = Tree(project).digest()
    (tmp_path / "index").write_bytes(content)

    assert Tree(project, tmp_path / "index").digest() == expected


def test_rows_of_a_damaged_index_are_not_believed(project, tmp_path):
    expected = Tree(project, tmp_path / "index").digest()
    told = json.loads((tmp_path / "index").read_bytes())
    told["folders"] = {"": {"b.txt": 7}, "src": []}
    (tmp_path / "index").write_text(json.dumps(told))

    assert Tree(project, tmp_path / "index").digest() == expected


def test_an_index_of_another_project_is_not_believed(project, tmp_path):
    settle()
    Tree(project, tmp_path / "index").digest()
    other = tmp_path / "other"
    shutil.copytree(project, other, symlinks=True)
    (other / "b.txt").write_text("c\n")

    assert Tree(other, tmp_path / "index").digest() == Tree(other).digest()


def test_an_index_that_cannot_be_kept_is_noted(project, tmp_path):
    (tmp_path / "file").write_text("")
    tree = Tree(project, tmp_path / "file" / "index")

    assert tree.digest() == Tree(project).digest()
    assert ["the index was not kept" in note for note in tree.notes] == [True]


def test_the_index_is_private_and_leaves_nothing_beside_it(project, tmp_path):
    Tree(project, tmp_path / "state" / "index").digest()

    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert found == {"index": 0o600}


def test_a_copy_has_the_same_digest_wherever_it_lies(project, tmp_path):
    shutil.copytree(project, tmp_path / "copy", symlinks=True)

    assert Tree(tmp_path / "copy").digest() == Tree(project).digest()


def test_a_link_out_of_the_project_is_not_followed(tree, project, tmp_path):
    (tmp_path / "outside").mkdir()
    (project / "out").symlink_to(tmp_path / "outside")
    before = tree.digest()

    (tmp_path / "outside" / "x").write_text("x")

    assert tree.digest() == before


def test_names_that_are_not_text_count(tree, project):
    before = tree.digest()
    (project / os.fsdecode(b"\xff\n")).write_bytes(b"x")

    one = tree.digest()

    assert (one != before, tree.digest() == one) == (True, True)


@as_user
def test_an_unreadable_file_counts_by_its_times_and_is_noted(tree, project):
    (project / "b.txt").chmod(0)

    assert tree.digest() == tree.digest()
    assert tree.notes == ("b.txt: not read, counted by size and times: Permission denied",)


def test_the_project_is_not_touched(tree, project):
    before = [(path, path.lstat().st_mtime_ns, path.lstat().st_atime_ns) for path in sorted(project.rglob("*")) if path.is_dir()]

    tree.digest()

    assert before == [(path, path.lstat().st_mtime_ns, path.lstat().st_atime_ns) for path in sorted(project.rglob("*")) if path.is_dir()]


@pytest.mark.parametrize(("path", "sha"), [
    ("b.txt", "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f"),
    ("missing", None), ("missing/x", None), ("src", None), ("link", None), ("../project/b.txt", None), ("b.txt/x", None)])
def test_the_hash_of_a_file_is_that_of_its_content(tree, path, sha):
    assert tree.hash_of(path) == sha


def test_a_project_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError) as refused:
        Tree(tmp_path / "missing").digest()

    assert refused.value.field == "project"


def test_a_file_of_holes_is_hashed_by_what_is_in_it(tmp_path):
    def written(at, data):
        with (tmp_path / "disk").open("wb") as file:
            file.truncate(1 << 40)
            file.seek(at)
            file.write(data)
        return Tree(tmp_path).digest()

    same = written(1 << 33, b"one")

    assert written(1 << 33, b"one") == same
    assert written(1 << 33, b"two") != same
    assert written(1 << 34, b"one") != same
