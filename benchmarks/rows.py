"""One line of the table, and what was hoped of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from benchmarks.timing import NotRun, Timing

MILLISECONDS = 1000.0
Compared: TypeAlias = Literal["ratio", "difference", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound on a row's figure."""

    limit: float
    least: bool = False
    """Whether more is better."""

    def met(self, figure: float) -> bool:
        return figure >= self.limit if self.least else figure <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement, or the reason why there is none."""

    group: str
    name: str
    value: float | None = None
    """The median, where there were several."""
    unit: str = "ms"
    p99: float | None = None
    beside: str = ""
    """What it is compared with, measured in the same run."""
    other: float | None = None
    of: Compared = "ratio"
    """What counts: the ratio to what stands beside, the difference to it, or the value itself."""
    target: Target | None = None
    note: str = ""
    """The walls it ran in, and whatever else the number does not say."""
    missing: str | None = None
    """Why it was not run."""
    failed: bool = False
    """Whether that is our own failure rather than a tool that is not here."""
    contender: str = ""
    """For peers: whether its start was ``warm`` or ``fresh``, to be set against ours of the same sort."""

    @property
    def figure(self) -> float | None:
        """What the target is about."""
        if self.value is None or self.of == "value":
            return self.value
        if self.other is None:
            return None
        return self.value / self.other if self.of == "ratio" else self.value - self.other

    @property
    def met(self) -> bool | None:
        """None where nothing was hoped for or nothing measured."""
        return None if self.target is None or self.figure is None else self.target.met(self.figure)


def timing_row(
    times: Mapping[str, Timing | NotRun], key: str, *, group: str, name: str, bare: str, beside: str,
    of: Compared = "ratio", target: Target | None = None, note: str = "", ours: bool = True, contender: str = "",
) -> Row:
    """The row of one contender of an interleaved measurement, in milliseconds, beside another of them."""
    mine, other = times[key], times[bare]
    if isinstance(mine, NotRun) or isinstance(other, NotRun):
        why = mine if isinstance(mine, NotRun) else other
        return Row(group=group, name=name, missing=str(why), failed=ours, note=note)
    return Row(
        group=group, name=name, value=mine.median * MILLISECONDS, p99=mine.p99 * MILLISECONDS, beside=beside,
        other=other.median * MILLISECONDS, of=of, target=target, note=note, contender=contender)
