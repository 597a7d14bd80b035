"""Each key that can be written, and what turns its value into one of ours or says why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path

from windtunnel.config.settings import MOST_POOL
from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import Limits, parse_size
from windtunnel.core.result import Level
from windtunnel.core.span import parse_span
from windtunnel.core.tampering import Tampering

LIMITS = tuple(limit.name for limit in fields(Limits))
GROUPS = ("caps", "limits")
GATE = "gate"
THRESHOLDS = tuple(one.name for one in fields(Thresholds))
MOST_PATH = 1024
_MOST_LANGUAGES = 100
_MOST_ACTOR = 200
_MOST_PLACES = 16
_MOST_MINUTES = 7 * 24 * 60
_MOST_HOURS = 365 * 24
_MOST_SIZE_TEXT = 32
_MOST_NUMBER = 2**53
_FRACTIONS = frozenset({"wall_seconds", "cpu_seconds", "cores"})
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_PLACE = re.compile(r"(file:|git:)/.+|(https?|plain-http)://.+")


def shown(value: object, *, most: int = 60) -> str:
    """A hostile value in a message: bounded, and without characters that a terminal would obey."""
    if isinstance(value, int) and abs(value) > _MOST_NUMBER:
        return "a number of more than 2**53"
    text = value if isinstance(value, str) else repr(value) if isinstance(value, int | float) else type(value).__name__
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:most])


def _limit(name: str) -> Callable[[object], object]:
    def check(raw: object) -> object:
        size = name.endswith("_bytes")
        sort = int | float if name in _FRACTIONS else int
        value = raw
        if size and isinstance(raw, str) and raw.isascii() and len(raw) <= _MOST_SIZE_TEXT:
            value = parse_size(raw, field=name)
        if isinstance(value, bool) or not isinstance(value, sort) or abs(value) > _MOST_NUMBER:
            wanted = "a size (try 512m, 2g or a number of bytes)" if size else "a number in range (try 30)"
            raise UsageError(f"{shown(raw)} is not {wanted}")
        replace(Limits(), **{name: value})
        return float(value) if name in _FRACTIONS else value

    return check


def _path(raw: object) -> Path:
    if not isinstance(raw, str) or len(raw) > MOST_PATH or not raw.isprintable():
        raise UsageError(f"{shown(raw)} is not a path (try /var/lib/windtunnel)")
    path = Path(raw)
    if not path.is_absolute() or ".." in path.parts or len(path.parts) == 1:
        raise UsageError(f"{shown(raw)} is not an absolute path (try /var/lib/windtunnel)")
    return path


def _level(raw: object) -> Level:
    if not isinstance(raw, str) or raw not in tuple(Level):
        raise UsageError(f"{shown(raw)} is not a level (known: {', '.join(Level)})")
    return Level(raw)


def _auditing(raw: object) -> Auditing:
    if isinstance(raw, bool):
        return Auditing.ON if raw else Auditing.OFF
    if not isinstance(raw, str) or raw not in tuple(Auditing):
        raise UsageError(f"{shown(raw)} is none of {', '.join(Auditing)}")
    return Auditing(raw)


def _tampering(raw: object) -> Tampering:
    if not isinstance(raw, str) or raw not in tuple(Tampering):
        raise UsageError(f"{shown(raw)} is none of {', '.join(Tampering)}")
    return Tampering(raw)


def _threshold(name: str) -> Callable[[object], object]:
    def check(raw: object) -> object:
        if raw is None:
            raise UsageError("not a value")
        Thresholds(**{name: raw})  # type: ignore[arg-type]  # checked by it
        return raw

    return check


def _database(raw: object) -> DatabaseAddress | None:
    """Empty means the file; what is wrong is not repeated, because a password may stand in it."""
    return None if raw == "" else DatabaseAddress(raw)  # type: ignore[arg-type]  # checked by it


def _actor(raw: object) -> str:
    if not isinstance(raw, str) or not 0 < len(raw) <= _MOST_ACTOR or not raw.isprintable():
        raise UsageError(f"{shown(raw)} is not a name of at most {_MOST_ACTOR} letters")
    return raw


def _pool(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw <= MOST_POOL:
        raise UsageError(f"{shown(raw)} is not a number from 0 to {MOST_POOL}")
    return raw


def _switch(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise UsageError(f"{shown(raw)} is neither true nor false")
    return raw


def _languages(raw: object) -> tuple[Mapping[str, object], ...]:
    tables = isinstance(raw, list | tuple) and all(isinstance(item, dict) for item in raw)
    if not isinstance(raw, list | tuple) or not tables or len(raw) > _MOST_LANGUAGES:
        raise UsageError(f"{shown(raw)} is not a list of at most {_MOST_LANGUAGES} tables (write [[languages]])")
    return tuple(raw)


def _places(raw: object) -> tuple[str, ...]:
    """What they name is checked where they are known."""
    named = isinstance(raw, list | tuple) and all(isinstance(one, str) and one.isprintable() for one in raw)
    if not isinstance(raw, list | tuple) or not named or not all(map(_PLACE.fullmatch, raw)) or len(raw) > _MOST_PLACES:
        raise UsageError(f"{shown(raw)} is not a list of at most {_MOST_PLACES} places (try ['file:/mnt/notes'], "
                         "https://host/path or git:/srv/notes.git#branch)")
    return tuple(raw)


def _minutes(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 1 <= raw <= _MOST_MINUTES:
        raise UsageError(f"{shown(raw)} is not a number of minutes from 1 to {_MOST_MINUTES}")
    return float(raw)


def _hours(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 < raw <= _MOST_HOURS:
        raise UsageError(f"{shown(raw)} is not a number of hours above 0, up to {_MOST_HOURS}")
    return float(raw)


def _engine(raw: object) -> str:
    if raw not in ("docker", "podman"):
        raise UsageError(f"{shown(raw)} is not a container engine (docker or podman)")
    return str(raw)


def _runtime(raw: object) -> str:
    if not isinstance(raw, str) or not _WORD.fullmatch(raw):
        raise UsageError(f"{shown(raw)} is not the name of a runtime (try runsc)")
    return raw


def _images(raw: object) -> Mapping[str, str]:
    """The names of images are checked where images are known."""
    named = isinstance(raw, dict) and all(isinstance(name, str) for name in raw.values())
    if not isinstance(raw, dict) or not named or len(raw) > _MOST_LANGUAGES:
        raise UsageError(f"{shown(raw)} is not a table of images by language (try python = 'my/image:1')")
    return dict(raw)


KINDS: Mapping[str, Callable[[object], object]] = {
    "state_dir": _path,
    "cache_dir": _path,
    "min_isolation": _level,
    "pool_size": _pool,
    "history": _switch,
    "allow_network": _switch,
    "trial_seconds": _limit("wall_seconds"),
    "languages": _languages,
    "engine": _engine,
    "runtime": _runtime,
    "pull": _switch,
    "audit": _auditing,
    "tamper": _tampering,
    "actor": _actor,
    "images": _images,
    "policy": _path,
    "audit_store": _database,
    "audit_watch": _path,
    "audit_checkpoints": _places,
    "audit_checkpoint_minutes": _minutes,
    "audit_seal_after": parse_span,
    "audit_retention": parse_span,
    "analysis_advisories": _path,
    "analysis_hours": _hours,
    "analysis_cache_bytes": _limit("disk_bytes"),
    **{f"{group}.{name}": _limit(name) for group in GROUPS for name in LIMITS},
    **{f"{GATE}.{name}": _threshold(name) for name in THRESHOLDS},
}
"""Each key, and what turns the written value into one of ours or says why not."""
