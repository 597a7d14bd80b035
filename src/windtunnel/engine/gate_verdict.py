"""From the fates of a change's mutants and of its parts put back to a verdict, each rule with its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.gate import GateResult, GateState, GateVerdict, Revert, Survivor, Thresholds
from windtunnel.core.mutation import Fate, Judged, MutationResult
from windtunnel.engine.reverts import OPERATOR
from windtunnel.mutation.encoding import encoding_of

_MOST_SHOWN = 4000
_UNKNOWN = (Fate.TIMEOUT, Fate.FAILED, Fate.NOT_JUDGED)
_UNNOTICED = (Fate.SURVIVED, Fate.UNTESTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a verdict rests on."""

    told: MutationResult
    reverts: tuple[Revert, ...]
    whole: Revert
    """All of the change put back."""
    sources: Mapping[str, bytes]
    """The changed files, as they are after the change."""
    lines: Mapping[str, frozenset[int]]
    """Their changed lines."""
    only_deletes: bool

    @property
    def mutants(self) -> list[Judged]:
        """Those that are no parts put back."""
        return [one for one in self.told.judged if one.mutant.operator != OPERATOR]

    @property
    def hollow(self) -> bool | None:
        """Whether no test fails without the change; a part that is missed is enough where the whole cannot be told."""
        if self.whole.fate is Fate.KILLED:
            return False
        if self.whole.fate in _UNNOTICED:
            return True
        return False if any(each.fate is Fate.KILLED for each in self.reverts) else None


def nothing(
    state: GateState, *, thresholds: Thresholds, notes: Sequence[str] = (), told: MutationResult | None = None,
) -> GateResult:
    """No verdict, and why."""
    aside = () if told is None else _aside(told)
    return GateResult(verdict=GateVerdict.NOTHING_JUDGED, state=state, reasons=(str(state),), thresholds=thresholds,
                      notes=tuple(notes), tests=0 if told is None else told.tests, set_aside=aside)


def weighed(evidence: Evidence, thresholds: Thresholds) -> GateResult:
    """The verdict."""
    counts = Counter(one.fate for one in evidence.mutants)
    state, verdict, reasons = _decided(evidence, counts, thresholds)
    told = sum(counts[fate] for fate in Fate if fate.counts)
    return GateResult(
        verdict=verdict, state=state, reasons=reasons, score=counts[Fate.KILLED] / told if told else None,
        counts={fate: counts[fate] for fate in Fate if counts[fate]}, survivors=tuple(_survivors(evidence)),
        untested=_untested(evidence), reverts=_told_once(evidence), hollow=evidence.hollow, tests=evidence.told.tests,
        set_aside=_aside(evidence.told), weak=evidence.told.weak, thresholds=thresholds, notes=evidence.told.notes)


def _decided(
    evidence: Evidence, counts: Mapping[Fate, int], thresholds: Thresholds,
) -> tuple[GateState, GateVerdict, tuple[str, ...]]:
    """Against it first; then what is not known; good is what is left."""
    state = _state(evidence, counts)
    against = [*_hollow(evidence, thresholds), *_score(counts, thresholds)]
    if against and not (state is GateState.DELETES_ONLY and evidence.hollow):
        return state, GateVerdict.NOT_GOOD, tuple(against)
    unsure = list(_unsure(evidence, counts, thresholds))
    if state is GateState.NONE_COUNTS or unsure:
        known = state if state is not GateState.JUDGED else GateState.UNSURE
        return known, GateVerdict.NOTHING_JUDGED, (str(known), *unsure)
    if state is not GateState.JUDGED and evidence.hollow is not False:
        return state, GateVerdict.NOTHING_JUDGED, (str(state), "no test fails without the change")
    return state, GateVerdict.GOOD, tuple(_noticed(evidence, counts))


def _state(evidence: Evidence, counts: Mapping[Fate, int]) -> GateState:
    if evidence.only_deletes:
        return GateState.DELETES_ONLY
    if not set(counts) - {Fate.SAME}:
        return GateState.NO_MUTANTS
    return GateState.JUDGED if any(fate.counts for fate in counts) else GateState.NONE_COUNTS


def _hollow(evidence: Evidence, thresholds: Thresholds) -> Iterator[str]:
    if evidence.hollow and thresholds.hollow == "deny":
        yield "hollow: no test fails without the change"


