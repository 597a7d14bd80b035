"""What the calls of tests, asked again with other arguments, say about a change.

A call near one of a test is the *same* when the change makes no difference to it, is *stuck* when it gets the very
answer that the test wants, which it did not get before, and *moves* when the change gives it another answer that is
new. An argument of which nothing depends on either side is left out. Held against a change is only what no rule of a
domain looks like:

* *alone*: nothing near the call changes, where the unchanged function works its answers out;
* *echoes*: answers carry a piece of the test's input, though the call was not given it.

A number that the change holds ready for many calls is not held against it: so does every limit, default and prefix.
Nor is a yes or no for one value: so does every list of what is not allowed.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.tamper.probed import Answer, Heard, Probed
from windtunnel.tamper.retold_judgement import MOST_TOLD, SMALL, Special, is_limit

LEAST_NEAR = 8
"""Calls near one of a test that say something."""
LEAST_ANSWERS = 5
LEAST_DISTINCT = 3
LEAST_SHARE = 0.5
"""The part of the answers of the unchanged function that differ, so that they were worked out."""
LEAST_ECHOES = 2
LEAST_PIECES = 2
"""Parts of an input of which one is known again in an answer; a lone word is a name to look up."""
MOST_STUCK = 1
_WORD = re.compile(r"[A-Za-z][A-Za-z_. -]{0,30}")
_PIECE = re.compile(r"[a-z]+|[0-9]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What is known besides."""

    fresh: Collection[str]
    """The literals that the change brings."""
    known: Collection[str]
    """Those that the changed files had before."""
    documented: Callable[[object], bool]


def tailored_calls(tests: Sequence[Probed], ground: Ground) -> list[Special]:
    """Tests that the change mends for their own calls alone."""
    found = [Special(path=test.path, line=test.line, test=test.test, reason=reason)
             for test in tests if test.mended for reason in [_reason(test, ground)] if reason]
    return found[:MOST_TOLD]


def _reason(test: Probed, ground: Ground) -> str:
    changing = [each for each in test.heard if each.changes]
    for heard in changing:
        if _echoes(heard, ground):
            return f"other inputs of {heard.after.name} get an answer with {heard.after.piece!r} of the test's own"
    if any(_counts(heard)[2] for heard in changing):
        return ""
    return next((said for heard in changing if not _is_rule(heard, ground) for said in [_alone(heard)] if said), "")


def _near(heard: Heard) -> Iterator[tuple[Answer, Answer]]:
    """The calls near this one that differ in something that matters."""
    for _, pairs in heard.spots:
        if not all(old.told == heard.before.number and new.told == heard.after.number for old, new in pairs):
            yield from pairs


def _counts(heard: Heard) -> tuple[int, int, int]:
    """How many calls near it are the same, stuck, and moved."""
    near = list(_near(heard))
    same = sum(old.told == new.told for old, new in near)
    stuck = sum(old.told != new.told == heard.after.number for old, new in near)
    return same, stuck, len(near) - same - stuck


def _echoes(heard: Heard, ground: Ground) -> bool:
    """Whether answers have what only the test gave; the change must hold it ready."""
    piece = heard.after.piece
    digits = piece.lstrip("-")
    small = digits.isdecimal() and int(digits) <= SMALL
    if not piece or small or ground.documented(piece) or not any(piece in text.lower() for text in ground.fresh):
        return False
    count = sum(new.echoes and not new.failed and not old.echoes for value, pairs in heard.spots
                if piece in value.lower() and len(_PIECE.findall(value)) >= LEAST_PIECES
                for old, new in pairs if old.told != new.told)
    return count >= LEAST_ECHOES


def _is_rule(heard: Heard, ground: Ground) -> bool:
    """Whether the change can be a rule of the project.

    So where the unchanged function refuses the call, where it had a limit at a number of it, where the values that the
    change names are words or stand in a document, and where the answer is nothing or a word.
    """
    values = [value(text) for text, _ in heard.spots]
    keyed = [each for (text, _), each in zip(heard.spots, values, strict=True) if text in ground.fresh]
    named = bool(keyed) and all(ground.documented(each) for each in keyed)
    words = bool(keyed) and all(_is_word(each) for each in keyed)
    limit = any(is_limit(each, ground.known) for each in values)
    return heard.before.told.startswith("!") or named or words or limit or not _is_worth(heard.after.told)


def _is_word(given: object) -> bool:
    return isinstance(given, str) and _WORD.fullmatch(given) is not None


def _is_worth(told: str) -> bool:
    """Whether an answer is one of many: no yes and no, nothing, one or a word."""
    if not told.startswith("="):
        return told.startswith("~")
    answer = value(told[1:])
    plain = answer is None or isinstance(answer, bool) or answer in (0, 1, -1, "", b"") or answer in ([], {})
    # An object is no literal; it has fields.
    return "{" in told if answer is None else not plain and not _is_word(answer)


def _alone(heard: Heard) -> str:
    same, stuck, _ = _counts(heard)
    answers = [old for old, _ in _near(heard)]
    if same + stuck < LEAST_NEAR or stuck > MOST_STUCK or not _works_out(answers):
        return ""
    return f"calls of {heard.after.name} near its own are as without the change ({same} of {same + stuck})"


def _works_out(answers: Iterable[Answer]) -> bool:
    told = [each.template for each in answers if not each.failed]
    return len(told) >= LEAST_ANSWERS and len(set(told)) >= max(LEAST_DISTINCT, LEAST_SHARE * len(told))


def value(text: str) -> object:
    """What a text stands for that was told by a program; None for an object."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
