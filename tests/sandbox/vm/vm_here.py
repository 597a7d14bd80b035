"""Whether a machine can be started here, where its parts are kept, and how patient tests are with it."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.limits import Limits
from windtunnel.sandbox.vm.firmware import firmware_file

CACHE = Path(__file__).parents[3] / ".tools/vm-level"
PATIENT = Limits(wall_seconds=90.0)
"""Emulation is slow, and the machine may be busy; no test but one is about this limit."""


def missing() -> str | None:
    """Why no machine can be started here, or None."""
    if platform.machine() != "x86_64":
        return f"the vm level is for x86_64; this machine is {platform.machine()}"
    if shutil.which("qemu-system-x86_64") is None:
        return "there is no qemu-system-x86_64 here (apt-get install qemu-system-x86)"
    return None


def missing_uefi() -> str | None:
    """Why no disk can be started by UEFI here, or None."""
    try:
        firmware_file("uefi")
    except IsolationUnavailable as error:
        return str(error)
    return None
