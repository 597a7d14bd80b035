"""One act that tries what only a program wants that means to get out."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch import details
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

CALLS = ("bpf", "delete_module", "finit_module", "init_module", "kexec_file_load", "kexec_load", "mount", "move_mount",
         "open_by_handle_at", "open_tree", "pivot_root", "process_vm_writev", "reboot", "setns", "swapon", "umount2")
TARGETS = ("metadata.google.internal", "metadata.azure.internal", "100.100.100.200", "fd00:ec2::254")


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Fire on a refused call of these, and on a refused connection to where machines keep their credentials."""
    if "effects" not in seen.entry.details:
        return
    told, options = seen.entry.details, scene.options
    calls = [name for name in details.refused_calls(told) if name in options["calls"]]
    targets = [one for one in details.refused_targets(told) if _is_metadata(one, options["targets"])]
    if calls or targets:
        tried = ", ".join([*calls[:5], *targets[:5]])
        yield Finding(
            subject=seen.actor, records=(seen.evidence,), figures={"calls": len(calls), "targets": len(targets)},
            message=f"a program of {seen.actor} tried to get out, and was refused: {tried}")


def _is_metadata(target: str, known: tuple[str, ...]) -> bool:
    host = target.rpartition(":")[0].strip("[]").lower() or target.lower()
    if host in known:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_link_local
    except ValueError:
        return False


def _refused(*, call: str = "", target: str = "") -> dict[str, object]:
    return {"effects": {"blocked": [{"name": call, "count": 3}] if call else [],
                        "network": [{"target": target, "outcome": "refused"}] if target else []}}


RULE = Rule(
    id="escape", about="a refused call or connection that only a program wants that means to get out",
    severity=Severity.HIGH, look=look,
    options={
        "calls": Option(kind=table.lines, default=CALLS, about="system calls that count"),
        "targets": Option(kind=table.lines, default=TARGETS, about="hosts that count, besides link-local addresses"),
    },
    examples=(
        Example(about="a kernel module", trail=(Acts(details=_refused(call="init_module")),), fires=1),
        Example(about="the machine's credentials", trail=(Acts(details=_refused(target="169.254.169.254:80")),),
                fires=1),
        Example(about="an ordinary address", trail=(Acts(details=_refused(target="192.0.2.7:443")),), fires=0),
        Example(about="a call that honest programs try", trail=(Acts(details=_refused(call="io_uring_setup")),),
                fires=0),
    ))
