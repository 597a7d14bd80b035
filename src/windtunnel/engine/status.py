"""What there is here and how it goes: versions, levels, pool, caches, what is kept, what is used."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.config import Settings
from windtunnel.core.ports import Rig
from windtunnel.engine.doctor import Finding, examine

_FRESH_SECONDS = 300.0
_lock = threading.Lock()
_looked: dict[Path, tuple[float, tuple[Finding, ...]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """At one moment."""

    versions: Mapping[str, str]
    levels: Mapping[str, bool]
    """Each level, and whether its walls can be raised here; looked at no more than every five minutes."""
    level: str
    """The walls that runs get."""
    pool: Mapping[str, object]
    cache: Mapping[str, Mapping[str, float | int | None]]
    """``builds``: products of compile stages, in this process. ``analyses``: since their cache was begun.

    Of each how often it was asked, how often the answer was there, and the share; none where it was never asked.
    """
    usage: Mapping[str, float | int | None]
    """Of this process and the machine."""
    serving: Mapping[str, object] = field(default_factory=dict)


def status(settings: Settings, *, rig: Rig | None, version: str, level: str) -> Status:
    """Without starting anything but what looking at the levels needs."""
    return Status(
        versions={"windtunnel": version, "python": platform.python_version(), "kernel": platform.release(),
                  "machine": platform.machine()},
        levels=_levels(settings.cache_dir), level=level, pool=pool(settings, rig),
        cache={"builds": _builds(rig), "analyses": _analyses(settings)},
        usage=_usage(settings))


def _levels(cache_dir: Path) -> dict[str, bool]:
    with _lock:
        seen, found = _looked.get(cache_dir, (-_FRESH_SECONDS, ()))
        if not found or time.monotonic() - seen > _FRESH_SECONDS:
            found = tuple(examine(cache_dir))
            _looked[cache_dir] = (time.monotonic(), found)
    process = all(one.ready for one in found if one.needed)
    return {
        "restricted": any(one.ready for one in found if one.name == "landlock"), "process": process,
        "container": any(one.ready for one in found if one.level == "container"),
        "vm": all(one.ready for one in found if one.level == "vm") and any(one.level == "vm" for one in found)}


def pool(settings: Settings, rig: Rig | None) -> dict[str, object]:
    """How many sandboxes are to wait for a program, how many do, and whether any was asked for yet."""
    waiting = getattr(getattr(rig, "sandbox", None), "waiting", None)
    return {"size": settings.pool_size, "waiting": waiting() if callable(waiting) else 0,
            "started": rig is not None}


def _builds(rig: Rig | None) -> dict[str, float | int | None]:
    found = rig.builds if rig is not None else None
    return _share(getattr(found, "hits", 0), getattr(found, "asked", 0))


def _analyses(settings: Settings) -> dict[str, float | int | None]:
    from windtunnel.engine.analyze_act import statistics  # noqa: PLC0415 -- few ask

    told = statistics(settings)
    return _share(told.hits, told.requests)


def _share(hits: int, asked: int) -> dict[str, float | int | None]:
    return {"hits": hits, "total_requests": asked, "hit_rate": hits / asked if asked else None}


def _usage(settings: Settings) -> dict[str, float | int | None]:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    where = next((folder for folder in (settings.state_dir, *settings.state_dir.parents) if folder.is_dir()), Path("/"))
    load = os.getloadavg()[0]
    return {
        "memory_bytes": _resident(), "cpu_seconds": round(own.ru_utime + own.ru_stime, 2),
        "children_cpu_seconds": round(children.ru_utime + children.ru_stime, 2), "threads": threading.active_count(),
        "load": round(load, 2), "processors": os.cpu_count(), "disk_free_bytes": shutil.disk_usage(where).free}


def _resident() -> int | None:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None if sys.platform == "linux" else 0
