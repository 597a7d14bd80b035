"""Small projects, changes of them, and a real sandbox that numbers its runs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

from windtunnel.core.change import FileChange
from windtunnel.engine.trial import Trial, try_change

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""What is installed beside Windtunnel has nothing to do with these projects, and takes time to load."""
ONE_RUNNER = {"test": "pytest", "build": "", "lint": "", "env": QUICK}
CALC = "def add(a, b):\n    return a + b\n"
OTHER = "def add(a, b):\n    return b + a\n"
WRONG = "def add(a, b):\n    return a - b\n"
TESTS = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n\n\ndef test_zero():\n    assert calc.add(0, 0) == 0\n"
SHOP = {"calc.py": CALC, "test_calc.py": TESTS}
BROKEN_SHOP = {"calc.py": WRONG, "test_calc.py": TESTS}


def write(folder, files):
    """The files in a folder of their own."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def modify(path, content):
    return FileChange(path, "modify", content)


def create(path, content):
    return FileChange(path, "create", content)


def delete(path):
    return FileChange(path, "delete")


def state(folder):
    """Everything that can be seen of a folder: names, modes, times, contents, targets of links."""
    told = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        told[str(path.relative_to(folder))] = (info.st_mode, info.st_uid, info.st_mtime_ns, info.st_ctime_ns, content)
    return told


class Numbered:
    """The sandbox it is given; each run knows its number as ``RUN``, and every job is kept."""

    def __init__(self, sandbox):
        self.sandbox, self.level, self.jobs = sandbox, sandbox.level, []

    def run(self, job):
        self.jobs.append(job)
        numbered = {**job.command.env, "RUN": str(len(self.jobs))}
        return self.sandbox.run(replace(job, command=replace(job.command, env=numbered)))

    def close(self):
        pass


def numbered_rig(tunnel, **fields):
    """A rig without a kept baseline whose runs are numbered; one job at a time, so that the numbers mean something."""
    return replace(tunnel.rig, sandbox=Numbered(tunnel.rig.sandbox), builds=None, **fields)


def try_numbered(tunnel, project, changes, **options):
    rig = numbered_rig(tunnel)
    return try_change(rig, Trial(project=project, changes=changes, **{**ONE_RUNNER, "jobs": 1, **options})), rig.sandbox.jobs


def applied(folder, project, changes):
    """A copy of the project with the change in it, as somebody without Windtunnel would have it."""
    copy = write(folder, {str(path.relative_to(project)): path.read_bytes() for path in project.rglob("*") if path.is_file()})
    for change in changes:
        path = copy / change.relative_path
        if change.operation == "delete":
            path.unlink()
        else:
            write(copy, {change.relative_path: change.data})
    return copy


def naive(folder, *arguments, **options):
    """The plain runner in a plain process."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments], cwd=folder, capture_output=True, text=True,
        check=False, timeout=60, env={"PATH": os.environ["PATH"], **QUICK, **options.pop("env", {})}, **options)
