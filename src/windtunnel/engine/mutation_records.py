"""What the runner of mutants tells, as a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.core.mutation import Fate, Judged, Mutant, MutationResult, State, Weakness, WeakTest
from windtunnel.engine.mutation_order import estimate

_STATES = {state.value: state for state in State}
_ENDED = ("done", "time is over")
_MOST_TEXT = 1000
NOT_COLLECTED = ": could not be collected"
Record = Mapping[str, Any]


class Hearing:
    """Tells of fates as they come; each mutant once."""

    def __init__(self, found: Sequence[Mutant], tell: Callable[[int, int, Judged], None] | None, *, total: int) -> None:
        """``tell`` hears how many fates there are by now, and how many there will be."""
        self.found, self.tell, self.total = found, tell, total
        self.heard: set[str] = set()

    def __call__(self, record: Record) -> bool:
        """Never asks for an end."""
        judged = judged_of(record, self.found) if record.get("kind") == "fate" else None
        if judged is not None and self.tell is not None and judged.mutant.id not in self.heard:
            self.heard.add(judged.mutant.id)
            self.tell(len(self.heard), self.total, judged)
        return False


def judged_of(record: Record, found: Sequence[Mutant]) -> Judged | None:
    """One fate, if it is one."""
    number, fate = record.get("mutant"), record.get("fate")
    if not isinstance(number, int) or not 0 <= number < len(found) or fate not in list(Fate):
        return None
    seconds, reached = record.get("seconds"), record.get("reached")
    return Judged(
        mutant=found[number], fate=Fate(str(fate)), by=_text(record, "by"), way=_text(record, "way"),
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        reached=reached if isinstance(reached, int) else 0, tests=tuple(_texts(record, "tests")),
        footprint=_text(record, "footprint"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All that was told in one run of the runner, or in several when it was ended from inside."""

    records: tuple[Record, ...]

    @property
    def ended(self) -> bool:
        """Whether the runner came to its own end."""
        return bool(self._of("end"))

    def open(self) -> set[int]:
        """Mutants that were being tried and have no fate."""
        judged = {record.get("mutant") for record in self._of("fate")}
        return {record["mutant"] for record in self._of("trying") if isinstance(record.get("mutant"), int)} - judged

    def judged(self) -> set[int]:
        """Mutants that have a fate."""
        return {record["mutant"] for record in self._of("fate") if isinstance(record.get("mutant"), int)}

    def result(self, found: Sequence[Mutant], *, harmful: Iterable[int] = ()) -> MutationResult:
        """What it says; of a mutant with several fates the last one counts, as it was found with more care.

        ``harmful`` ended the runner itself, and could not be tried.
        """
        fates = self._fates(found)
        for number in harmful:
            fates[found[number].id] = Judged(mutant=found[number], fate=Fate.FAILED)
        judged = tuple(fates.get(mutant.id, Judged(mutant=mutant, fate=Fate.NOT_JUDGED)) for mutant in found)
        end = self._of("end")[-1] if self.ended else {}
        return MutationResult(
            state=_state(str(end.get("state", "")), judged), judged=judged, tests=self._number("clean", "passing"),
            failing=self._named("failing"), flaky=self._named("flaky"), dependent=self._named("dependent"),
            compared=self._number("compared", "count"), differing=self._number("compared", "differing"),
            notes=tuple(self._notes(end, harmful=len(list(harmful)))), weak=self._weak(), estimate=estimate(judged),
            tries=len({record.get("mutant") for record in self._of("trying")} & set(range(len(found)))))

    def _fates(self, found: Sequence[Mutant]) -> dict[str, Judged]:
        fates: dict[str, Judged] = {}
        for record in self._of("fate"):
            one = judged_of(record, found)
            if one is not None:
                before = fates.get(one.mutant.id)
                more = before.tests if before is not None and before.fate is one.fate else ()
                fates[one.mutant.id] = replace(one, tests=tuple(dict.fromkeys((*more, *one.tests))))
        return fates

    def _of(self, kind: str) -> list[Record]:
        return [record for record in self.records if record.get("kind") == kind]

    def _number(self, kind: str, name: str) -> int:
        return max((value for record in self._of(kind) if isinstance(value := record.get(name), int)), default=0)

    def _named(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for record in self._of("clean") for text in _texts(record, name)))

    def _weak(self) -> tuple[WeakTest, ...]:
        return tuple(WeakTest(test=_text(record, "test"), reason=Weakness(_text(record, "reason")),
                              reached=int(record.get("reached", 0)))
                     for record in self._of("weak") if _text(record, "reason") in list(Weakness))

    def _notes(self, end: Record, *, harmful: int) -> Iterable[str]:
        for name in dict.fromkeys(text for record in self._of("collected") for text in _texts(record, "broken")):
            file, _, reason = name.partition("\t")
            yield f"{file}{NOT_COLLECTED}" + (f" ({reason})" if reason else "")
        yield from dict.fromkeys(_text(record, "what") for record in self._of("note"))
        writing = self._named("writing")
        if writing:
            yield (f"{len(writing)} tests write into the project ({', '.join(writing[:3])}); its files were put back "
                   f"after each of them")
        if harmful:
            yield f"{harmful} mutants ended the process that judges, and could not be tried"
        if end.get("state") == "time is over":
            yield "the time was over before all were judged"


def _state(told: str, judged: Sequence[Judged]) -> State:
    if told in _ENDED:
        return State.JUDGED if any(one.fate.counts for one in judged) else State.NONE_COUNTS
    return _STATES.get(told, State.BROKEN)


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def _texts(record: Record, name: str) -> list[str]:
    value = record.get(name)
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
