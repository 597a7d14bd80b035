import os
import random
import shutil
import subprocess

import pytest

from windtunnel.core.change import FileChange
from windtunnel.core.errors import UsageError
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.patch import read_patch, write_patch

LINES = [b"a", b"b", b"", b"x = 1", b"}", b"\tdeep", b"\xff\x00z", b"caf\xc3\xa9", b"r\r", b"-- ", b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@"]
NAMES = ["a.py", "dir/b c.txt", "dir/ü.py", 'q"t.md']


@pytest.fixture
def random_project(tmp_path, request):
    chance = random.Random(request.param)
    project = tmp_path / "project"
    for name in NAMES:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(content(chance))
        (project / name).chmod(chance.choice([0o644, 0o755]))
    return project, chance


def content(chance):
    end = chance.choice([b"\n", b"\n", b"\r\n"])
    text = b"".join(chance.choice(LINES) + end for _ in range(chance.choice([0, 1, 3, 20, 60])))
    return text if chance.random() < 0.7 else text.rstrip(b"\r\n")


def edited(text, chance):
    lines = text.split(b"\n")
    for _ in range(chance.randint(1, 5)):
        place = chance.randint(0, len(lines))
        lines[place : place + chance.randint(0, 2)] = [chance.choice(LINES) + b"%d" % place] * chance.randint(0, 2)
    return b"\n".join(lines)


def proposed(project, chance):
    for name in NAMES:
        act = chance.random()
        if act < 0.2:
            yield FileChange(name, "delete")
        elif act < 0.9:
            yield FileChange(name, "modify", edited((project / name).read_bytes(), chance), chance.choice([None, 0o644, 0o755]))
    yield FileChange("new/e", "create", content(chance), chance.choice([None, 0o755]))


def files(folder):
    plain = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o100) for path in plain}


def applied(project, changes):
    """The project as it should become, made the simple way."""
    told = files(project)
    for change in changes:
        path = change.relative_path
        told[path] = (change.data, told.get(path, (b"", 0))[1] if change.mode is None else change.mode & 0o100)
        if change.operation == "delete":
            del told[path]
    return told


def run(folder, *argv, data=b"", check=True):
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CEILING_DIRECTORIES": str(folder.parent),
           "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    return subprocess.run(argv, cwd=folder, input=data, capture_output=True, check=check, env=env, timeout=30)


@pytest.mark.parametrize("random_project", range(25), indirect=True)
def test_a_written_patch_reads_back_to_the_same_set(random_project):
    project, chance = random_project
    changes = check_changes(proposed(project, chance), project=project)

    back = read_patch(write_patch(changes, project=project), project=project)

    assert (back.digest(), back.notes) == (changes.digest(), ())


@pytest.mark.parametrize("random_project", range(100, 120), indirect=True)
def test_git_applies_a_written_patch_to_the_same_files(random_project):
    project, chance = random_project
    changes = check_changes(proposed(project, chance), project=project)
    expected, patch = applied(project, changes), write_patch(changes, project=project)

    run(project, "git", "apply", "--whitespace=nowarn", "-", data=patch)

    assert files(project) == expected


@pytest.mark.parametrize("options", [(), ("-M", "-C"), ("--no-prefix",), ("-U0",), ("-U1",), ("--src-prefix=i/", "--dst-prefix=w/")])
@pytest.mark.parametrize("random_project", range(200, 204), indirect=True)
def test_what_git_writes_is_read_as_git_means_it(random_project, options):
    project, chance = random_project
    after = project.parent / "after"
    run(project, "git", "init", "-q")
    run(project, "git", "add", "-A")
    run(project, "git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x")
    shutil.copytree(project, after)
    for change in check_changes(proposed(project, chance), project=project):
        path = after / change.relative_path
        path.parent.mkdir(exist_ok=True)
        path.unlink() if change.operation == "delete" else path.write_bytes(change.data)
    shutil.copy(project / "a.py", after / "moved.py")
    run(after, "git", "add", "-AN")
    patch = run(after, "git", "diff", "HEAD", "--text", *options).stdout

    assert applied(project, read_patch(patch, project=project)) == files(after)


@pytest.mark.parametrize("seed", range(40))
def test_a_moved_file_is_patched_as_by_the_patch_program_or_not_at_all(tmp_path, seed):
    chance = random.Random(seed)
    project = tmp_path / "project"
    project.mkdir()
    old = [b"line %d\n" % chance.randint(0, 30) for _ in range(60)]
    new = old.copy()
    new[chance.randint(5, 50)] = b"changed\n"
    (project / "f").write_bytes(b"".join(old))
    patch = write_patch(check_changes([FileChange("f", "modify", b"".join(new))], project=project), project=project)
    moved = [b"top\n"] * chance.randint(0, 4) + old
    moved[chance.randint(0, 59)] = b"other\n"
    (project / "f").write_bytes(b"".join(moved))
    try:
        ours = read_patch(patch, project=project).changes[0].data
    except UsageError:
        ours = None

    theirs = run(project, "patch", "-p1", "-s", "-f", "--no-backup-if-mismatch", data=patch, check=False)

    assert ours in (None, (project / "f").read_bytes())
    assert ours is not None or theirs.returncode != 0


def test_a_long_file_without_a_common_line_is_written_as_one_block(tmp_path):
    (tmp_path / "f").write_bytes(b"".join(b"a%d\n" % number for number in range(9000)))
    changes = check_changes([FileChange("f", "modify", b"".join(b"b%d\n" % number for number in range(9000)))], project=tmp_path)

    assert read_patch(write_patch(changes, project=tmp_path), project=tmp_path).digest() == changes.digest()