def _score(counts: Mapping[Fate, int], thresholds: Thresholds) -> Iterator[str]:
    """Only what holds even if all that is not known had been noticed."""
    killed, unnoticed, unknown = _sums(counts)
    every = killed + unnoticed + unknown
    if every and (killed + unknown) / every < thresholds.least:
        yield f"score {killed / (killed + unnoticed):.2f}, below {thresholds.least:g}: {_shares(counts)}"
    most = thresholds.most_survivors
    if most is not None and unnoticed > most:
        yield f"{unnoticed} seeded defects went unnoticed, more than {most}"


def _unsure(evidence: Evidence, counts: Mapping[Fate, int], thresholds: Thresholds) -> Iterator[str]:
    """What could have turned the verdict."""
    killed, unnoticed, unknown = _sums(counts)
    every, most = killed + unnoticed + unknown, thresholds.most_survivors
    short = bool(every) and killed / every < thresholds.least
    if unknown and (short or (most is not None and unnoticed + unknown > most)):
        yield f"{unknown} of {every} seeded defects timed out, could not be tried or had no turn"
    if evidence.hollow is None and thresholds.hollow == "deny":
        yield f"whether a test fails without the change could not be told ({evidence.whole.fate})"


def _sums(counts: Mapping[Fate, int]) -> tuple[int, int, int]:
    killed, unnoticed, unknown = (sum(counts.get(fate, 0) for fate in fates)
                                  for fates in ((Fate.KILLED,), _UNNOTICED, _UNKNOWN))
    return killed, unnoticed, unknown


def _shares(counts: Mapping[Fate, int]) -> str:
    killed, unnoticed, _ = _sums(counts)
    return f"{killed} of {killed + unnoticed} seeded defects in changed lines noticed"


def _noticed(evidence: Evidence, counts: Mapping[Fate, int]) -> Iterator[str]:
    if any(fate.counts for fate in counts):
        yield _shares(counts)
    first = next((each for each in (evidence.whole, *evidence.reverts) if each.fate is Fate.KILLED), None)
    if first is not None:
        yield f"{first.by or 'a test'} fails without {'the change' if first.part == 'change' else 'a part of it'}"


def _survivors(evidence: Evidence) -> Iterator[Survivor]:
    for one in evidence.mutants:
        if one.fate in _UNNOTICED:
            mutant = one.mutant
            source = evidence.sources[mutant.path]
            yield Survivor(
                path=mutant.path, line=mutant.line, operator=mutant.operator, description=mutant.description,
                fate=one.fate, diff=diff(source, mutant.start, mutant.end, new=_stored(one, source)))


def _stored(one: Judged, source: bytes) -> bytes:
    return one.mutant.replacement.encode(encoding_of(source, path=one.mutant.path))


def diff(source: bytes, start: int, end: int, *, new: bytes) -> str:
    """Whole lines of a file without and with other bytes between two offsets."""
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", max(end - 1, start))
    last = len(source) if last < 0 else last
    old_text, new_text = source[first:last], source[first:start] + new + source[end:last]
    lines = [f"{sign}{line.decode('utf-8', 'replace')}" for sign, text in (("-", old_text), ("+", new_text))
             for line in text.splitlines() if text.strip()]
    return "\n".join(lines)[:_MOST_SHOWN]


def _untested(evidence: Evidence) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for one in evidence.mutants:
        if one.fate is Fate.UNTESTED:
            span = set(range(one.mutant.line, one.mutant.end_line + 1))
            found.setdefault(one.mutant.path, set()).update(span & evidence.lines[one.mutant.path])
    for each in evidence.reverts:
        if each.fate is Fate.UNTESTED:
            span = set(range(each.line, each.end_line + 1))
            found.setdefault(each.path, set()).update(span & evidence.lines[each.path])
    return {path: tuple(sorted(lines)) for path, lines in sorted(found.items()) if lines}


def _told_once(evidence: Evidence) -> tuple[Revert, ...]:
    """The whole first; of one file it stands for that file."""
    rest = tuple(each for each in evidence.reverts if not (evidence.whole.path and each.part == "file"))
    return evidence.whole, *rest


def _aside(told: MutationResult) -> tuple[str, ...]:
    return (*told.failing, *told.flaky, *told.dependent)
