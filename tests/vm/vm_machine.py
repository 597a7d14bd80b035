"""One boot of the guest under QEMU's plain emulation, and what it told."""

from __future__ import annotations

import json
import secrets
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = "qemu-system-x86_64"
# A /dev/kvm that is there does not mean one that works; emulation works everywhere.
_MACHINE = (
    "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", "1024", "-smp", "1", "-nodefaults", "-no-user-config",
    "-display", "none", "-no-reboot",
)
_KERNEL_LINE = (
    "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check random.trust_cpu=on cryptomgr.notests "
    "lsm=landlock audit=0 rdinit=/init"
)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the guest said, check by check, and its console for when something is missing."""

    facts: dict[tuple[str, str], Any] = field(default_factory=dict)
    console: str = ""

    def fact(self, who: str, check: str) -> Any:
        """The value of one check; a check that told nothing is a failure with the end of the console."""
        assert (who, check) in self.facts, f"the guest told nothing of {who} {check}:\n{self.console[-3000:]}"
        return self.facts[who, check]


def boot(kernel: Path, initramfs: Path, *, folder: Path, seconds: float) -> Told:
    """Boot, wait until the guest powers off, and read its second serial line; the first is its console."""
    token, console = secrets.token_hex(16), folder / "console"
    command = [
        PROGRAM, *_MACHINE, "-kernel", str(kernel), "-initrd", str(initramfs),
        "-serial", f"file:{console}", "-serial", f"file:{folder / 'told'}",
        "-append", f"{_KERNEL_LINE} windtunnel.token={token}",
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    texts = [path.read_text(errors="replace") if path.exists() else "" for path in (folder / "told", console)]
    return Told(facts=facts(texts[0], token=token), console=texts[1] + said.decode(errors="replace"))


def facts(text: str, *, token: str) -> dict[tuple[str, str], Any]:
    """The lines that carry the token; anything else on the line is not ours."""
    found = {}
    for line in text.splitlines():
        head, _, rest = line.partition(" ")
        if head == token:
            told = json.loads(rest)
            found[told["who"], told["check"]] = told["value"]
    return found
