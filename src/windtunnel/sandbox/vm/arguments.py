"""A machine as QEMU's command line: pure functions from values to words, tested as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PORTS = ("control", "stdin", "stdout", "stderr")
PLACE = "/machine"
"""Where the confined QEMU finds its files."""
PROJECT_BYTES = 1 << 36
"""The size that the project's disk always claims, so that one snapshot fits every project; holes cost nothing."""
TRANSLATION_MIB = 256
"""The most that emulation keeps of translated code."""
_SECCOMP = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
_KERNEL_LINE = (
    "console=ttyS0 quiet panic=-1 reboot=t audit=0 cryptomgr.notests random.trust_cpu=on lsm=landlock "
    "transparent_hugepage=never 8250.nr_uarts=1 rdinit=/init"
)
_EMULATED_LINE = "mitigations=off nokaslr no_timer_check lpj=10000000 tsc=reliable"
"""What would only cost time where every instruction is translated anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """What a guest is given; snapshots fit only the hardware they were taken from."""

    memory_mib: int
    processors: int
    accelerator: str
    """``kvm`` or ``tcg``."""


def machine(hardware: Hardware) -> list[str]:
    """The machine itself, with nothing in it that was not asked for: no network, no display, no monitor."""
    kvm = hardware.accelerator == "kvm"
    accelerator = "kvm" if kvm else f"tcg,tb-size={TRANSLATION_MIB}"
    return [
        "-M", "q35,sata=off,smbus=off,graphics=off", "-accel", accelerator,
        "-cpu", "host" if kvm else "max", "-m", str(hardware.memory_mib), "-smp", str(hardware.processors),
        "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-rtc", "base=utc,clock=host",
        "-sandbox", _SECCOMP,
    ]


def guest(hardware: Hardware, sockets: Mapping[str, int]) -> list[str]:
    """A guest of ours: kernel, agent, two read-only disks, four serial ports, a console for its last words."""
    line = _KERNEL_LINE + ("" if hardware.accelerator == "kvm" else f" {_EMULATED_LINE}")
    made = [*machine(hardware), "-kernel", f"{PLACE}/kernel", "-initrd", f"{PLACE}/initramfs", "-append", line]
    for name in ("root", "project"):
        made += ["-drive", f"if=none,id={name},file={PLACE}/{name},format=raw,readonly=on,file.locking=off",
                 "-device", f"virtio-blk-pci,drive={name}"]
    made += ["-device", f"virtio-serial-pci,max_ports={len(PORTS) + 1}"]
    for name in PORTS:
        made += ["-chardev", f"socket,id={name},fd={sockets[name]}",
                 "-device", f"virtserialport,chardev={name},name=windtunnel.{name}"]
    return [*made, "-chardev", f"socket,id=console,fd={sockets['console']}", "-serial", "chardev:console"]


def monitored(arguments: Sequence[str], socket: int) -> list[str]:
    """With a monitor, which only the taking of a snapshot needs."""
    return [*arguments, "-chardev", f"socket,id=monitor,fd={socket}", "-mon", "chardev=monitor,mode=control"]


def restored(arguments: Sequence[str], state: int) -> list[str]:
    """From a snapshot instead of the kernel's start."""
    return [*arguments, "-incoming", f"fd:{state}"]
