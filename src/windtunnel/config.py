"""Settings from the operator, the user, the environment and the project.

Read in this order, each on top of the one before:

1. the operator's ``/etc/windtunnel/config.toml``; what it says of ``caps``, ``min_isolation``, ``allow_network``,
   ``trial_seconds``, ``tamper``, ``pull``, ``audit`` and ``audit_retention`` binds all that follow, which may be
   stricter and never looser; its ``policy``, ``audit_watch`` and ``audit_store`` cannot be replaced,
2. the user's ``$XDG_CONFIG_HOME/windtunnel/config.toml``,
3. the ``WINDTUNNEL_*`` variables,
4. the project's ``.windtunnel.toml``, which comes with code nobody trusts and so may only tighten.

Anything unknown, mistyped or out of range is refused with the name of the file and of the key;
nothing is ever read as "no limit". Nothing is asked of the host but the files and the home folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from windtunnel import trust
from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, MIB, Limits, parse_size
from windtunnel.core.result import Level
from windtunnel.core.span import Span, parse_span
from windtunnel.core.tampering import Tampering

OPERATOR_FILE = Path("/etc/windtunnel/config.toml")
PROJECT_FILE = ".windtunnel.toml"

CAPS = Limits(
    wall_seconds=30.0, cpu_seconds=3600.0, cores=64.0, cpu_weight=10_240, memory_bytes=16 * GIB,
    swap_bytes=16 * GIB, processes=10_000, disk_bytes=16 * GIB, files=1_000_000, open_files=65_536,
    output_bytes=64 * MIB,
)
"""The most a run may ask for when nobody says otherwise."""

_MOST_POOL = 64
_MOST_LANGUAGES = 100
_MOST_PATH = 1024
_MOST_ACTOR = 200
_MOST_PLACES = 16
_MOST_MINUTES = 7 * 24 * 60
_MOST_SIZE_TEXT = 32
_MOST_NUMBER = 2**53
_NUMBER = re.compile(r"[0-9]{1,16}(\.[0-9]{1,9})?")
_SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_LIMITS = tuple(limit.name for limit in fields(Limits))
_FRACTIONS = frozenset({"wall_seconds", "cpu_seconds", "cores"})
_GROUPS = ("caps", "limits")
_IMAGES = "images"
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BINDING = ("min_isolation", "allow_network", "trial_seconds", "pull", "audit", "tamper")
_POLICY = "policy"
_RETENTION = "audit_retention"
_FIXED = (_POLICY, "audit_watch", "audit_store")
_EVERY = "audit_checkpoint_minutes"
_ADDED = ("languages", "audit_checkpoints")
"""What a later source adds to, and never takes from."""
_PLACE = re.compile(r"(file:|git:)/.+|(https?|plain-http)://.+")
_FOLDERS = {"state_dir": ("XDG_STATE_HOME", ".local/state"), "cache_dir": ("XDG_CACHE_HOME", ".cache")}
_PREFIX = "WINDTUNNEL_"
_VARIABLES = {
    **{_PREFIX + key.upper(): key for key in (
        "state_dir", "cache_dir", "pool_size", "history", "engine", "runtime", "actor", "audit_seal_after", _RETENTION,
        _EVERY, *_FIXED, *_BINDING)},
    **{f"{_PREFIX}MAX_{name.removesuffix('_bytes').removeprefix('wall_').upper()}": f"caps.{name}" for name in _LIMITS},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How Windtunnel is set up here."""

    state_dir: Path
    """Where the history is."""
    cache_dir: Path
    """Where the products of builds are; may be removed at any time."""
    min_isolation: Level = Level.PROCESS
    """The weakest walls any run may have."""
    caps: Limits = CAPS
    """The most a run may ask for."""
    default_limits: Limits = field(default_factory=Limits)
    """What a run gets that asks for nothing; never above the caps."""
    pool_size: int = 2
    """How many sandboxes wait for a program; zero means none."""
    history: bool = True
    """Whether runs are recorded."""
    audit: Auditing = Auditing.ON
    """Whether every act is written down in the audit log."""
    actor: str = ""
    """In whose name acts are written down; empty takes the user's own."""
    trial_seconds: float = 3600.0
    """The most wall time that each side of a trial may ask for; the other caps bind trials too."""
    tamper: Tampering = Tampering.USUAL
    """Whether a trial counts what it would show of code that may be made for the inputs of the tests."""
    allow_network: bool = True
    """Whether a run may ask for the network; no run gets it unasked."""
    languages: tuple[Mapping[str, object], ...] = ()
    """Languages of the user's own, as written; checked where languages are known."""
    engine: str = ""
    """The container engine, ``docker`` or ``podman``; empty takes the first that answers."""
    runtime: str = ""
    """What the engine starts containers with, such as ``runsc``; empty leaves it to the engine."""
    pull: bool = True
    """Whether an image that is not here may be fetched from its registry."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Images of the user's own, by language."""
    policy: Path | None = None
    """The file that says who may do what; none means that everything is allowed."""
    audit_store: DatabaseAddress | None = None
    """The PostgreSQL database that holds the audit log; none means a file in ``state_dir``."""
    audit_seal_after: Span | None = None
    """How old a record of the audit log is when it is sealed into a segment; none means that nobody seals unasked."""
    audit_retention: Span | None = None
    """How long sealed records are kept at least, and when they are removed; none means for ever."""
    audit_checkpoints: tuple[str, ...] = ()
    """Where signed checkpoints of the audit log are sent now and then, by whoever writes to it."""
    audit_checkpoint_minutes: float = 60.0
    """At most once in so many."""
    audit_watch: Path | None = None
    """The file of rules by which ``audit watch`` looks, and whom it tells; none means the usual rules."""
    project_policy: str | None = None
    """A project's own, below its folder; none means the usual place, where there need not be one."""

    def __post_init__(self) -> None:
        """Refuse a pool of senseless size and defaults above the caps."""
        if isinstance(self.pool_size, bool) or not isinstance(self.pool_size, int):
            raise UsageError("pool_size: not a whole number (try 2)", field="pool_size")
        if not 0 <= self.pool_size <= _MOST_POOL:
            raise UsageError(f"pool_size: out of range (from 0 to {_MOST_POOL})", field="pool_size")
        over = self.default_limits.over(self.caps)
        if over:
            raise UsageError(f"default_limits.{over}: more than its cap ({getattr(self.caps, over):g})", field=over)


