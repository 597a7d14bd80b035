"""New decisions of a change that go by a constant which is an input of a test: what each of them is worth knowing.

Nobody can tell by reading whether a branch for one value is a rule of the domain or was made for a test. What can be
told is said: which line decides by which value, which test uses it, whether the project knows the value otherwise,
what changes for it alone, and which tests passed because of it. It blocks only where all of that speaks against it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.tamper.decision import Decision, How
from windtunnel.tamper.decisions import plain_pattern
from windtunnel.tamper.derivations import is_digest
from windtunnel.tamper.effects import Effect
from windtunnel.tamper.literals import TRIVIAL
from windtunnel.tamper.mentions import Mentions
from windtunnel.tamper.rule import Site
from windtunnel.tamper.special import MOSTLY, sampled
from windtunnel.tamper.tailored import NAMING, PAIR
from windtunnel.tamper.uses import Use, Uses, distinct

RULE = "decides-by-test-input"
LEAST_PART = 3
"""Characters of a part of a text that tells it from others."""
MOST_SHARE = 0.25
"""The part of all texts of the tests that may hold what still tells one of them apart."""
FEW = 2
"""Texts that may hold it in any case."""
SMALL = 3
"""Numbers up to here are counts of things."""
COMMON = 12
"""Numbers up to here are met in most tests."""
LARGE = 999
MOST_NAMED = 3
_DOES: dict[How, str] = {"answer": "answers with"}
_DIGIT = re.compile(r"\d")
_MEANS: dict[How, str] = {
    "whole": "an input of", "row": "an input of", "part": "a part of an input of", "pattern": "which fits an input of",
    "length": "the length of an input of", "answer": "as it is wanted by",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """A decision, and the tests that use its value."""

    decision: Decision
    uses: tuple[Use, ...]
    expected: bool
    """Whether the decision answers with what such a test holds."""


class Matcher:
    """Finds the tests that a decision was made for, if any."""

    def __init__(self, uses: Uses, fixed: Collection[str] | None) -> None:
        """``fixed`` are tests that pass with the change and did not before; None where nobody knows."""
        self.uses = uses
        self.fixed = None if fixed is None else [_title(name) for name in fixed]
        self.names = fixed or ()

    def is_fixed(self, test: str) -> bool:
        """Whether a test of this name passes because of the change, as far as that is known."""
        return self.fixed is None or test in self.fixed

    def hit(self, decision: Decision, *, own: Collection[str]) -> Hit | None:
        """``own`` are the names that the file of the decision makes."""
        if decision.how == "answer" and not _is_rich(decision.value):
            return None
        used = self.uses.expecting(decision.value) if decision.how == "answer" else self._used(decision)
        found = [use for use in used if self._gained(use) and self._near(decision, use, own)]
        uses = tuple(distinct(found))
        if not uses:
            return None
        answer = decision.answer or "None"
        expected = answer not in TRIVIAL and any(answer in self.uses.answers(use) for use in uses)
        return Hit(decision, uses, expected) if expected or not _is_usual(decision) else None

    def _used(self, decision: Decision) -> list[Use]:
        held = decision.value
        if isinstance(held, bool) or held is None or held == "":
            return []
        if isinstance(held, str | bytes):
            return self._text(decision, held if isinstance(held, str) else held.decode("latin-1"))
        if isinstance(held, tuple):
            return self._several(held)
        if not isinstance(held, int | float):
            return []
        return self._number(decision, held)

    def _number(self, decision: Decision, held: float) -> list[Use]:
        if decision.how == "length":
            return self.uses.sized(int(held)) if held > SMALL else []
        found = self.uses.whole(held)
        if not found and abs(held) > COMMON and decision.worked_out:
            found = self.uses.derived(held)
        return found

    def _text(self, decision: Decision, held: str) -> list[Use]:
        if decision.how == "pattern":
            runs = sorted(plain_pattern(held), key=len)[-1:]
            found = [use for run in runs if len(run) > LEAST_PART for use in self._holding(run)]
            return found or self.uses.fitting(held)
        found = self.uses.whole(held)
        if not found and decision.how == "part":
            found = self._holding(held) if len(held.strip()) >= LEAST_PART else self.uses.made_up_of(held)
        if not found and is_digest(held):
            found = self.uses.digested(held)
        return found or (self.uses.composed(held) if decision.how in ("row", "whole", "part") else [])

    def _holding(self, part: str) -> list[Use]:
        found = self.uses.holding(part)
        return found if len({use.text for use in found}) <= FEW or self.uses.share(part) <= MOST_SHARE else []

    def _several(self, held: tuple[object, ...]) -> list[Use]:
        texts = {repr(each) for each in _scalars(held)} - TRIVIAL
        found = self.uses.whole(held) or self.uses.by_text.get(repr(list(held)), [])
        if found or not texts:
            return found
        first = max(texts, key=len)
        return [use for use in self.uses.by_text.get(first, ()) if texts <= self.uses.answers(use)]

    def _near(self, decision: Decision, use: Use, own: Collection[str]) -> bool:
        """Whether the test speaks of the code that decides; small numbers are the same everywhere."""
        held = decision.value
        if isinstance(held, str) or (isinstance(held, int | float) and abs(held) > LARGE):
            return True
        if (isinstance(held, int | float) and abs(held) <= COMMON) or NAMING.search(decision.subject):
            return self.uses.speaks(use, {decision.function})
        return self.uses.speaks(use, own)

    def _gained(self, use: Use) -> bool:
        if self.fixed is None or use.test:
            return self.is_fixed(use.test)
        stem = use.path.rpartition("/")[2].partition(".")[0]
        shared = stem == "conftest" or not stem.startswith("test")
        return bool(self.fixed) and (shared or any(stem in name for name in self.names))


    def told(self, hit: Hit) -> str:
        """Which tests pass because of it, as far as that is known."""
        named = [use.test for use in hit.uses if use.test and self.fixed is not None]
        return f"{_listed(named)} did not pass before" if named else ""


def _scalars(held: object) -> Iterator[object]:
    for each in held if isinstance(held, tuple | list) else ():
        if isinstance(each, tuple | list):
            yield from _scalars(each)
        else:
            yield each


def _is_rich(answer: object) -> bool:
    """Whether an answer is hardly met by chance: no word, no small or round number."""
    if isinstance(answer, str):
        return len(answer) >= LEAST_PART and bool(_DIGIT.search(answer)) and not answer.isdigit()
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return isinstance(answer, list | tuple) and len(answer) > 1
    return abs(answer) > COMMON and answer != round(answer, -2) if abs(answer) <= LARGE else True


def _is_usual(decision: Decision) -> bool:
    """Whether code decides by such values anyway: base cases, counts of a few, single signs."""
    held = decision.value
    if isinstance(held, str):
        return len(held.strip()) <= 1
    return repr(held) in TRIVIAL or (isinstance(held, int) and abs(held) <= SMALL)


def _title(name: str) -> str:
    last = name.rsplit("::", maxsplit=1)[-1].rsplit(" > ", maxsplit=1)[-1].partition("[")[0]
    return last if " " in last else last.rpartition(".")[2]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def grouped(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Hits that are one thing to read: those of one table, or of one line."""
    found: dict[tuple[str, int, int], list[Hit]] = {}
    for hit in hits:
        group = hit.decision.group
        found.setdefault((hit.decision.function, group, 0 if group else hit.decision.line), []).append(hit)
    return list(found.values())


