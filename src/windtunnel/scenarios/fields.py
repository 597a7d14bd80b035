"""The fields of a preset: one row each, with its unit, its range, how it is read and how it is written.

What is not in the table is refused; nothing that is in it is passed over in silence (``applied.unreal``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.scenarios.failures import read_failures
from windtunnel.scenarios.readers import (
    Range,
    read_rate,
    read_size,
    read_table,
    read_whole,
    said_rate,
    said_size,
    shown,
)

MOST_NAME = 100
SYSTEMS = ("linux", "windows", "macos")
VM_KEYS = ("windows_image", "macos_image", "memory", "cores", "timeout", "firmware")
_MOST_BYTES = 2**50
_LEAST_RATE, _MOST_RATE = 1e3, 1e11
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
Order: TypeAlias = Literal["more", "less"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field; the range and the usual value in words are for people, ``read`` is what holds."""

    name: str
    unit: str
    range: str
    usual: str
    """What holds where it is not given."""
    meaning: str
    read: Callable[..., object]
    """From what a preset says, with ``field`` named; a typed error for anything else."""
    write: Callable[..., object] = lambda value: value
    """Back to the form of a preset."""
    harsher: Order | None = None
    """Which way it gets harder for a program; none where its values have no order."""
    ladder: tuple[float, ...] = ()
    """Values to step along, lowest first; ends are as far as searches go."""


def _milliseconds(most: int, sample: str) -> Callable[..., object]:
    return Range(least=0, most=most, unit="milliseconds", try_=sample, digits=3,
                 suffixes={"ms": 1.0, "s": 1000.0}).read


def _percent(sample: str) -> Callable[..., object]:
    return Range(least=0, most=100, unit="percent", try_=sample, digits=4, suffixes={"%": 1.0}).read


def _loss(value: object, *, field: str) -> object:
    percent = _percent("5")(value, field=field)
    if percent == 100:  # noqa: PLR2004 -- percent
        raise UsageError(f"{field}: 100 percent lets nothing arrive; say FAILURE_MODES network_partition for that, "
                         "or try 5", field=field)
    return percent


def _whole(least: int, most: int, sample: str) -> Callable[..., object]:
    among = Range(least=least, most=most, unit="whole steps", try_=sample, digits=0, suffixes={"%": 1.0})
    return partial(read_whole, among=among)


def _system(value: object, *, field: str) -> object:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in SYSTEMS:
        raise UsageError(f"{field}: there is no {shown(value)} (known: {', '.join(SYSTEMS)})", field=field)
    return word


def _machine(value: object, *, field: str) -> object:
    table = read_table(value, field=field)
    for name in sorted(table.keys() - set(VM_KEYS)):
        raise UsageError(f"{field}: there is no {shown(name)} (known: {', '.join(VM_KEYS)})", field=field)
    return table


def _variables(value: object, *, field: str) -> object:
    table = read_table(value, field=field)
    for name in table:
        if not _VARIABLE.fullmatch(name):
            raise UsageError(f"{field}: not a variable name: {shown(name)} (letters, digits and _)", field=field)
    return table


def _name(value: object, *, field: str) -> object:
    text = value.strip() if isinstance(value, str) else ""
    if not 0 < len(text) <= MOST_NAME or not text.isprintable():
        raise UsageError(f"{field}: not a printable name of at most {MOST_NAME} letters: {shown(value)}", field=field)
    return text


