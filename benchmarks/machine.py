"""What it was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from windtunnel import __version__


def describe() -> dict[str, str]:
    """Facts that change the numbers; the load is that of the minute before."""
    return {
        "cores": str(os.cpu_count()), "processor": _field("/proc/cpuinfo", "model name"),
        "memory": f"{int(_field('/proc/meminfo', 'MemTotal').split()[0] or 0) * 1024 / 1e9:.0f} GB",
        "kernel": platform.release(), "python": platform.python_version(), "windtunnel": __version__,
        "user": "root" if os.geteuid() == 0 else "not root", "load before": f"{os.getloadavg()[0]:.2f}",
    }


def _field(path: str, name: str) -> str:
    lines = Path(path).read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "0")
