"""Presets as people write them, and the scenarios that they mean."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.scenario import Link, Scenario
from windtunnel.core.strict_json import read_json
from windtunnel.scenarios.failures import HOSTILE_INTENSITY, Failures
from windtunnel.scenarios.fields import FIELDS, field_named
from windtunnel.scenarios.names import readable_name, unique_names
from windtunnel.scenarios.readers import shown

MOST_PRESETS = 1000
MOST_BYTES = MIB
PRESETS_VARIABLE = "SANDBOX_ENV_PRESETS"
GENERATE_VARIABLE = "SANDBOX_GENERATE_PRESETS"
_LINK = {
    "NETWORK_LATENCY_MS": ("delay_seconds", 1000, 3),
    "NETWORK_JITTER_MS": ("jitter_seconds", 1000, 3),
    "PACKET_LOSS": ("loss", 100, 4),
    "PACKET_DUPLICATION": ("duplication", 100, 4),
    "PACKET_REORDERING": ("reordering", 100, 4),
}
"""Each field of the link: the name there, what one of the link's units is in the field's, decimal places."""
_PLAIN = {
    "CPU_LIMIT": "cores", "MEMORY_LIMIT": "memory_bytes", "DISK_LIMIT": "disk_bytes", "TIMEOUT": "wall_seconds",
    "SECURITY_LEVEL": "security_level", "THREAT_INTENSITY": "threat_intensity"}
"""Fields that the scenario holds as they are."""
_RANGE = ("MIN_BANDWIDTH", "MAX_BANDWIDTH")
_RATES = ("BANDWIDTH_LIMIT", *_RANGE)


def read_presets(given: str | bytes | Sequence[object] | Mapping[str, object], *, source: str, seed: int = 0,
                 ) -> tuple[Scenario, ...]:
    """All presets of a JSON text, of a list or of one table; what is wrong is named with its place in ``source``."""
    listed = _parsed(given, source=source) if isinstance(given, str | bytes) else given
    listed = [listed] if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str | bytes) or not 0 < len(listed) <= MOST_PRESETS:
        raise UsageError(f"{source}: not a list of 1 to {MOST_PRESETS} presets", field=source)
    return unique_names(_placed(fields, at=f"{source}[{at}]", seed=seed) for at, fields in enumerate(listed))


def scenario(fields: Mapping[str, object], *, seed: int = 0) -> Scenario:
    """What one preset means; unknown fields and impossible values are refused by name."""
    if not isinstance(fields, Mapping):
        raise UsageError(f"not a table of fields: {shown(fields)}")
    read = {name: field_named(name).read(value, field=name) for name, value in fields.items()}
    return _named(read, _made(read, fields=fields, seed=seed))


def preset(scenario: Scenario) -> dict[str, object]:
    """The scenario in the document's form; read again, it is the same scenario."""
    made: dict[str, object] = {"SCENARIO_NAME": scenario.name}
    made |= {name: _tidy(FIELDS[name].write(value)) for name, attribute in _PLAIN.items()
             if (value := getattr(scenario, attribute)) is not None}
    made |= _link_fields(scenario)
    if scenario.faults:
        made["FAILURE_MODES"] = sorted(map(str, scenario.faults))
    if scenario.os_type != "linux":
        made["OS_TYPE"] = scenario.os_type
    tables = {"VM_SETTINGS": dict(scenario.vm_settings), "ENVIRONMENT": dict(scenario.environment)}
    made |= {name: table for name, table in tables.items() if table}
    return {name: made[name] for name in FIELDS if name in made}


def presets_from_environment(environ: Mapping[str, str], *, seed: int = 0) -> tuple[Scenario, ...] | None:
    """Those of ``SANDBOX_ENV_PRESETS``; without it one empty preset where ``SANDBOX_GENERATE_PRESETS`` is ``0``.

    None means that presets are to be generated.
    """
    text = environ.get(PRESETS_VARIABLE, "")
    if text.strip():
        return read_presets(text, source=PRESETS_VARIABLE, seed=seed)
    generate = environ.get(GENERATE_VARIABLE, "1").strip()
    if generate not in ("", "0", "1"):
        raise UsageError(f"{GENERATE_VARIABLE}: neither 0 nor 1: {shown(generate)}", field=GENERATE_VARIABLE)
    return (scenario({}, seed=seed),) if generate == "0" else None


