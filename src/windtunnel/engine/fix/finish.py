"""From what a search found to a result that says no more than was proven."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.randomness import fresh_id
from windtunnel.core.repair import FileEdit, FixResult, FixState, Proposal
from windtunnel.engine.fix import question
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.bench import Bench, Seen
from windtunnel.engine.fix.choose import Weighed
from windtunnel.engine.fix.combine import sentence
from windtunnel.engine.fix.loop import Found
from windtunnel.engine.fix.minimise import smallest
from windtunnel.engine.fix.proof import Proof

_MOST_TRIALS = 3
_MOST_ALTERNATIVES = 5
_DOUBT = "the diff may be a special case of the tests: read it before you take it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What an ending is made of."""

    project: str
    seen: Seen
    """The project as it is."""
    bench: Bench
    prove: Callable[[Base], Proof]
    found: Found
    weighed: Sequence[Weighed]
    again: int = 0
    """How often a fix is asked again before it is proven."""


def finish(ending: Ending) -> FixResult:
    """The best of what passes everything, made small and proven; else the best part of it; else a question."""
    refused: list[str] = []
    doubted: tuple[Weighed, Proof] | None = None
    for one in itertools.islice(ending.weighed, _MOST_TRIALS):
        small = _small(ending, one.plausible.result)
        if not _steady(ending, small):
            refused.append("it passes only now and then")
            continue
        proof = ending.prove(small)
        if not proof.whole:
            refused.append(_why(proof))
        elif one.special or proof.doubts:
            doubted = doubted or (one, proof)
        else:
            return _told(ending, one, proof, state=FixState.FIXED, notes=refused)
    if doubted is not None:
        return _told(ending, *doubted, state=FixState.DOUBTED, notes=refused)
    return _partly(ending, refused) or _unfixed(ending, refused)


def nothing(project: str) -> FixResult:
    """Of a project that does not fail."""
    return FixResult(id=fresh_id(), state=FixState.NOTHING, project=project, reason="all checks pass")


def _small(ending: Ending, base: Base) -> Base:
    tests = tuple(dict.fromkeys((*ending.seen.failing, *ending.seen.passing)))

    def passes(texts: Mapping[str, str]) -> bool:
        less = replace(base.steps[-1], edits=tuple(FileEdit(path=path, text=text) for path, text in texts.items()))
        answers = list(ending.bench.judge([less], tests=tests, stop_at_first_failure=True, stop_after_good=None,
                                          seconds=None))
        return bool(answers) and answers[0].good

    return replace(base, texts=smallest(base, passes))


def _steady(ending: Ending, base: Base) -> bool:
    """Whether it passes the failing tests again and again, where asking costs little."""
    if ending.again < 1 or not base.steps:
        return True
    edits = tuple(FileEdit(path=path, text=text) for path, text in base.texts.items())
    answers = list(ending.bench.judge([replace(base.steps[-1], edits=edits)] * ending.again, tests=ending.seen.failing,
                                      stop_at_first_failure=True, stop_after_good=None, seconds=None))
    return all(answer.good for answer in answers)


def _told(
    ending: Ending, one: Weighed, proof: Proof, *, state: FixState, notes: Sequence[str],
) -> FixResult:
    others = [each for each in ending.weighed if each is not one]
    doubts = proof.doubts if state is FixState.DOUBTED else ()
    special = (f"{_DOUBT} (it decides by {one.special}, which only the tests know)",) if one.special else (
        (_DOUBT,) if doubts else ())
    asked = question.which_is_meant([each.plausible.proposal for each in (one, *others)] if _near(one, others) else ())
    reason = f"passes all {_tests(proof)} tests, {len(ending.seen.failing)} of which failed"
    return _result(
        ending, state, reason, proof=proof, warnings=(*special, *doubts, *_random(ending)), notes=tuple(notes),
        question=asked, alternatives=tuple(dict.fromkeys(each.diff for each in others))[:_MOST_ALTERNATIVES],
        confidence=_confidence(one, ending.weighed, tests=_tests(proof), doubted=state is FixState.DOUBTED))


def _near(one: Weighed, others: Sequence[Weighed]) -> bool:
    """Whether another one is nearly as likely."""
    return any(each.worth > one.worth / 2 and each.plausible.proposal.name != one.plausible.proposal.name
               for each in others)


def _confidence(one: Weighed, every: Sequence[Weighed], *, tests: int, doubted: bool) -> float:
    """Its share of what all that pass are worth, less where few tests had a say, half where it is doubted."""
    share = one.worth / (sum(each.worth for each in every) or 1.0)
    return round(share * tests / (tests + 1) * (0.5 if doubted else 1.0), 3)


def _partly(ending: Ending, refused: Sequence[str]) -> FixResult | None:
    base = ending.found.best
    if base is None:
        return None
    proof = ending.prove(base)
    if not proof.helps:
        return None
    fixed, left = len(proof.result.delta.fixed), len(proof.result.delta.still_failing)
    asked = question.what_is_right(ending.seen.problems, stopped=ending.found.stopped, tried=ending.found.tried)
    return _result(ending, FixState.PARTLY, f"mends {fixed} of {fixed + left} failing tests and breaks none; "
                   f"{ending.found.stopped}", proof=proof, warnings=proof.doubts, notes=tuple(refused), question=asked)


def _unfixed(ending: Ending, refused: Sequence[str]) -> FixResult:
    found = ending.found
    reason = f"what passes the tests is refused by its trial: {refused[0]}" if refused else (
        f"no edit of {found.tried} passes the tests; {found.stopped}" if found.tried else found.stopped)
    asked = question.what_is_right(ending.seen.problems, stopped=found.stopped, tried=found.tried)
    return _result(ending, FixState.UNFIXED, reason, proof=None, warnings=_random(ending), notes=tuple(refused),
                   question=asked)


def _random(ending: Ending) -> tuple[str, ...]:
    """Tests that nobody can judge by."""
    flaky = ending.seen.flaky
    named = ", ".join(flaky[:3])
    return (f"{len(flaky)} failing tests pass now and then with nothing changed, and were left out: {named}",) if (
        flaky) else ()


def _result(
    ending: Ending, state: FixState, reason: str, *, proof: Proof | None, **fields: object,
) -> FixResult:
    found, base = ending.found, proof.base if proof is not None else None
    return FixResult(
        id=fresh_id(), state=state, project=ending.project, reason=reason, diff=base.diff() if base else "",
        changes=base.changes() if base else None, explanation=_explanation(base) if base else (),
        attempts=tuple(found.attempts), tried=found.tried, dropped=found.dropped, problems=ending.seen.problems,
        trial=proof.result if proof is not None else None, level=proof.result.level if proof is not None else None,
        **fields)  # type: ignore[arg-type]  # the fields of a result, by their names


def _explanation(base: Base) -> tuple[str, ...]:
    """The reasons of the edits of which something is left."""
    steps: list[Proposal] = [step for step in base.steps if any(edit.path in base.texts for edit in step.edits)]
    return tuple(dict.fromkeys(line for step in steps for line in sentence(step).splitlines()))


def _why(proof: Proof) -> str:
    reasons = proof.result.reasons if not proof.good else tuple(
        f"still fails: {name}" for name in proof.result.delta.still_failing)
    return "; ".join(reasons[:2])[:300] or "its trial did not end well"


def _tests(proof: Proof) -> int:
    return sum(test.passed for test in proof.result.test_results)
