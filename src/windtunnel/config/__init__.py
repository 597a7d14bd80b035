"""Settings from the operator, the user, the environment and the project.

Read in this order, each on top of the one before:

1. the operator's ``/etc/windtunnel/config.toml``; what it says of ``caps``, ``min_isolation``, ``allow_network``,
   ``trial_seconds``, ``tamper``, ``gate``, ``pull``, ``audit`` and ``audit_retention`` binds all that follow, which may
   be stricter and never looser; its ``policy``, ``audit_watch`` and ``audit_store`` cannot be replaced,
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
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel import trust
from windtunnel.config.kinds import GATE, GROUPS, KINDS, LIMITS, MOST_PATH, THRESHOLDS, shown
from windtunnel.config.settings import CAPS, Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import Limits
from windtunnel.core.result import Level
from windtunnel.core.span import Span
from windtunnel.core.tampering import Tampering

__all__ = ["CAPS", "Settings", "load"]

OPERATOR_FILE = Path("/etc/windtunnel/config.toml")
PROJECT_FILE = ".windtunnel.toml"

_NUMBER = re.compile(r"[0-9]{1,16}(\.[0-9]{1,9})?")
_SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_IMAGES = "images"
_BINDING = ("min_isolation", "allow_network", "trial_seconds", "pull", "audit", "tamper")
_POLICY = "policy"
_RETENTION = "audit_retention"
_FIXED = (_POLICY, "audit_watch", "audit_store")
_EVERY = "audit_checkpoint_minutes"
_ANALYSIS = ("analysis_advisories", "analysis_hours", "analysis_cache_bytes")
_FROM_BELOW = (f"{GATE}.least", f"{GATE}.hollow", f"{GATE}.doubt")
_ADDED = ("languages", "audit_checkpoints")
"""What a later source adds to, and never takes from."""
_FOLDERS = {"state_dir": ("XDG_STATE_HOME", ".local/state"), "cache_dir": ("XDG_CACHE_HOME", ".cache")}
_PREFIX = "WINDTUNNEL_"
_MODEL = tuple(f"{_PREFIX}MODEL_{part}" for part in ("URL", "KEY", "NAME", "PRICE"))
"""Read by the command that asks a model, and by nobody else."""
_ELSEWHERE = (*_MODEL, f"{_PREFIX}API_KEY")
"""The key is read by the server on standard input and output alone, and never written down."""
_VARIABLES = {
    **{_PREFIX + key.upper(): key for key in (
        "state_dir", "cache_dir", "pool_size", "history", "engine", "runtime", "actor", "audit_seal_after", _RETENTION,
        _EVERY, *_ANALYSIS, *_FIXED, *_BINDING)},
    **{f"{_PREFIX}MAX_{name.removesuffix('_bytes').removeprefix('wall_').upper()}": f"caps.{name}" for name in LIMITS},
}


def load(
    environ: Mapping[str, str] | None = None, project: Path | None = None, *, operator: Path = OPERATOR_FILE
) -> Settings:
    """All settings in force; those of a project only when its folder is given."""
    environ = os.environ if environ is None else environ
    values: dict[str, object] = {}
    _add(values, _file(operator), bounds={})
    bounds = {key: value for key, value in values.items() if key.startswith(("caps.", f"{GATE}."))
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
                                      "make tamper and gate stricter, turn allow_network off and add a policy)")
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
            value = KINDS[key](raw)
        except UsageError as error:
            raise source.refusal(key, str(error)) from error
        if key in _FIXED and value != bounds.get(key, value):
            raise source.refusal(key, f"the operator's {bounds[key] or 'file'} holds, and cannot be replaced")
        if key in bounds and (_lower if key in _FROM_BELOW else _looser)(value, bounds[key]):
            raise source.refusal(key, f"{value} is looser than the {bounds[key]} already set, and may only be stricter")
        values[key] = (*values.get(key, ()), *value) if key in _ADDED else value  # type: ignore[misc]  # both are lists
    caps = _limits(CAPS, values, "caps")
    for name in LIMITS:
        key, most = f"limits.{name}", getattr(caps, name)
        if key in source.values and _looser(values[key], most):
            raise source.refusal(key, f"{values[key]} is more than the cap of {most} (lower it, or raise caps.{name})")


def _lower(value: object, bound: object) -> bool:
    """Of what must be reached, less is looser; of words, that which lets more pass."""
    return value < bound if isinstance(value, int | float) and isinstance(bound, int | float) else (
        (value, bound) in (("allow", "deny"), ("skip", "deny"), ("skip", "allow")))


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
    gate = {name: values[f"{GATE}.{name}"] for name in THRESHOLDS if f"{GATE}.{name}" in values}
    given["gate"] = Thresholds(**gate) if gate else None  # type: ignore[arg-type]  # each was checked by its kind
    return Settings(caps=caps, default_limits=limits, **given)  # type: ignore[arg-type]  # each was checked by its kind


def _limits(base: Limits, values: Mapping[str, object], group: str) -> Limits:
    given = {name: values[f"{group}.{name}"] for name in LIMITS if f"{group}.{name}" in values}
    return replace(base, **given)  # type: ignore[arg-type]  # each was checked by its kind


def _within(limits: Limits, caps: Limits) -> Limits:
    """The limits lowered to the caps; no processor limit stays none while the wall time keeps it below its cap."""
    lower = {name: getattr(caps, name) for name in LIMITS if _looser(getattr(limits, name), getattr(caps, name))}
    lowered = replace(limits, **lower)
    if lowered.cpu_seconds is None and _looser(lowered.wall_seconds * lowered.cores, caps.cpu_seconds):
        return replace(lowered, cpu_seconds=caps.cpu_seconds)
    return lowered


def _all_bounds(settings: Settings) -> dict[str, object]:
    groups = {"caps": settings.caps, "limits": settings.default_limits}
    bounds = {f"{group}.{name}": getattr(limits, name) for group, limits in groups.items() for name in LIMITS}
    least = settings.gate or Thresholds()
    gate = {f"{GATE}.{name}": value for name in THRESHOLDS if (value := getattr(least, name)) is not None}
    return {**bounds, **gate, **{key: getattr(settings, key) for key in _BINDING}}


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
        if key in (*GROUPS, GATE, _IMAGES):
            if not isinstance(value, dict):
                raise source.refusal(key, f"not a table (write [{key}] on a line of its own)")
            values |= {key: value} if key == _IMAGES else {f"{key}.{name}": item for name, item in value.items()}
        else:
            # A quoted "caps.x" is not the x of [caps], and must not pass for it.
            values[f"{key}?" if "." in key else key] = value
    for key in values:
        if key not in KINDS:
            raise source.refusal(shown(key), f"unknown (known: {', '.join(KINDS)})")
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
        raise UsageError(f"{path}: not TOML: {shown(str(error), most=200)}", field="config") from error


def _environment(environ: Mapping[str, str]) -> _Source:
    given = {name: text for name, text in environ.items() if name.startswith(_PREFIX) and name not in _ELSEWHERE}
    for name in given:
        if name not in _VARIABLES:
            raise UsageError(f"{shown(name)}: unknown (known: {', '.join(_VARIABLES)})", field=shown(name))
    names = {_VARIABLES[name]: name for name in given}
    values = {key: _typed(key, given[name]) for key, name in names.items()}
    return _Source(values=values, name=names.__getitem__)


def _typed(key: str, text: str) -> object:
    """The value a variable means; text that means none stays text, and is then refused like any other."""
    if key in {"history", "allow_network", "pull"}:
        return _SWITCHES.get(text.lower(), text)
    if key in {"pool_size", "trial_seconds", _EVERY, "analysis_hours"} or key.startswith("caps."):
        match = _NUMBER.fullmatch(text)
        return text if match is None else float(text) if match[1] else int(text)
    return text


def _beneath(source: _Source) -> str | None:
    """Where a project says its own policy is."""
    raw = source.values.get(_POLICY)
    path = raw if isinstance(raw, str) and raw.isprintable() else ""
    if raw is not None and (len(path) > MOST_PATH or not {"", ".", ".."}.isdisjoint(path.split("/"))):
        raise source.refusal(_POLICY, f"{shown(raw)} is not a path below the project (try .windtunnel/policy.yaml)")
    return path or None