def site_of(hits: Sequence[Hit], *, matcher: Matcher, mentions: Mentions, effect: Effect, extends: bool) -> Site:
    """One thing to read; ``extends`` says that the function knew other values of this kind before."""
    first = hits[0]
    decision = first.decision
    values = list(dict.fromkeys(f"{hit.decision.value!r:.60}" for hit in hits))
    known = [mentions.where(hit.decision.value) for hit in hits]
    known_text = (
        "stands nowhere else in the project" if all(each == "" for each in known)
        else f"stands in {next(each for each in known if each)} too" if any(known) else "")
    parts = [
        f"{decision.function or 'the file'} {_DOES.get(decision.how, 'decides by')} {_listed(values)}, "
        f"{_MEANS[decision.how]} "
        f"{first.uses[0].place}" + (f" and {len(first.uses) - 1} more" if len(first.uses) > 1 else ""),
        known_text, "answers as the test expects" if _is_expected(hits) else "", effect.told,
        matcher.told(first),
    ]  # fmt: skip
    nowhere = all(each == "" for each in known)
    made = effect.alone and not extends and all(map(_constant, hits))
    certain = matcher.fixed is not None and nowhere and (made or _is_copied(hits))
    return Site(
        rule=RULE,
        message="; ".join(part for part in parts if part),
        key=f"{RULE} {decision.function} {values}",
        line=decision.line,
        severity="block" if certain else "show",
        evidence=decision.evidence,
        subject=decision.function,
    )


def _is_copied(hits: Sequence[Hit]) -> bool:
    """Whether most rows of a table are inputs of tests that nobody meets by chance, with the answers that they want."""
    rows = [hit for hit in hits if hit.decision.how == "row" and hit.decision.rows > 1]
    copied = [hit for hit in rows if hit.expected and sampled(repr(hit.decision.value))]
    return len(copied) >= PAIR and len(copied) >= max(hit.decision.rows for hit in rows) * MOSTLY


def _is_expected(hits: Iterable[Hit]) -> bool:
    return any(hit.expected and hit.decision.how != "answer" for hit in hits)


def _constant(hit: Hit) -> bool:
    """Whether a branch answers with constants that mean something."""
    answer = hit.decision.answer
    if answer is None or hit.decision.how in ("row", "answer"):
        return False
    return hit.expected or (answer not in TRIVIAL and not answer.startswith("raises") and answer != "nothing")