_SIZES = tuple(float(size * MIB) for size in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192))
_RATES = tuple(rate * 1e6 for rate in (1, 5, 10, 50, 100, 500, 1000))
_PERCENT = (0.0, 0.1, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0)
_TIMES = (0.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_cores = Range(least=0.01, most=4096, unit="processors", try_="0.5 or 500m", digits=3, suffixes={"m": 0.001})
_seconds = Range(least=0.01, most=1e7, unit="seconds", try_="30", digits=3, suffixes={"s": 1.0, "ms": 0.001})
_rate = partial(read_rate, least=_LEAST_RATE, most=_MOST_RATE)

_ROWS = (
    Field(name="SCENARIO_NAME", unit="text", range=f"1 to {MOST_NAME} letters", usual="made of what differs from usual",
          meaning="What results call this preset; a second one of the same name gets a number behind it.", read=_name),
    Field(name="CPU_LIMIT", unit="processors", range="0.01 to 4096", usual="as the run's limits say",
          meaning="How many processors' worth of time the run gets; `500m` is half of one.",
          read=_cores.read, harsher="less", ladder=(0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)),
    Field(name="MEMORY_LIMIT", unit="bytes", range="8Mi to 1048576Gi", usual="as the run's limits say",
          meaning="Memory of all processes together, files in the private file system included.",
          read=partial(read_size, least=8 * MIB, most=_MOST_BYTES), write=said_size, harsher="less", ladder=_SIZES),
    Field(name="DISK_LIMIT", unit="bytes", range="1Mi to 1048576Gi", usual="as the run's limits say",
          meaning="All that the run may write; its files lie in memory, so MEMORY_LIMIT bounds them too.",
          read=partial(read_size, least=MIB, most=_MOST_BYTES), write=said_size, harsher="less", ladder=_SIZES),
    Field(name="TIMEOUT", unit="seconds", range="0.01 to 10000000", usual="as the run's limits say",
          meaning="How long a call may take by the clock before it is ended.",
          read=_seconds.read, harsher="less", ladder=(0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)),
    Field(name="NETWORK_LATENCY_MS", unit="milliseconds", range="0 to 60000", usual="0",
          meaning="Delay of each packet in one direction, as `netem` means it; a round trip takes twice as long.",
          read=_milliseconds(60_000, "200"), harsher="more", ladder=_TIMES),
    Field(name="NETWORK_JITTER_MS", unit="milliseconds", range="0 to 60000", usual="0",
          meaning="Standard deviation of that delay, normally distributed and cut off at zero.",
          read=_milliseconds(60_000, "20"), harsher="more", ladder=_TIMES),
    Field(name="PACKET_LOSS", unit="percent", range="0 to below 100", usual="0",
          meaning="Of a hundred packets in one direction, how many do not arrive; 5 is five percent, 0.05 a twentieth "
                  "of one.",
          read=_loss, harsher="more", ladder=_PERCENT),
    Field(name="PACKET_DUPLICATION", unit="percent", range="0 to 100", usual="0",
          meaning="Of a hundred packets in one direction, how many arrive twice.",
          read=_percent("1"), harsher="more", ladder=_PERCENT),
    Field(name="PACKET_REORDERING", unit="percent", range="0 to 100", usual="0",
          meaning="Of a hundred packets in one direction, how many do not wait for their delay and so overtake others.",
          read=_percent("5"), harsher="more", ladder=_PERCENT),
    Field(name="BANDWIDTH_LIMIT", unit="bits a second", range="1kbps to 100Gbps", usual="as fast as the machine is",
          meaning="Rate of each direction; letters mean bits, also where `tc` would read bytes.",
          read=_rate, write=said_rate, harsher="less", ladder=_RATES),
    Field(name="MIN_BANDWIDTH", unit="bits a second", range="1kbps to 100Gbps", usual="MAX_BANDWIDTH",
          meaning="Where BANDWIDTH_LIMIT is not given: the lower end of the range that the seed draws a rate from.",
          read=_rate, write=said_rate, ladder=_RATES),
    Field(name="MAX_BANDWIDTH", unit="bits a second", range="1kbps to 100Gbps", usual="MIN_BANDWIDTH",
          meaning="The upper end of that range.", read=_rate, write=said_rate, ladder=_RATES),
    Field(name="SECURITY_LEVEL", unit="level", range="1 to 5", usual="the walls of any run",
          meaning="How tight the walls are drawn, by the table of levels.",
          read=_whole(1, 5, "3"), harsher="more", ladder=(1.0, 2.0, 3.0, 4.0, 5.0)),
    Field(name="THREAT_INTENSITY", unit="calls of a hundred", range="0 to 100", usual="0",
          meaning="Of a hundred calls, how many get hostile inputs.",
          read=_whole(0, 100, "30"), harsher="more", ladder=tuple(float(tens) for tens in range(0, 101, 10))),
    Field(name="FAILURE_MODES", unit="words", range="the list of failure modes", usual="none",
          meaning="What goes wrong around the program: a word, words with commas between them, or a list.",
          read=read_failures),
    Field(name="OS_TYPE", unit="word", range=", ".join(SYSTEMS), usual="linux",
          meaning="The system to run on; any but linux is reported as not real, with the reason.", read=_system),
    Field(name="VM_SETTINGS", unit="table", range=", ".join(VM_KEYS), usual="empty",
          meaning="The disk of another system and the machine to start it with.", read=_machine, write=dict),
    Field(name="ENVIRONMENT", unit="table", range="at most 100 variables", usual="empty",
          meaning="Further environment variables that the program finds.", read=_variables, write=dict),
)

FIELDS: Mapping[str, Field] = {row.name: row for row in _ROWS}
"""Every field by its name, in the order of the documentation."""


def field_named(name: object) -> Field:
    """The row of a field; a typed error that lists what is known."""
    row = FIELDS.get(name) if isinstance(name, str) else None
    if row is None:
        raise UsageError(f"{shown(name)}: there is no such field (known: {', '.join(FIELDS)})",
                         field=name[:60] if isinstance(name, str) else None)
    return row
