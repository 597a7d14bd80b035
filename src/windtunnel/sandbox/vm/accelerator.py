"""How the guest's instructions are executed: by the processor where that really works, else by emulation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import WindtunnelError

EMULATION = "tcg"
_PROCESSOR, _DEVICE = Path("/proc/cpuinfo"), Path("/dev/kvm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """Which one, and why."""

    name: str
    """As QEMU calls it."""
    told: str
    """For the result: what executes the guest."""


def find_accelerator(
    trial: Callable[[], None], *, processor: Path = _PROCESSOR, device: Path = _DEVICE,
) -> Accelerator:
    """KVM only after a trial boot with it; the device alone proves nothing, because some hosts have one that hangs."""
    why = why_not(processor, device)
    if why is None:
        try:
            trial()
        except WindtunnelError as error:
            why = f"a trial of KVM failed: {str(error)[:120]}"
        else:
            return Accelerator(name="kvm", told="KVM")
    return Accelerator(name=EMULATION, told=f"emulation ({why})")


def why_not(processor: Path = _PROCESSOR, device: Path = _DEVICE) -> str | None:
    """What rules KVM out before it is tried; None when nothing does."""
    try:
        flags = processor.read_text()
    except OSError:
        flags = ""
    if not re.search(r"(?m)^flags\s*:.*\b(vmx|svm)\b", flags):
        return "the processor does not show vmx or svm"
    if not device.exists():
        return f"there is no {device}"
    return None if os.access(device, os.R_OK | os.W_OK) else f"{device} may not be opened by this user"