def load(
    environ: Mapping[str, str] | None = None, project: Path | None = None, *, operator: Path = OPERATOR_FILE
) -> Settings:
    """All settings in force; those of a project only when its folder is given."""
    environ = os.environ if environ is None else environ
    values: dict[str, object] = {}
    _add(values, _file(operator), bounds={})
    bounds = {key: value for key, value in values.items() if key.startswith("caps.")
              or key in (*_BINDING, *_FIXED, _RETENTION, _EVERY)}
    _add(values, _file(_folder(environ, "XDG_CONFIG_HOME", ".config") / "config.toml"), bounds=bounds)
    _add(values, _environment(environ), bounds=bounds)
    settings = _settings(values, environ)
    if project is None:
        return settings
    source = _file(project / PROJECT_FILE)
    for key in source.values:
        if key not in (*_BINDING, _POLICY) and "." not in key:
            raise source.refusal(key, "not for a project to set (it may lower caps and limits, raise min_isolation, "
                                      "make tamper strict, turn allow_network off and add a policy)")
    # A project's policy comes on top of the one that is set, and is never in its place.
    own = {key: value for key, value in source.values.items() if key != _POLICY}
    _add(values, replace(source, values=own), bounds=_all_bounds(settings))
    return replace(_settings(values, environ), project_policy=_beneath(source))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One place that settings come from, as flat keys such as ``caps.wall_seconds``."""

    values: Mapping[str, object]
    name: Callable[[str], str]
    """What to call a key so that a person finds it."""

    def refusal(self, key: str, why: str) -> UsageError:
        return UsageError(f"{self.name(key)}: {why}", field=key)


def _add(values: dict[str, object], source: _Source, *, bounds: Mapping[str, object]) -> None:
    """Check what the source says and put it on top; the bounds are what it may not be looser than."""
    for key, raw in source.values.items():
        try:
            value = _KINDS[key](raw)
        except UsageError as error:
            raise source.refusal(key, str(error)) from error
        if key in _FIXED and value != bounds.get(key, value):
            raise source.refusal(key, f"the operator's {bounds[key] or 'file'} holds, and cannot be replaced")
        if key in bounds and _looser(value, bounds[key]):
            raise source.refusal(key, f"{value} is looser than the {bounds[key]} already set, and may only be stricter")
        values[key] = (*values.get(key, ()), *value) if key in _ADDED else value  # type: ignore[misc]  # both are lists
    caps = _limits(CAPS, values, "caps")
    for name in _LIMITS:
        key, most = f"limits.{name}", getattr(caps, name)
        if key in source.values and _looser(values[key], most):
            raise source.refusal(key, f"{values[key]} is more than the cap of {most} (lower it, or raise caps.{name})")


def _looser(value: object, bound: object) -> bool:
    if isinstance(value, Span) and isinstance(bound, Span):
        return value < bound  # what is kept for less long
    if isinstance(value, Level) and isinstance(bound, Level):
        return not value.at_least(bound)
    if isinstance(value, Tampering) and isinstance(bound, Tampering):
        return value.looser_than(bound)
    if isinstance(value, Auditing) and isinstance(bound, Auditing):
        return value.looser_than(bound)
    # For a number more is looser; for a switch on is looser than off.
    return isinstance(value, int | float) and isinstance(bound, int | float) and value > bound


def _settings(values: Mapping[str, object], environ: Mapping[str, str]) -> Settings:
    caps = _limits(CAPS, values, "caps")
    given = {key: value for key, value in values.items() if "." not in key}
    for key, (variable, below) in _FOLDERS.items():
        if key not in given:
            given[key] = _folder(environ, variable, below)
    limits = _within(_limits(Limits(), values, "limits"), caps)
    return Settings(caps=caps, default_limits=limits, **given)  # type: ignore[arg-type]  # each was checked by its kind


def _limits(base: Limits, values: Mapping[str, object], group: str) -> Limits:
    given = {name: values[f"{group}.{name}"] for name in _LIMITS if f"{group}.{name}" in values}
    return replace(base, **given)  # type: ignore[arg-type]  # each was checked by its kind


def _within(limits: Limits, caps: Limits) -> Limits:
    """The limits lowered to the caps; no processor limit stays none while the wall time keeps it below its cap."""
    lower = {name: getattr(caps, name) for name in _LIMITS if _looser(getattr(limits, name), getattr(caps, name))}
    lowered = replace(limits, **lower)
    if lowered.cpu_seconds is None and _looser(lowered.wall_seconds * lowered.cores, caps.cpu_seconds):
        return replace(lowered, cpu_seconds=caps.cpu_seconds)
    return lowered


def _all_bounds(settings: Settings) -> dict[str, object]:
    groups = {"caps": settings.caps, "limits": settings.default_limits}
    bounds = {f"{group}.{name}": getattr(limits, name) for group, limits in groups.items() for name in _LIMITS}
    return {**bounds, **{key: getattr(settings, key) for key in _BINDING}}


def _folder(environ: Mapping[str, str], variable: str, below: str) -> Path:
    """The base folder of that kind for this user; one that is not absolute counts as not set, as its standard says."""
    base = environ.get(variable, "")
    if base.startswith("/"):
        return Path(base) / "windtunnel"
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        import pwd  # noqa: PLC0415 -- hardly ever needed

        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError as error:
            raise UsageError(f"HOME: not set, and this user has none (set HOME or {variable})", field="HOME") from error
    return Path(home) / below / "windtunnel"


def _file(path: Path) -> _Source:
    """What a file says; nothing when there is none."""
    source = _Source(values={}, name=lambda key: f"{path}: {key}")
    values: dict[str, object] = {}
    for key, value in _read(path).items():
        if key in (*_GROUPS, _IMAGES):
            if not isinstance(value, dict):
                raise source.refusal(key, f"not a table (write [{key}] on a line of its own)")
            values |= {key: value} if key == _IMAGES else {f"{key}.{name}": item for name, item in value.items()}
        else:
            # A quoted "caps.x" is not the x of [caps], and must not pass for it.
            values[f"{key}?" if "." in key else key] = value
    for key in values:
        if key not in _KINDS:
            raise source.refusal(_shown(key), f"unknown (known: {', '.join(_KINDS)})")
    return replace(source, values=values)


def _read(path: Path) -> dict[str, object]:
    content = trust.read(path, field="config")
    return {} if content is None else _parse(content, path)


def _parse(content: bytes, path: Path) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 -- most machines have no file, and need not pay for reading one

    try:
        return tomllib.loads(content.decode())
    except RecursionError as error:
        raise UsageError(f"{path}: not TOML: nested too deeply", field="config") from error
    except ValueError as error:  # also text that is not UTF-8, and numbers of thousands of digits
        raise UsageError(f"{path}: not TOML: {_shown(str(error), most=200)}", field="config") from error


def _environment(environ: Mapping[str, str]) -> _Source:
    given = {name: text for name, text in environ.items() if name.startswith(_PREFIX)}
    for name in given:
        if name not in _VARIABLES:
            raise UsageError(f"{_shown(name)}: unknown (known: {', '.join(_VARIABLES)})", field=_shown(name))
    names = {_VARIABLES[name]: name for name in given}
    values = {key: _typed(key, given[name]) for key, name in names.items()}
    return _Source(values=values, name=names.__getitem__)


def _typed(key: str, text: str) -> object:
    """The value a variable means; text that means none stays text, and is then refused like any other."""
    if key in {"history", "allow_network", "pull"}:
        return _SWITCHES.get(text.lower(), text)
    if key in {"pool_size", "trial_seconds", _EVERY} or key.startswith("caps."):
        match = _NUMBER.fullmatch(text)
        return text if match is None else float(text) if match[1] else int(text)
    return text


def _shown(value: object, *, most: int = 60) -> str:
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
            raise UsageError(f"{_shown(raw)} is not {wanted}")
        replace(Limits(), **{name: value})
        return float(value) if name in _FRACTIONS else value

    return check


def _path(raw: object) -> Path:
    if not isinstance(raw, str) or len(raw) > _MOST_PATH or not raw.isprintable():
        raise UsageError(f"{_shown(raw)} is not a path (try /var/lib/windtunnel)")
    path = Path(raw)
    if not path.is_absolute() or ".." in path.parts or len(path.parts) == 1:
        raise UsageError(f"{_shown(raw)} is not an absolute path (try /var/lib/windtunnel)")
    return path


def _beneath(source: _Source) -> str | None:
    """Where a project says its own policy is."""
    raw = source.values.get(_POLICY)
    path = raw if isinstance(raw, str) and raw.isprintable() else ""
    if raw is not None and (len(path) > _MOST_PATH or not {"", ".", ".."}.isdisjoint(path.split("/"))):
        raise source.refusal(_POLICY, f"{_shown(raw)} is not a path below the project (try .windtunnel/policy.yaml)")
    return path or None


def _level(raw: object) -> Level:
    if not isinstance(raw, str) or raw not in tuple(Level):
        raise UsageError(f"{_shown(raw)} is not a level (known: {', '.join(Level)})")
    return Level(raw)


def _auditing(raw: object) -> Auditing:
    if isinstance(raw, bool):
        return Auditing.ON if raw else Auditing.OFF
    if not isinstance(raw, str) or raw not in tuple(Auditing):
        raise UsageError(f"{_shown(raw)} is none of {', '.join(Auditing)}")
    return Auditing(raw)


def _tampering(raw: object) -> Tampering:
    if not isinstance(raw, str) or raw not in tuple(Tampering):
        raise UsageError(f"{_shown(raw)} is none of {', '.join(Tampering)}")
    return Tampering(raw)


def _database(raw: object) -> DatabaseAddress | None:
    """Empty means the file; what is wrong is not repeated, because a password may stand in it."""
    return None if raw == "" else DatabaseAddress(raw)  # type: ignore[arg-type]  # checked by it


def _actor(raw: object) -> str:
    if not isinstance(raw, str) or not 0 < len(raw) <= _MOST_ACTOR or not raw.isprintable():
        raise UsageError(f"{_shown(raw)} is not a name of at most {_MOST_ACTOR} letters")
    return raw


def _pool(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw <= _MOST_POOL:
        raise UsageError(f"{_shown(raw)} is not a number from 0 to {_MOST_POOL}")
    return raw


def _switch(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise UsageError(f"{_shown(raw)} is neither true nor false")
    return raw


def _languages(raw: object) -> tuple[Mapping[str, object], ...]:
    tables = isinstance(raw, list | tuple) and all(isinstance(item, dict) for item in raw)
    if not isinstance(raw, list | tuple) or not tables or len(raw) > _MOST_LANGUAGES:
        raise UsageError(f"{_shown(raw)} is not a list of at most {_MOST_LANGUAGES} tables (write [[languages]])")
    return tuple(raw)


def _places(raw: object) -> tuple[str, ...]:
    """What they name is checked where they are known."""
    named = isinstance(raw, list | tuple) and all(isinstance(one, str) and one.isprintable() for one in raw)
    if not isinstance(raw, list | tuple) or not named or not all(map(_PLACE.fullmatch, raw)) or len(raw) > _MOST_PLACES:
        raise UsageError(f"{_shown(raw)} is not a list of at most {_MOST_PLACES} places (try ['file:/mnt/notes'], "
                         "https://host/path or git:/srv/notes.git#branch)")
    return tuple(raw)


def _minutes(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 1 <= raw <= _MOST_MINUTES:
        raise UsageError(f"{_shown(raw)} is not a number of minutes from 1 to {_MOST_MINUTES}")
    return float(raw)


def _engine(raw: object) -> str:
    if raw not in ("docker", "podman"):
        raise UsageError(f"{_shown(raw)} is not a container engine (docker or podman)")
    return str(raw)


def _runtime(raw: object) -> str:
    if not isinstance(raw, str) or not _WORD.fullmatch(raw):
        raise UsageError(f"{_shown(raw)} is not the name of a runtime (try runsc)")
    return raw


def _images(raw: object) -> Mapping[str, str]:
    """The names of images are checked where images are known."""
    named = isinstance(raw, dict) and all(isinstance(name, str) for name in raw.values())
    if not isinstance(raw, dict) or not named or len(raw) > _MOST_LANGUAGES:
        raise UsageError(f"{_shown(raw)} is not a table of images by language (try python = 'my/image:1')")
    return dict(raw)


_KINDS: Mapping[str, Callable[[object], object]] = {
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
    _EVERY: _minutes,
    "audit_seal_after": parse_span,
    "audit_retention": parse_span,
    **{f"{group}.{name}": _limit(name) for group in _GROUPS for name in _LIMITS},
}
"""Each key, and what turns the written value into one of ours or says why not."""
