"""What this host has of the vm level, found by looking: nothing is downloaded, written or started."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.vm.accelerator import why_not
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.confine import find_bubblewrap, find_program
from windtunnel.sandbox.vm.kernel import INSTALL, known_kernel
from windtunnel.sandbox.vm.snapshot import program_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One part of the level."""

    name: str
    ready: bool
    found: str
    remedy: str = ""
    """The command that makes it ready; empty where it is."""


def probe(cache_dir: Path) -> list[Probe]:
    """QEMU, a kernel for the guest, and what executes it; emulation is ready too, only slow."""
    return [_program(), _kernel(Cache(cache_dir)), _accelerator()]


def _program() -> Probe:
    try:
        program = find_program()
        find_bubblewrap()
    except IsolationUnavailable as failure:
        said, _, command = str(failure).partition(": ")
        return Probe(name="machine", ready=False, found=said, remedy=command or said)
    return Probe(name="machine", ready=True, found=f"{program}, {program_version(program)}")


def _kernel(cache: Cache) -> Probe:
    kernel = known_kernel(cache)
    if kernel is not None:
        return Probe(name="guest kernel", ready=True, found=f"{kernel.release} at {kernel.image}")
    if shutil.which("apt-get") and shutil.which("dpkg-deb"):
        return Probe(name="guest kernel", ready=True, found="none yet; the first run downloads one with apt-get")
    return Probe(name="guest kernel", ready=False, found="none in /boot, and no apt-get to bring one", remedy=INSTALL)


def _accelerator() -> Probe:
    why = why_not()
    if why is None:
        return Probe(name="acceleration", ready=True, found="KVM, if its trial boot succeeds")
    remedy = f"usermod -aG kvm {os.environ.get('USER', 'USER')}" if "may not be opened" in why else ""
    return Probe(name="acceleration", ready=True, found=f"emulation, many times slower ({why})", remedy=remedy)
