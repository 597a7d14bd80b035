"""The one place where these tests run programs: bare, with the sandbox's places moved to a folder of the test's own."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

import pytest

from windtunnel.languages import LanguageTable


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    exit_code: int
    stdout: str
    stderr: str


class Bench:
    """Builds and runs programs below one folder."""

    def __init__(self, folder):
        self.sandbox, self.tmp = folder / "sandbox", folder / "tmp"
        (self.tmp / "build").mkdir(parents=True)
        self.sandbox.mkdir()

    def run(self, language, toolchain, *, code, stdin=""):
        (self.sandbox / language.source).write_text(code)
        if toolchain.build:
            built = self._start(language, toolchain.build, toolchain, build=self.tmp / "build")
            if built.exit_code:
                return built
            shutil.copytree(self.tmp / "build", self.sandbox / "build")
        return self._start(language, toolchain.run, toolchain, build=self.sandbox / "build", stdin=stdin)

    def _start(self, language, command, toolchain, *, build, stdin=""):
        source = str(self.sandbox / language.source)
        argv = [word.replace("{source}", source).replace("{build}", str(build)) for word in command]
        own = {name: value.replace("/tmp/", f"{self.tmp}/") for name, value in toolchain.env.items()}
        common = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.tmp), "TMPDIR": str(self.tmp), "LANG": "C.UTF-8"}
        done = subprocess.run(
            argv, input=stdin, env=common | own, cwd=self.tmp, capture_output=True, text=True, timeout=120, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="session")
def table():
    return LanguageTable()


@pytest.fixture
def tools(tmp_path):
    """Makes a folder of small programs, and a finder that knows only them."""

    def make(**programs):
        folder = tmp_path / "tools" / "bin"
        folder.mkdir(parents=True)
        for name, text in programs.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        return lambda name: str(folder / name) if name in programs else None

    return make
