"""Figures for whoever watches: families of samples, and the text format 0.0.4 that Prometheus reads.

What holds: each line is whole whatever a label says, a name that the format does not know is refused when the family is
made, and so are two samples of the same name and labels, which a reader would take for one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from windtunnel.core.errors import UsageError

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]*")
_MOST_LABEL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One figure."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""
    """What a histogram puts behind its name: ``_bucket``, ``_sum`` or ``_count``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """All figures of one name."""

    name: str
    kind: Kind
    words: str
    """What it counts, and in which unit."""
    samples: tuple[Sample, ...]

    def __post_init__(self) -> None:
        """Refuse what a reader would not take."""
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"name: {self.name[:60]!r} is not the name of a metric (letters, digits, _ and :)",
                             field="name")
        for label in {name for sample in self.samples for name in sample.labels}:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"labels: {label[:60]!r} is not the name of a label (letters, digits and _)",
                                 field="labels")
        keys = [(sample.suffix, tuple(sorted(sample.labels.items()))) for sample in self.samples]
        if len(set(keys)) != len(keys):
            raise UsageError(f"samples: two of {self.name} have the same labels", field="samples")


def gauge(name: str, value: float, *, words: str) -> Family:
    """A figure that goes up and down."""
    return Family(name=name, kind="gauge", words=words, samples=(Sample(value=value),))


def by_label(name: str, found: Mapping[str, float], *, label: str, kind: Kind, words: str) -> Family:
    """One figure for each value of a label."""
    return Family(name=name, kind=kind, words=words, samples=tuple(
        Sample(value=value, labels={label: key}) for key, value in sorted(found.items())))


def histogram(name: str, counts: Sequence[int], *, bounds: Sequence[float], total: float, words: str) -> Family:
    """``counts`` holds how many fell into each bucket, and last those above all ``bounds``; ``total`` is their sum."""
    ends = [*(_number(bound) for bound in bounds), "+Inf"]
    below = [sum(counts[:at + 1]) for at in range(len(ends))]
    return Family(name=name, kind="histogram", words=words, samples=(
        *(Sample(value=count, labels={"le": end}, suffix="_bucket") for end, count in zip(ends, below, strict=True)),
        Sample(value=total, suffix="_sum"), Sample(value=below[-1], suffix="_count")))


def exposition(families: Iterable[Family]) -> str:
    """The text; families without samples are left out, as the format has no way to say nothing."""
    told: set[str] = set()
    lines: list[str] = []
    for family in families:
        if family.name in told:
            raise UsageError(f"name: two families are named {family.name}", field="name")
        told.add(family.name)
        lines += _lines(family) if family.samples else []
    return "".join(f"{line}\n" for line in lines)


def _lines(family: Family) -> list[str]:
    words = family.words.replace("\\", r"\\").replace("\n", r"\n")
    return [f"# HELP {family.name} {words}", f"# TYPE {family.name} {family.kind}",
            *(f"{family.name}{one.suffix}{_labels(one.labels)} {_number(one.value)}" for one in family.samples)]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    whole = value[:_MOST_LABEL].encode("utf-8", "replace").decode()
    return whole.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))  # noqa: PLR2004
