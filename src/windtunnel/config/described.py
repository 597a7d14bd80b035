"""``config/sandbox.json`` of the described system, mapped onto our settings; unknown keys are refused by name.

What holds: the file stands below the operator's configuration, which it may tighten and never loosen, and our own
``WINDTUNNEL_*`` variables win over it. ``SANDBOX_LOG_LEVEL`` and ``SANDBOX_USE_DOCKER`` win over the file too. What
does not hold: ``max_log_size_mb`` bounds nothing, because an audit log is not cut by its size; nor does
``enable_error_recovery`` change anything, because whether a task is tried again is said by its plan.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel import trust
from windtunnel.config import load
from windtunnel.config.settings import Settings
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.result import Level
from windtunnel.core.strict_json import read_json

VARIABLE, LOG_LEVEL, USE_DOCKER = "SANDBOX_CONFIG_PATH", "SANDBOX_LOG_LEVEL", "SANDBOX_USE_DOCKER"
_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_SHELLS = ("bash", "sh")
_MOST_HOSTS = 1000
_IDLE = {
    "logging.max_log_size_mb": "logging.max_log_size_mb: bounds nothing; audit_retention says how long records stay",
    "execution.enable_error_recovery": "execution.enable_error_recovery: each task says itself how it is tried again"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What the file says, in our words."""

    settings: Settings
    level: Level | None = None
    """The walls that it asks for; none leaves that to us."""
    allowed_hosts: tuple[str, ...] = ()
    """What commands of workspaces and plans may reach."""
    concurrent_tasks: int | None = None
    """Tasks of one plan at once; none leaves that to us."""
    log_level: str = "INFO"
    notes: tuple[str, ...] = ()
    """What of the file has no effect here."""


def load_described(environ: Mapping[str, str] | None = None, *, path: Path | None = None) -> Described:
    """The settings in force with the file that ``SANDBOX_CONFIG_PATH`` names; ours alone where none is named."""
    environ = os.environ if environ is None else environ
    named = path or (Path(environ[VARIABLE]) if environ.get(VARIABLE) else None)
    told = _flat(_read(named)) if named is not None else {}
    level = Level.CONTAINER if _docker(told, environ) else Level.PROCESS if "isolation.use_docker" in told else None
    settings = load(_variables(told, environ))
    limits = {name: min(told[key] * unit, getattr(settings.caps, name)) for key, (name, unit) in _LIMITS.items()
              if key in told}
    image = told.get("isolation.container_image")
    images = {**settings.images, **(dict.fromkeys(_SHELLS, image) if image and level is Level.CONTAINER else {})}
    hours = told.get("cache.cache_ttl_hours", settings.analysis_hours)
    cache: dict[str, Any] = {"analysis_hours": hours if told.get("cache.enable_analysis_cache", True) else 0.0}
    if "cache.max_cache_size_mb" in told:
        cache["analysis_cache_bytes"] = told["cache.max_cache_size_mb"] * MIB
    return Described(
        settings=replace(settings, default_limits=replace(settings.default_limits, **limits), images=images, **cache),
        level=level if level is not None or environ.get(USE_DOCKER) is None else Level.PROCESS,
        allowed_hosts=tuple(told.get("isolation.allowed_hosts", ())), log_level=_log_level(told, environ),
        concurrent_tasks=told.get("execution.max_concurrent_tasks"),
        notes=tuple(words for key, words in _IDLE.items() if key in told))


def _read(path: Path) -> Mapping[str, Any]:
    content = trust.read(path, field=VARIABLE)
    if content is None:
        raise UsageError(f"{VARIABLE}: there is no file {str(path)!r}", field=VARIABLE)
    told = read_json(content, field=path.name)
    if not isinstance(told, dict):
        raise UsageError(f"{path.name}: not an object", field=path.name)
    return told


