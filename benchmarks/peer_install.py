"""Getting peers for a measurement: system packages stay, Python packages go into an environment that is thrown away."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.timing import NotRun

PYTHON_PACKAGES = ("sandlock==0.9.0", "llm-sandbox==0.3.46")
SYSTEM_PACKAGES = ("docker.io", "podman", "runc", "runsc")
ABSENT = "not installed (--install-peers gets it)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Where the peers are."""

    python: str | None = None
    """The interpreter of the environment with the Python packages, when one was made."""
    said: str = ""
    """What went wrong while installing, for the rows of those that are missing."""

    def python_with(self, package: str) -> str:
        """An interpreter that can import the package."""
        if self.python is not None:
            return self.python
        if importlib.util.find_spec(package) is not None:
            return sys.executable
        raise NotRun(self.said or ABSENT)

    def tool(self, *names: str) -> str:
        """The first of these, all of which must be there."""
        found = [shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") for name in names]
        if found[0] is None or None in found:
            raise NotRun(self.said or ABSENT)
        return found[0]


def install(ground: Ground) -> Installed:
    """Nothing unless asked to; a failure is remembered, not raised."""
    if not ground.install_peers:
        return Installed()
    said = []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        said.append(_run(["apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends",
                          *SYSTEM_PACKAGES]))
    folder = ground.folder / "peers"
    python = str(folder / "bin" / "python")
    failure = (_run([sys.executable, "-m", "venv", str(folder)])
               or _run([python, "-m", "pip", "install", "--quiet", *PYTHON_PACKAGES]))
    return Installed(python=None if failure else python, said=" ".join(filter(None, [*said, failure])))


def _run(argv: Sequence[str]) -> str:
    """Empty when it went well, else what it said last; the runlevel keeps packages from starting their daemons."""
    environment = {**os.environ, "RUNLEVEL": "1", "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=900, check=False)
    last = (done.stderr.strip().splitlines() or ["no word"])[-1]
    return f"not installed: {Path(argv[0]).name}: {last[:120]}" if done.returncode else ""