def drawn_rate(least: float, most: float, *, seed: int) -> float:
    """``least * (most / least) ** u`` in whole bits a second, each order of magnitude as likely as another.

    ``u`` lies from 0 to 1: the first eight bytes of the SHA-256 of ``"seed least most"``, divided by ``2 ** 64``.
    """
    digest = hashlib.sha256(f"{seed} {least:.0f} {most:.0f}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return float(min(most, max(least, round(least * (most / least) ** share))))


def _parsed(text: str | bytes, *, source: str) -> Any:  # noqa: ANN401 -- whatever it says
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(data) > MOST_BYTES:
        raise UsageError(f"{source}: more than {MOST_BYTES} bytes of presets", field=source)
    return read_json(data, field=source)


def _placed(fields: object, *, at: str, seed: int) -> Scenario:
    try:
        return scenario(fields, seed=seed)  # type: ignore[arg-type]  # checked by it
    except UsageError as error:
        raise UsageError(f"{at}: {error}", field=error.field or at) from None


def _made(read: Mapping[str, Any], *, fields: Mapping[str, object], seed: int) -> Scenario:
    failures = read.get("FAILURE_MODES", Failures())
    return Scenario(
        name="", link=_link(read, seed=seed), faults=failures.faults, os_type=read.get("OS_TYPE", "linux"),
        vm_settings=read.get("VM_SETTINGS", {}), environment=read.get("ENVIRONMENT", {}), fields=dict(fields),
        **{attribute: read.get(name) for name, attribute in _PLAIN.items() if name != "THREAT_INTENSITY"},
        threat_intensity=_intensity(read, failures))


def _named(read: Mapping[str, Any], made: Scenario) -> Scenario:
    return replace(made, name=read.get("SCENARIO_NAME") or readable_name(made))


def _intensity(read: Mapping[str, Any], failures: Failures) -> int | None:
    given: int | None = read.get("THREAT_INTENSITY")
    if failures.hostile and given == 0:
        raise UsageError("THREAT_INTENSITY: 0 leaves no call with the hostile inputs that FAILURE_MODES asks for "
                         f"(leave it out for {HOSTILE_INTENSITY}, or give 1 to 100)", field="THREAT_INTENSITY")
    return HOSTILE_INTENSITY if failures.hostile and given is None else given


def _link(read: Mapping[str, Any], *, seed: int) -> Link | None:
    if not any(name in read for name in (*_LINK, *_RATES)):
        return None
    shares = {attribute: read[name] / scale for name, (attribute, scale, _) in _LINK.items() if name in read}
    return Link(**shares, rate_bits=_rate(read, seed=seed))


def _rate(read: Mapping[str, Any], *, seed: int) -> float | None:
    least, most = (read.get(name) for name in _RANGE)
    if least is not None and most is not None and least > most:
        raise UsageError("MIN_BANDWIDTH: above MAX_BANDWIDTH (give them the other way round)", field="MIN_BANDWIDTH")
    if "BANDWIDTH_LIMIT" in read:
        return float(read["BANDWIDTH_LIMIT"])
    if least is None or most is None:
        return least if most is None else most
    return drawn_rate(least, most, seed=seed)


def _tidy(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _link_fields(scenario: Scenario) -> dict[str, object]:
    """A link that changes nothing is still one: its delay is said then."""
    link = scenario.link
    if link is None:
        return {}
    made: dict[str, object] = {
        name: _tidy(round(value * scale, digits)) for name, (attribute, scale, digits) in _LINK.items()
        if (value := getattr(link, attribute))}
    range_ = {name: FIELDS[name].write(FIELDS[name].read(scenario.fields[name], field=name))
              for name in _RANGE if name in scenario.fields}
    if link.rate_bits is not None and ("BANDWIDTH_LIMIT" in scenario.fields or not range_):
        made["BANDWIDTH_LIMIT"] = FIELDS["BANDWIDTH_LIMIT"].write(link.rate_bits)
    return made | range_ or {"NETWORK_LATENCY_MS": 0}
