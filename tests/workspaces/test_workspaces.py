"""Kept workspaces in a real sandbox."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel import FileChange, NotFound, Tunnel, UsageError, WorkspaceLifecycleManager
from windtunnel.config import Settings
from windtunnel.core.limits import Limits


@pytest.fixture
def settings(tmp_path):
    return Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor="ann")


@pytest.fixture
def tunnel(settings):
    with Tunnel(settings) as made:
        yield made


@pytest.fixture
def project(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    (made / "value.py").write_text("VALUE = 1\n")
    (made / "test_value.py").write_text("from value import VALUE\n\ndef test_value():\n    assert VALUE == 2\n")
    return made


@pytest.fixture
def workspace(tunnel, project):
    return tunnel.workspaces.create(project, name="mine")


def test_a_command_changes_the_workspace_and_not_the_project(tunnel, workspace, project):
    result = tunnel.workspaces.execute("mine", "echo 'VALUE = 2' > value.py; mkdir out; ln -s /usr/bin/env out/env; pwd")

    assert (result.stdout, result.exit_code) == ("/workspace\n", 0)
    assert tunnel.workspaces.read("mine", "value.py") == b"VALUE = 2\n"
    assert Path(tunnel.workspaces.get("mine").path, "out/env").readlink() == Path("/usr/bin/env")
    assert (project / "value.py").read_text() == "VALUE = 1\n"
    assert b"-VALUE = 1\n+VALUE = 2\n" in tunnel.workspaces.diff("mine")


def test_a_failed_command_leaves_nothing_where_only_success_is_kept(tunnel, workspace):
    for keep, seen in (("success", b"VALUE = 1\n"), ("never", b"VALUE = 1\n"), ("always", b"x\n")):
        result = tunnel.workspaces.execute("mine", "echo x > value.py; exit 3", keep=keep)
        assert result.exit_code == 3
        assert tunnel.workspaces.read("mine", "value.py") == seen


def test_a_virtual_environment_made_in_it_is_used_by_the_next_command(tunnel, workspace):
    made = tunnel.workspaces.execute("mine", f"{sys.executable} -m venv --without-pip .venv", timeout=120)
    used = tunnel.workspaces.execute("mine", ".venv/bin/python -c 'import sys; print(sys.prefix)'")

    assert (made.exit_code, made.stderr) == (0, "")
    assert used.stdout == "/workspace/.venv\n"
    assert tunnel.workspaces.changes("mine").changes == ()


def test_a_command_is_held_by_walls_and_limits(tunnel, workspace, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("host")

    read = tunnel.workspaces.execute("mine", ["cat", str(secret)])
    slow = tunnel.workspaces.execute("mine", "sleep 30", timeout=0.5)
    out = tunnel.workspaces.execute(
        "mine", "head -c 50000000 /dev/zero > big", limits=Limits(disk_bytes=10_000_000, open_files=256))

    assert "No such file" in read.stderr
    assert read.exit_code == 1
    assert slow.timed_out
    assert not out.success


def test_two_commands_at_once_see_their_own_files_and_both_are_kept(tunnel, workspace):
    results = {}

    def run(name):
        results[name] = tunnel.workspaces.execute("mine", f"echo {name} > {name}; sleep 0.4; ls")

    threads = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    running = tunnel.workspaces.get("mine").running
    for thread in threads:
        thread.join()

    assert running == 2
    assert [results["one"].stdout.split(), results["two"].stdout.split()] == [
        ["one", "test_value.py", "value.py"], ["test_value.py", "two", "value.py"]]
    assert {one.path for one in tunnel.workspaces.files("mine")} == {"one", "two", "test_value.py", "value.py"}


def test_snapshot_restore_and_fork(tunnel, workspace):
    tunnel.workspaces.write("mine", "value.py", b"VALUE = 2\n")
    tunnel.workspaces.snapshot("mine", "fixed")
    other = tunnel.workspaces.fork("mine", "other")
    tunnel.workspaces.delete("mine", "value.py")

    tunnel.workspaces.write("other", "value.py", b"VALUE = 3\n")

    assert [one.path for one in tunnel.workspaces.files("mine")] == ["test_value.py"]
    tunnel.workspaces.restore("mine", "fixed")
    assert tunnel.workspaces.read("mine", "value.py") == b"VALUE = 2\n"
    assert tunnel.workspaces.read(other.id, "value.py") == b"VALUE = 3\n"
    assert [one.name for one in tunnel.workspaces.get("mine").snapshots] == ["beginning", "fixed"]


def test_promotion_writes_into_the_project_and_can_be_undone(tunnel, workspace, project):
    tunnel.workspaces.execute("mine", "echo 'VALUE = 2' > value.py; mkdir node_modules; echo x > node_modules/x")

    tunnel.workspaces.promote("mine")

    assert (project / "value.py").read_text() == "VALUE = 2\n"
    assert sorted(one.name for one in project.iterdir()) == ["test_value.py", "value.py"]
    tunnel.undo(project)
    assert (project / "value.py").read_text() == "VALUE = 1\n"


def test_a_change_that_was_tried_is_applied_to_the_workspace_and_taken_back(tunnel, workspace):
    tunnel.workspaces.execute("mine", "chmod 755 value.py")
    with tunnel.workspaces.held("mine") as tree:
        result = tunnel.try_change(tree, [FileChange("value.py", "modify", "VALUE = 2\n")])
        before = tunnel.workspaces.apply("mine", result.changes, seen=result.seen)

    assert result.success
    assert tunnel.workspaces.execute("mine", "cat value.py; test -x value.py && echo yes").stdout == "VALUE = 2\nyes\n"
    with pytest.raises(UsageError, match="changed since the trial"):
        tunnel.workspaces.apply("mine", result.changes, seen=result.seen)
    tunnel.workspaces.restore("mine", before.name)
    assert tunnel.workspaces.read("mine", "value.py") == b"VALUE = 1\n"


def test_a_project_that_changed_since_is_not_written_to(tunnel, workspace, project):
    tunnel.workspaces.write("mine", "value.py", b"VALUE = 2\n")
    (project / "value.py").write_text("VALUE = 7\n")

    with pytest.raises(UsageError, match="changed since"):
        tunnel.workspaces.promote("mine")

    assert (project / "value.py").read_text() == "VALUE = 7\n"


def test_other_verbs_take_a_workspace_for_a_project(tunnel, workspace):
    found = tunnel.diagnose(tunnel.workspaces.get("mine").path)

    assert found.problems[0].kind.value.startswith("assert")


@pytest.mark.parametrize("path", ["../escape", "/etc/passwd", "a/../../b", "", "a\0b", ".git/hooks/pre-commit"])
def test_paths_that_lead_elsewhere_are_refused(tunnel, workspace, path):
    for act in (lambda: tunnel.workspaces.read("mine", path), lambda: tunnel.workspaces.write("mine", path, b"x"),
                lambda: tunnel.workspaces.delete("mine", path)):
        with pytest.raises(UsageError):
            act()


def test_a_link_that_a_program_left_is_not_followed_by_us(tunnel, workspace, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("host")
    tunnel.workspaces.execute("mine", f"ln -s {secret} link; ln -s {tmp_path} folder")

    for path in ("link", "folder/secret"):
        with pytest.raises(UsageError):
            tunnel.workspaces.read("mine", path)
    with pytest.raises(UsageError):
        tunnel.workspaces.files("mine", "folder")
    assert tunnel.workspaces.changes("mine").changes == ()


def test_what_is_anothers_is_answered_like_what_is_not_there(tunnel, workspace, settings):
    with Tunnel(replace(settings, actor="bob")) as bobs:
        answers = []
        for name in (workspace.id, "0" * 16):
            for act in (bobs.workspaces.get, bobs.workspaces.destroy, bobs.workspaces.diff,
                        lambda one: bobs.workspaces.execute(one, "true"), lambda one: bobs.workspaces.read(one, "x")):
                with pytest.raises(NotFound) as refused:
                    act(name)
                answers.append(str(refused.value).replace(name, "NAME"))
        assert len(set(answers)) == 1
        assert bobs.workspaces.list() == ()
        assert bobs.workspaces.create(None, name="mine").owner == "bob"


def test_idle_and_old_ones_expire(tunnel, project, settings):
    idle = tunnel.workspaces.create(project, name="idle", idle_seconds=0.2)
    old = tunnel.workspaces.create(project, name="old", life_seconds=0.2)
    kept = tunnel.workspaces.create(project, name="kept")
    time.sleep(0.3)

    with pytest.raises(NotFound):
        tunnel.workspaces.execute(idle.id, "true")

    assert [one.id for one in tunnel.workspaces.list()] == [kept.id]
    assert sorted(one.name for one in (settings.state_dir / "workspaces").iterdir()) == [kept.id]
    assert old.id != kept.id


def test_a_git_repository_is_cloned_at_a_commit_without_its_hooks(tunnel, project):
    git = ["git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"], ["tag", "first"]):
        subprocess.run([*git, *words], check=True)
    (project / "value.py").write_text("VALUE = 5\n")
    subprocess.run([*git, "commit", "-qam", "two"], check=True)

    first = tunnel.workspaces.create(f"file://{project}", commit="first", name="first")
    newest = tunnel.workspaces.create(f"file://{project}", name="newest")

    assert tunnel.workspaces.read("first", "value.py") == b"VALUE = 1\n"
    assert tunnel.workspaces.read("newest", "value.py") == b"VALUE = 5\n"
    assert (len(first.commit), first.origin, newest.commit != first.commit) == (40, "git", True)
    assert not Path(first.path, ".git/hooks").exists()
    for address in ("ext::sh -c touch% /tmp/escaped", "file:///", "https://", "--upload-pack=touch /tmp/escaped"):
        with pytest.raises(UsageError):
            tunnel.workspaces.create(address)
    with pytest.raises(UsageError, match="could not fetch"):
        tunnel.workspaces.create(f"file://{project}", commit="nowhere")


def test_kill_9_of_a_command_leaves_the_workspace_as_it_was(settings, tunnel, workspace):
    script = textwrap.dedent(f"""
        from pathlib import Path
        from windtunnel import Tunnel
        from windtunnel.config import Settings
        settings = Settings(state_dir=Path({str(settings.state_dir)!r}), cache_dir=Path({str(settings.cache_dir)!r}),
                            pool_size=0, actor="ann")
        with Tunnel(settings) as tunnel:
            tunnel.workspaces.execute("mine", "echo half > value.py; echo ready; sleep 60",
                                      on_output=lambda stream, data: print(data.decode(), flush=True))
    """)
    worker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert worker.stdout.readline() == b"ready\n"
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()

    assert tunnel.workspaces.execute("mine", "cat value.py").stdout == "VALUE = 1\n"
    assert list((settings.state_dir / "workspaces" / workspace.id / "incoming").iterdir()) == []
    assert tunnel.workspaces.get("mine").running == 0


def test_everything_is_written_down(tunnel, workspace):
    tunnel.workspaces.execute("mine", "true")
    tunnel.workspaces.write("mine", "x", b"secret content")
    tunnel.workspaces.destroy("mine")

    tunnel.audit.settle()
    records = [tunnel.audit.get(seq) for seq in range(tunnel.audit.size)]
    assert [record.entry.kind for record in records] == [
        "workspace create", "execute command", "workspace write", "workspace destroy"]
    assert "secret content" not in str(records)


def test_the_described_door(tmp_path, settings, project):
    with WorkspaceLifecycleManager(tunnel=Tunnel(settings)) as manager:
        session = manager.create_workspace(source_path=str(project), session_id="python-analysis")
        assert [one.session_id for one in manager.get_active_workspaces()] == ["python-analysis"]
        manager.snapshot_workspace("python-analysis", "one")
        manager.restore_workspace("python-analysis", "one")
        manager.destroy_workspace(session.session_id)
        assert manager.get_active_workspaces() == ()
    assert (project / "value.py").read_text() == "VALUE = 1\n"


def test_the_command_line(project, cli):
    def told(*words, stdin=""):
        done = cli("workspaces", *words, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "none" in told()
    assert told("create", str(project), "--name", "mine").startswith("mine: 2 files of ")
    assert told("exec", "mine", "--", "sh", "-c", "echo 'VALUE = 2' > value.py; echo done") == "done\n"
    assert cli("workspaces", "exec", "mine", "exit 7").returncode == 7
    told("write", "mine", "sub/new.txt", stdin="hello")
    assert told("read", "mine", "sub/new.txt") == "hello"
    assert told("files", "mine") == "sub/\ntest_value.py\nvalue.py\n"
    assert "+VALUE = 2" in told("diff", "mine")
    told("snapshot", "mine", "one")
    told("fork", "mine", "other")
    told("delete", "other", "sub")
    told("restore", "mine", "beginning")
    assert told("diff", "mine") == ""
    assert "mine" in told("list")
    assert '"name": "other"' in told("--json")
    told("promote", "other")
    assert (project / "value.py").read_text() == "VALUE = 2\n"
    told("destroy", "mine")
    refused = cli("workspaces", "read", "mine", "value.py")
    assert (refused.returncode, "none is named 'mine'" in refused.stderr) == (2, True)
