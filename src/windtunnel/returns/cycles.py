"""A cycle as it ends: its gain shared among its modules, its metrics checked."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping

from windtunnel.core.errors import UsageError
from windtunnel.core.series import Cycle, finite, named


def shares(gain: float, modules: Iterable[str] | Mapping[str, float] | None) -> dict[str, float]:
    """What each module has of a gain: as it was given, or in equal parts; they add up to the gain."""
    if isinstance(modules, Mapping):
        return {name: finite(value, field=f"modules.{name}") for name, value in modules.items()}
    if isinstance(modules, str):
        raise UsageError("modules: a list of names, not one text", field="modules")
    names = list(dict.fromkeys(modules or ()))
    return {name: gain / len(names) for name in names}


def cycle_now(
    gain: float, *, modules: Iterable[str] | Mapping[str, float] | None = None,
    metrics: Mapping[str, float] | None = None, resources: Mapping[str, float] | None = None, scenario: str = "",
) -> Cycle:
    """A cycle that ended just now."""
    return Cycle(roi=gain, time=time.time(), modules=shares(gain, modules), metrics=_numbers(metrics, "metrics"),
                 resources=_numbers(resources, "resources"), scenario=scenario)


def _numbers(given: Mapping[str, float] | None, field: str) -> dict[str, float]:
    """As floats; what is no finite number counts as not measured."""
    return {named(name, field=field): float(value) for name, value in (given or {}).items()
            if _measured(value, f"{field}.{name}")}


def _measured(value: float, field: str) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False
    finite(value, field=field)
    return True
