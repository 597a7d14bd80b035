"""``windtunnel vm``: machines for disks of your own."""

from __future__ import annotations

import argparse
import base64
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import error, json_text, seconds, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Reason

if TYPE_CHECKING:
    from windtunnel.sandbox.vm.disk_boot import DiskBoot

_FAILED = 2
_SYSTEMS, _FIRMWARE = ("windows", "macos"), ("bios", "uefi")
_ABOUT = """\
Start a disk of your own, such as a Windows or macOS image, in a machine without network, and show what it says on its
serial line. The disk is only read; what its system writes is thrown away. The machine is switched off when it has said
TEXT, and at latest when its time is over."""
_CODES = """\
The settings are a JSON object with windows_image, macos_image, memory, cores, timeout and firmware; options go
before settings.
exit codes: 0 when it ended by itself, or said TEXT; 1 when it did not in time, or ended without saying TEXT; 2 when the
request is wrong, or Windtunnel failed or refused; 130 when interrupted."""


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("vm", help="start disks of your own in a machine")
    acts = made.add_subparsers(dest="vm_act", metavar="ACT", required=True, help="what to do")
    boot = acts.add_parser("boot", help="start a disk and show what it says", description=_ABOUT, epilog=_CODES,
                           formatter_class=argparse.RawDescriptionHelpFormatter)
    disk = boot.add_argument_group("the disk")
    disk.add_argument("--system", choices=_SYSTEMS, help="which disk of the settings; not needed where there is one")
    disk.add_argument("--settings", metavar="FILE", help="settings as JSON (without it, the variable VM_SETTINGS)")
    disk.add_argument("--image", metavar="DISK", help="a disk file, qcow2 or raw")
    machine = boot.add_argument_group("the machine")
    machine.add_argument("--memory", metavar="SIZE", help="of the machine (default 2g)")
    machine.add_argument("--cores", type=int, metavar="N", help="its processors (default 1)")
    machine.add_argument("--timeout", type=float, metavar="SECONDS", help="until it is switched off (default 120)")
    machine.add_argument("--firmware", choices=_FIRMWARE, help="what starts the disk (default bios)")
    machine.add_argument("--until", metavar="TEXT", help="switch it off, well, when its serial line says this")
    boot.add_argument("--json", action="store_true", help="as JSON, when it is over")
    boot.set_defaults(act=act_boot, failed=_FAILED)


def act_boot(chosen: argparse.Namespace) -> int:
    """Start it, show what it says, tell how it went."""
    from windtunnel.cli.vm_screen import Screen  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    if chosen.until == "":
        raise UsageError("--until: an empty text is said by everyone (leave it out)", field="--until")
    with Tunnel(pool_size=0, tell=tell) as tunnel, Screen(silent=chosen.json) as screen:
        told = tunnel.boot_disk(
            chosen.image, system=chosen.system, settings=_settings(chosen.settings), memory=chosen.memory,
            cores=chosen.cores, timeout=chosen.timeout, firmware=chosen.firmware, until=chosen.until or b"",
            on_serial=screen.say, on_tick=screen.wait)
    if chosen.json:
        print(json_text(plain_boot(told)))
    good = told.said if chosen.until else told.reason is Reason.EXITED
    (tell if good else error)(_ending(told, until=chosen.until))
    return 0 if good else 1


def _settings(path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    from windtunnel.engine.boot import load_settings  # noqa: PLC0415

    return load_settings(path)


def plain_boot(told: DiskBoot) -> dict[str, object]:
    """For JSON: what was said as text, and as base64 too where the text would lose bytes."""
    text = told.serial.decode("utf-8", "replace")
    made: dict[str, object] = {
        "said": told.said, "reason": told.reason, "wall_seconds": told.wall_seconds, "form": told.form,
        "machine": told.machine, "serial": text, "serial_dropped": told.serial_dropped}
    if text.encode() != told.serial:
        made["serial_base64"] = base64.b64encode(told.serial).decode()
    return made


def _ending(told: DiskBoot, *, until: str | None) -> str:
    took = seconds(told.wall_seconds)
    if told.said:
        return f"it said {until!r} after {took}"
    if told.reason is Reason.EXITED:
        return f"it ended by itself after {took}" + (f", without saying {until!r}" if until else "")
    return f"it did not {f'say {until!r}' if until else 'end'} in {took} (raise it with --timeout)"
