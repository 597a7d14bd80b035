"""What came of asking for fixes, program by program, and the rows that tell it.

- **repaired**: a diff that passes every visible test was offered, with or without a warning (``fixed``, ``doubted``);
- **right**: that first diff also behaves as the good program does, in what no visible test asks;
- **wrong claim**: offered as ``fixed``, without a warning, and not right;
- **abstained**: no such diff was offered.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from benchmarks.timing import reason
from windtunnel.core.repair import FixResult, FixState

GROUP = "repair"
BUDGET_SECONDS = 60.0
_NAMED = 12
_NOTE = "of diffs that pass every visible test, the first; told by generated inputs that no test has"
Fix = Callable[..., FixResult]
"""``Tunnel.fix``, or what stands in for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Of one program."""

    name: str
    kind: str
    state: str
    seconds: float
    right: bool | None = None
    """None where no diff was offered."""
    told: str = ""
    """What tells the diff from the good program, or why there was none."""
    tried: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files as the diff leaves them."""

    @property
    def repaired(self) -> bool:
        return self.state in {FixState.FIXED, FixState.DOUBTED} and self.right is not None

    @property
    def wrong_claim(self) -> bool:
        return self.state == FixState.FIXED and self.right is False

    @property
    def abstained(self) -> bool:
        return not self.repaired


def ask(fix: Fix, project: Path, *, name: str, kind: str, differs: Callable[[Mapping[str, str]], str],
        **options: Any) -> Outcome:  # noqa: ANN401 -- the door's own
    """One fix, timed; ``differs`` says of the new texts what is wrong with them, or nothing."""
    began = time.perf_counter()
    try:
        result = fix(project, **options)
    except Exception as error:  # noqa: BLE001 -- our own failure is an outcome, and is named
        return Outcome(name=name, kind=kind, state="failed", seconds=time.perf_counter() - began, told=reason(error))
    seconds = time.perf_counter() - began
    texts = new_texts(result)
    if not texts or result.state not in {FixState.FIXED, FixState.DOUBTED}:
        return Outcome(name=name, kind=kind, state=str(result.state), seconds=seconds, told=result.reason,
                       tried=result.tried)
    told = differs(texts)
    return Outcome(name=name, kind=kind, state=str(result.state), seconds=seconds, right=not told, told=told,
                   tried=result.tried, texts=texts)


def new_texts(result: FixResult) -> dict[str, str]:
    """Each file that the diff writes, as it is then."""
    return {change.relative_path: change.data.decode("utf-8", "replace")
            for change in result.changes or () if change.operation != "delete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hopes:
    """In percent, and seconds; None where nothing was hoped."""

    repaired: float | None = None
    right: float | None = None
    kinds: Mapping[str, float] = field(default_factory=dict)
    """The least share of right first diffs, by kind."""
    seconds: float | None = None


def rows(
    part: str, those: Sequence[Outcome], *, hopes: Hopes, note: str = _NOTE, by_kind: bool = True,
) -> Iterator[Row]:
    """All that is told of a part of the corpus."""
    yield _share(f"{part}: repaired", those, [one.repaired for one in those], least=hopes.repaired, note=_states(those))
    yield _share(f"{part}: first diff right", those, [bool(one.right) for one in those], least=hopes.right,
                 note=f"{note}; not: {_named(one for one in those if not one.right)}")
    for kind in sorted({one.kind for one in those}) if by_kind else ():
        of_kind = [one for one in those if one.kind == kind]
        yield _share(f"{part}: first diff right, {kind}", of_kind, [bool(one.right) for one in of_kind],
                     least=hopes.kinds.get(kind), note=f"repaired {sum(one.repaired for one in of_kind)}")
    yield _count(f"{part}: wrong claims", [one for one in those if one.wrong_claim], target=Target(limit=0))
    yield _count(f"{part}: abstained", [one for one in those if one.abstained])
    times = [one.seconds for one in those] or [0.0]
    yield Row(group=GROUP, name=f"{part}: time of a fix", value=statistics.median(times), p99=max(times), unit="s",
              of="value", target=_at_most(hopes.seconds), note=f"one after the other; "
              f"{statistics.median([one.tried for one in those] or [0]):g} proposals judged in the median one")


def _share(name: str, those: Sequence[Outcome], held: Iterable[bool], *, least: float | None, note: str) -> Row:
    count = sum(held)
    return Row(group=GROUP, name=name, value=100 * count / max(1, len(those)), unit="%", of="value",
               target=None if least is None else Target(limit=least, least=True),
               note=f"{count} of {len(those)}; {note}")


def _count(name: str, those: Sequence[Outcome], *, target: Target | None = None) -> Row:
    return Row(group=GROUP, name=name, value=len(those), unit="faults", of="value", target=target,
               note=_named(those) or "none")


def _named(those: Iterable[Outcome]) -> str:
    names = [one.name for one in those]
    return ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")


def _states(those: Sequence[Outcome]) -> str:
    states = sorted({one.state for one in those})
    return ", ".join(f"{sum(one.state == state for one in those)} {state}" for state in states)


def _at_most(seconds: float | None) -> Target | None:
    return None if seconds is None else Target(limit=seconds)


def scratch(ground: Ground, name: str) -> Path:
    """A folder of this name that is not there yet."""
    made = ground.folder / "repair" / name
    made.parent.mkdir(parents=True, exist_ok=True)
    return made
