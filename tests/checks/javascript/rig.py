"""Runs a JavaScript tool as an invocation says, as a plain process: folders of the test stand for those inside."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from windtunnel.checks.records import Records
from windtunnel.core.tool import OWN, PLACE, REPORT, Ask, Output
from windtunnel.core.trial import Check

KEY = "4f1c" * 16
MANIFEST = Path(__file__).with_name("package.json")


def installed():
    """A folder with the pinned tools, made once for this machine and user; skips where npm cannot make it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    mark = hashlib.sha256(MANIFEST.read_bytes()).hexdigest()[:16]
    place = Path(tempfile.gettempdir()) / f"windtunnel-node-{os.getuid()}-{mark}"
    with Path(f"{place}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _install(place)
    return place / "node_modules"


def _install(place):
    with tempfile.TemporaryDirectory(prefix="windtunnel-node-") as folder:
        shutil.copy(MANIFEST, folder)
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=150)
        except subprocess.TimeoutExpired:
            pytest.skip("npm did not install the tools in time")
        if done.returncode != 0:
            pytest.skip(f"npm could not install the tools: {done.stderr.strip()[-300:]}")
        Path(folder).rename(place)
        Path(folder).mkdir()


class Rig:
    """One project in a folder of its own, with the tools beside it."""

    def __init__(self, folder, packages):
        self.root = folder / "workspace"
        self.own = folder / "sandbox"
        self.report = folder / "report"
        self.packages = packages
        self.root.mkdir()
        (self.root / "node_modules").symlink_to(packages)
        self.invocation = None
        self.output = None

    def write(self, **files):
        """Files by name, where two underscores stand for a slash and the last one for a dot."""
        for name, text in files.items():
            self.put(name.replace("__", "/")[::-1].replace("_", ".", 1)[::-1], text)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, tool, *argv, **asked):
        """The reading of one run."""
        check = Check(kind=tool.kind, tool=tool.name, argv=argv)
        self.invocation = tool.prepare(check, Ask(key=KEY, **asked))
        self.report.mkdir(exist_ok=True)
        for name, data in self.invocation.files.items():
            path = self.own / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.output = self._output()
        return tool.read(self.output, check)

    def _output(self):
        outside = {OWN: str(self.own), REPORT: str(self.report)}

        def placed(word):
            for inside, folder in outside.items():
                word = word.replace(inside, folder)
            return word

        path = f"{self.packages}/.bin:{os.environ['PATH']}"
        env = {"PATH": path, "HOME": str(self.root.parent), **self.invocation.env}
        done = subprocess.run(
            [placed(word) for word in self.invocation.argv], cwd=self.root, input=self.invocation.stdin,
            env={name: placed(value) for name, value in env.items()}, capture_output=True, check=False, timeout=60)
        records = Records(KEY)
        shown = records.feed(done.stdout) + records.finish()
        files = {item.name: item.read_bytes() for item in self.report.iterdir()}
        inside = {name: data.replace(str(self.root).encode(), PLACE.encode()) for name, data in files.items()}
        return Output(
            exit_code=done.returncode, stdout=shown, stderr=done.stderr, files=inside,
            records=tuple(records.records), forged=records.forged)


def shown(reading):
    """Tests by id with their status."""
    return {test.id: test.status.value for test in reading.tests}
