"""Runs a prepared check as a plain process: a temporary folder stands for the sandbox's own, another for the project."""

from __future__ import annotations

import os
import subprocess
import sys

from windtunnel.checks.records import Records
from windtunnel.core.tool import OWN, Ask, Output
from windtunnel.core.trial import Check, Kind

KEY = "0123456789abcdef0123456789abcdef"


class Runner:
    """One project and one tool."""

    def __init__(self, folder, tool):
        self.project, self.own, self.tool = folder / "project", folder / "own", tool
        self.project.mkdir()
        self.own.mkdir()

    def write(self, **files):
        for name, text in files.items():
            self.put(name + ".py", text)
        return self

    def put(self, path, text):
        place = self.project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return self

    def output(self, *argv, env=None, python=sys.executable, **ask):
        """What came of it, the records taken out as the engine does."""
        check = self.check(argv)
        invocation = self.tool.prepare(check, Ask(key=KEY, **ask))
        for name, data in invocation.files.items():
            (self.own / name).write_bytes(data)
        words = [word.replace(OWN, str(self.own)) for word in invocation.argv]
        assert words[0] == "python"
        ended = subprocess.run(
            [python, *words[1:]], cwd=self.project, input=invocation.stdin, capture_output=True, timeout=60, check=False,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **invocation.env, **(env or {})})
        records = Records(KEY)
        shown = records.feed(ended.stdout) + records.finish()
        return Output(exit_code=ended.returncode, stdout=shown, stderr=ended.stderr, records=tuple(records.records),
                      forged=records.forged)

    def check(self, argv):
        return Check(kind=Kind.TEST, tool=self.tool.name, argv=argv or self.default)

    @property
    def default(self):
        return ("python", "-m", "unittest") if self.tool.name == "unittest" else ("pytest",)

    def read(self, *argv, **asked):
        return self.tool.read(self.output(*argv, **asked), self.check(argv))

    def statuses(self, *argv, **asked):
        return {test.id: str(test.status) for test in self.read(*argv, **asked).tests}


class Files:
    """A project that is only looked at."""

    def __init__(self, **files):
        self.files = {name.replace("__slash__", "/"): text for name, text in files.items()}

    @classmethod
    def of(cls, files):
        project = cls()
        project.files = files
        return project

    def read(self, path):
        text = self.files.get(path)
        return None if text is None else text.encode()

    def exists(self, path):
        return any(name == path or name.startswith(path + "/") for name in self.files)

    def glob(self, pattern):
        from fnmatch import fnmatch

        return sorted(name for name in self.files if fnmatch(name.rpartition("/")[2], pattern.removeprefix("**/")))

    def which(self, name):
        return None
