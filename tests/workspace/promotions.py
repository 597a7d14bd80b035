"""A small project with every kind of change to it, and a way to die in the middle."""

from __future__ import annotations

import hashlib
import os
import signal
import stat

from windtunnel.core.change import FileChange
from windtunnel.workspace.changes import check_changes

CALLS = ("open", "mkdir", "rename", "replace", "unlink", "rmdir", "fsync", "fchmod", "fchown", "close")


class Promotion:
    """A project, changes to it, and where the journal lies."""

    def __init__(self, project, folder):
        self.project, self.folder = project, folder
        (project / "sub").mkdir(parents=True)
        (project / "changed.py").write_bytes(b"old\n")
        (project / "gone.py").write_bytes(b"gone\r\n\xff")
        (project / "sub" / "run.sh").write_bytes(b"exit\n")
        (project / "untouched").write_bytes(b"untouched")
        for name, mode in {"changed.py": 0o640, "gone.py": 0o600, "sub/run.sh": 0o644, "untouched": 0o644}.items():
            (project / name).chmod(mode)
        self.changes = check_changes([
            FileChange("changed.py", "modify", "new\n"), FileChange("gone.py", "delete"),
            FileChange("made/deep/new.py", "create", "made\n", 0o755),
            FileChange("sub/run.sh", "modify", "exit\n", 0o755)], project=project)
        self.old = snapshot(project)
        self.new = self.old - {
            ("changed.py", 0o640, b"old\n"), ("gone.py", 0o600, b"gone\r\n\xff"), ("sub/run.sh", 0o644, b"exit\n")} | {
            ("changed.py", 0o640, b"new\n"), ("made", 0o755, None), ("made/deep", 0o755, None),
            ("made/deep/new.py", 0o755, b"made\n"), ("sub/run.sh", 0o755, b"exit\n")}

    @property
    def seen(self):
        return {path: hash_of(self.project / path) for path in self.changes.paths}

    def now(self):
        return snapshot(self.project)

    def left(self):
        """What the journal holds besides its lock."""
        return sorted(path.name for path in self.folder.iterdir() if path.name != "lock") if self.folder.exists() else []


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def snapshot(project):
    return {(str(path.relative_to(project)), stat.S_IMODE(path.lstat().st_mode), path.read_bytes() if path.is_file() else None)
            for path in project.rglob("*")}


def killed_before_call(number, act):
    """Do the act in a process of its own that is killed before so many system calls; whether it was."""
    child = os.fork()
    if child == 0:
        try:
            _arm(number)
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _arm(number):
    left = [number]

    def counted(call):
        def counting(*arguments, **named):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*arguments, **named)
        return counting

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