def _flat(told: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Keys such as ``isolation.resource_limits.memory_mb``, each checked by its kind."""
    made: dict[str, Any] = {}
    for name, value in told.items():
        key = f"{above}{name}"[:200]
        if any(known.startswith(f"{key}.") for known in _KINDS):
            if not isinstance(value, dict):
                raise UsageError(f"{key}: not an object", field=key)
            made |= _flat(value, f"{key}.")
        elif key not in _KINDS:
            raise UsageError(f"{key}: unknown (known: {', '.join(_KINDS)})", field=key)
        else:
            made[key] = _KINDS[key](key, value)
    return made


def _variables(told: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """The file as our own variables, below those that are set: so it is held against the operator's bounds."""
    made: dict[str, str] = {}
    for key, (name, unit) in _LIMITS.items():
        if key in told:
            made[_CAPS[name]] = f"{told[key]:.9g}" if isinstance(told[key], float) else str(told[key] * unit)
    if told.get("isolation.network_isolation") and not told.get("isolation.allowed_hosts"):
        made["WINDTUNNEL_ALLOW_NETWORK"] = "off"
    if "logging.database_path" in told:
        made["WINDTUNNEL_STATE_DIR"] = str(Path(told["logging.database_path"]).absolute().parent)
    return made | dict(environ)


def _docker(told: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    said = environ.get(USE_DOCKER)
    if said is None:
        return bool(told.get("isolation.use_docker", False))
    if said.lower() not in _SWITCHES:
        raise UsageError(f"{USE_DOCKER}: {said[:40]!r} is neither true nor false", field=USE_DOCKER)
    return _SWITCHES[said.lower()] and "isolation.use_docker" in told


def _log_level(told: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    said = environ.get(LOG_LEVEL)
    return told.get("logging.level", "INFO") if said is None else _one_of(*_LOG_LEVELS)(LOG_LEVEL, said.upper())


def _number(least: float, most: float, *, whole: bool = True) -> Callable[[str, Any], Any]:
    def check(key: str, value: Any) -> Any:  # noqa: ANN401 -- whatever stands there
        kind = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= most:
            raise UsageError(f"{key}: {value!r:.40} is not a number from {least:g} to {most:g}", field=key)
        return value

    return check


def _switch(key: str, value: Any) -> bool:  # noqa: ANN401 -- whatever stands there
    if not isinstance(value, bool):
        raise UsageError(f"{key}: {value!r:.40} is neither true nor false", field=key)
    return value


def _text(key: str, value: Any) -> str:  # noqa: ANN401 -- whatever stands there
    if not isinstance(value, str) or not 0 < len(value) <= 4096 or not value.isprintable():  # noqa: PLR2004
        raise UsageError(f"{key}: not a text of one line", field=key)
    return value


def _hosts(key: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 -- whatever stands there
    if not isinstance(value, list) or len(value) > _MOST_HOSTS:
        raise UsageError(f"{key}: not a list of up to {_MOST_HOSTS} names", field=key)
    return tuple(_text(key, one) for one in value)


def _one_of(*names: str) -> Callable[[str, Any], str]:
    def check(key: str, value: Any) -> str:  # noqa: ANN401 -- whatever stands there
        if value not in names:
            raise UsageError(f"{key}: {value!r:.40} is none of {', '.join(names)}", field=key)
        return str(value)

    return check


_LIMITS: Mapping[str, tuple[str, int]] = {
    "isolation.resource_limits.memory_mb": ("memory_bytes", MIB), "isolation.resource_limits.cpu_cores": ("cores", 1),
    "isolation.resource_limits.disk_mb": ("disk_bytes", MIB), "execution.default_timeout": ("wall_seconds", 1)}
_CAPS = {"memory_bytes": "WINDTUNNEL_MAX_MEMORY", "cores": "WINDTUNNEL_MAX_CORES", "disk_bytes": "WINDTUNNEL_MAX_DISK",
         "wall_seconds": "WINDTUNNEL_MAX_SECONDS"}
_KINDS: Mapping[str, Callable[[str, Any], Any]] = {
    "isolation.use_docker": _switch, "isolation.container_image": _text,
    "isolation.resource_limits.memory_mb": _number(8, 1_048_576),
    "isolation.resource_limits.cpu_cores": _number(0.01, 4096, whole=False),
    "isolation.resource_limits.disk_mb": _number(1, 1_048_576), "isolation.network_isolation": _switch,
    "isolation.allowed_hosts": _hosts, "execution.default_timeout": _number(0.01, 1e7, whole=False),
    "execution.max_concurrent_tasks": _number(1, 1000), "execution.enable_error_recovery": _switch,
    "logging.level": _one_of(*_LOG_LEVELS), "logging.database_path": _text,
    "logging.max_log_size_mb": _number(1, 1_000_000), "cache.enable_analysis_cache": _switch,
    "cache.cache_ttl_hours": _number(0, 87_600, whole=False), "cache.max_cache_size_mb": _number(0, 1_000_000),
}
