"""Limits as they come to be in force: within the caps, and wider for compilers."""

from __future__ import annotations

from dataclasses import fields, replace

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, Limits


def check_limits(limits: Limits, *, caps: Limits) -> Limits:
    """Within what the operator allows; a missing processor limit becomes the cap's."""
    if not isinstance(limits, Limits):
        raise UsageError(f"limits: not Limits: {type(limits).__name__} (try Limits(wall_seconds=5))", field="limits")
    if limits.cpu_seconds is None and caps.cpu_seconds is not None:
        limits = replace(limits, cpu_seconds=caps.cpu_seconds)
    over = limits.over(caps)
    if over is not None:
        raise UsageError(
            f"{over}: {getattr(limits, over):g} is over the cap of {getattr(caps, over):g} "
            f"(the operator can raise it in the configuration: caps.{over})", field=over)
    return limits


def build_limits(limits: Limits, *, caps: Limits) -> Limits:
    """Compilers are hungrier than what they make: at least this much where the caps allow, or what the program gets."""
    wider = replace(
        limits, memory_bytes=max(limits.memory_bytes, GIB), disk_bytes=max(limits.disk_bytes, GIB),
        files=max(limits.files, 50_000), processes=max(limits.processes, 128), cpu_seconds=caps.cpu_seconds,
        cores=max(limits.cores, 2.0), wall_seconds=max(limits.wall_seconds, 30.0))
    capped = {field.name: min(getattr(wider, field.name), getattr(caps, field.name)) for field in fields(Limits)
              if getattr(wider, field.name) is not None and getattr(caps, field.name) is not None}
    return replace(wider, **capped)
