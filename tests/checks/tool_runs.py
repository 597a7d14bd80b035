"""A project made of a few files, and a tool run on it as it would be inside a sandbox."""

from __future__ import annotations

import fnmatch
import os
import subprocess

from windtunnel.core.tool import OWN, PLACE, REPORT, Ask, Output
from windtunnel.core.trial import Check


class Files:
    """A project in memory."""

    def __init__(self, programs=(), **files):
        self.files = files
        self.programs = programs

    def read(self, path):
        content = self.files.get(path)
        return None if content is None else content.encode()

    def exists(self, path):
        return any(file == path or file.startswith(f"{path}/") for file in self.files)

    def glob(self, pattern):
        tail = pattern.removeprefix("**/")
        return sorted(file for file in self.files if fnmatch.fnmatch(file.rpartition("/")[2], tail))

    def which(self, name):
        return f"/usr/bin/{name}" if name in self.programs else None


def written(folder, files):
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    return folder


def check_of(tool, *argv):
    return Check(kind=tool.kind, tool=tool.name, argv=argv)


def run(tool, check, *, project, scratch, ask=None, env=None):
    """What came of one run, with the paths that a sandbox would show."""
    report, own = scratch / "report", scratch / "own"
    report.mkdir(parents=True, exist_ok=True)
    ready = tool.prepare(check, ask or Ask())
    written(own, {path: content.decode().replace(REPORT, str(report)) for path, content in ready.files.items()})
    argv = [word.replace(REPORT, str(report)).replace(f"{OWN}/", f"{own}/") for word in ready.argv]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
    done = subprocess.run(
        argv, cwd=project, env={**kept, "TMPDIR": str(scratch), **ready.env, **(env or {})}, capture_output=True,
        check=False, timeout=100, stdin=subprocess.DEVNULL)
    files = {str(file.relative_to(report)): file.read_bytes() for file in report.rglob("*") if file.is_file()}
    return Output(
        exit_code=done.returncode, stdout=done.stdout.replace(str(project).encode(), PLACE.encode()),
        stderr=done.stderr.replace(str(project).encode(), PLACE.encode()), files=files)


def read_run(tool, *argv, project, scratch, ask=None, env=None):
    check = check_of(tool, *argv)
    return tool.read(run(tool, check, project=project, scratch=scratch, ask=ask, env=env), check)


def statuses(reading):
    return {test.id: str(test.status) for test in reading.tests}


HOSTILE = (
    b"", b"\x00" * 100, b"\xff\xfe\xfd", b"{" * 200_000, b"[" * 200_000, b'{"a":' * 20_000, b"\n" * 10_000,
    b'{"Action":"pass","Package":7,"Test":[]}\n{"Action":{},"Package":"p","Test":"T","Elapsed":"x"}\n',
    b'{"Action":"run","Package":"p","Test":"T"}\n{"Action":"pass","Package":"p","Test":"T","Elapsed":1e999}\n',
    b'{"reason":"compiler-message","message":[]}\n{"reason":"compiler-artifact","target":3,"executable":9}\n',
    b'{"reason":"compiler-message","message":{"level":"error","spans":[7,{"is_primary":true,"line_start":-1}]}}\n',
    b"running 99999999999999999999 tests\ntest  ... ok\n     Running x (y)\n   Doc-tests z\ntest result: ok. \n",
    b"a.java:99999999999999: error: x\na.java:1: error:\n[ERROR] /x.java:[1,2] y\n[ERROR] Tests run: x\n",
    b'{"p":{"a":[1,{"posn":3}],"b":7},"q":[]}\n', b"<testsuite><testcase/></testsuite>",
)  # fmt: skip
"""Output that no tool should stumble over."""
