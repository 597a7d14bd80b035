"""What tells a right edit from a wrong one beside how natural it reads: layout, the compiler's words, a file's habits.

Each feature is a name and a value; ``ranking`` has a learned weight for each name. Names say nothing of the code.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from windtunnel.repair.syntax.edits import Candidate, Window
from windtunnel.repair.syntax.tokens import CLOSERS, KEYWORDS, OPENERS

_WORD = re.compile(r"\w+|[^\w\s]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\bline \d+|\d+")
_DETAIL = re.compile(r"\(.*|, |on line.*")
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_CODE = re.compile(r"\w\(|\) *[:,]|= *$|\w, \w+=|^[\s,)]+$|\] *=|^, ")
_MARKED = re.compile(r"\w['\"]\W|\W['\"]\w")
_MARKS = frozenset("'\"")
_AROUND = 30_000
"""Characters on either side of a region whose habits count."""
_SCALE = 4.0
_MOST_GAIN = 3.0
_STEPS = (0, 1, 2, 3, 5, 8, 15, 30)
_OPERATORS = frozenset(("+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "is", "|", "&",
                        "//", "**", "not", "^", "<<", ">>"))
_SHORT, _NEAR, _REACH = 16, 4, 40


class Habits:
    """The window with what is counted once for all its candidates."""

    def __init__(self, window: Window) -> None:
        """Of a fault."""
        self.window = window
        self.starts = [token.start for token in window.tokens]
        message = window.region.fault.message
        self.message = _DETAIL.sub("", _QUOTED.sub("_", message)).strip()[:40]
        said = re.search(r"'(.)' was never", message)
        self.never = said[1] if said else ""

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        """How often two words stand side by side around the region."""
        region, whole = self.window.region, self.window.whole
        words = _WORD.findall(whole[max(0, region.start - _AROUND) : region.end + _AROUND])
        return Counter(itertools.pairwise(words))

    def index(self, at: int) -> int:
        """The first token that starts at or after a character."""
        return bisect.bisect_left(self.starts, at)


def features(habits: Habits, candidate: Candidate) -> Iterator[tuple[str, float]]:
    """Names and values of one candidate."""
    kind = _kind(candidate)
    start, end, new = candidate.parts[0]
    yield "score", candidate.score / _SCALE
    yield f"kind {kind}", 1.0
    yield f"{habits.message}|{kind}", 1.0
    at = habits.index(start)
    steps = at - habits.window.error
    near = _bucket(steps)
    yield f"near {near}", 1.0
    yield f"near {near}|{kind[:6]}", 1.0
    yield f"near {near}|{habits.message}", 1.0
    yield "steps", min(abs(steps), 60) / 20
    if "indentation" in kind:
        yield from _indented(habits, candidate)
    if len(candidate.parts) > 1:
        yield "parts", min(len(candidate.parts), 30) / 10
        return
    yield from _layout(habits, kind, start=start, end=end, new=new)
    if "quote" in kind:
        yield from _quoted(habits, candidate)
    left = _WORD.findall(habits.window.text[max(0, start - _REACH) : start])[-1:]
    right = _WORD.findall(habits.window.text[end : end + _REACH])[:1]
    yield f"{kind}|{_known(habits, left)}{_known(habits, right)}", 1.0
    yield "pairs", _pair_gain(habits, candidate, around=(left, right))


def _kind(candidate: Candidate) -> str:
    name = candidate.name
    head, _, rest = name.partition(" ")
    if head in {"missing", "stray"} and rest and " " not in rest:
        known = rest in KEYWORDS or not rest[0].isalnum()
        return f"{head} {rest if known else 'name'}"
    if head == "misspelt":
        return "misspelt"
    if " for " in name and len(name) < _SHORT:
        new, _, old = name.partition(" for ")
        return f"{new} for {old if not old[:1].isalnum() or old in KEYWORDS else 'name'}"
    return name


def _layout(habits: Habits, kind: str, *, start: int, end: int, new: str) -> Iterator[tuple[str, float]]:
    """The blanks around the place: what was lost leaves the blanks that stood beside it."""
    text = habits.window.text
    low, high = start, end
    while low > 0 and text[low - 1] in " \t":
        low -= 1
    while high < len(text) and text[high] in " \t":
        high += 1
    before = "^" if low == 0 or text[low - 1] == "\n" else ""
    after = "$" if high >= len(text) or text[high] in "\n#" else ""
    left, right = before + _blank(text[low:start]), _blank(text[end:high]) + after
    sort = _sort(kind)
    if sort == "other" and "space" in kind:
        yield f"space|{before}|{word if (word := new.partition(' ')[0]) in KEYWORDS else ''}", 1.0
    yield f"{sort}|{left}|{right}", 1.0
    yield f"{kind}|{left}|{right}", 1.0
    yield f"{sort}|{_char(text[low - 1 : low])}|{_char(text[high : high + 1])}", 1.0
    yield f"{kind}|{_char(text[low - 1 : low])}|{_char(text[high : high + 1])}", 1.0
    if new.strip() in CLOSERS:
        yield from _closing(habits, start, after=after)
    if new.strip() in OPENERS:
        yield f"opens|{left}|{right}|{_char(text[low - 1 : low])}", 1.0


def _indented(habits: Habits, candidate: Candidate) -> Iterator[tuple[str, float]]:
    """How far lines are moved, and whether they then stand as those before and after them."""
    text = habits.window.text
    start, end, new = candidate.parts[0]
    before = text[:start].rstrip().rpartition("\n")[2]
    stop = text.find("\n", candidate.parts[-1][1])
    after = next((line for line in text[stop + 1 :].split("\n", _NEAR) if line.strip()), "") if stop >= 0 else ""
    many = min(len(candidate.parts), 3)
    by = max(-8, min(len(new) - (end - start), 8))
    opens = "deeper" if before.endswith(":") else "level"
    yield f"indent by {by}|{many}", 1.0
    yield f"indent {opens}|{_side(len(new) - _indent(before))}|{_side(_indent(after) - len(new))}", 1.0
    yield f"indent {opens}|{_side(len(new) - _indent(before))}|{habits.message}", 1.0
    word = text[end : end + 12].partition(" ")[0].rstrip(":\n")
    if word in KEYWORDS:
        yield f"indent {word}|{_side(by)}", 1.0


def _side(by: int) -> str:
    return "deeper" if by > 0 else "level" if by == 0 else "out"


def _closing(habits: Habits, start: int, *, after: str) -> Iterator[tuple[str, float]]:
    """Where a bracket would close: how deep others are there, and what the rest of the line says."""
    text = habits.window.text
    line = text[text.rfind("\n", 0, start) + 1 : start]
    stop = text.find("\n", start)
    rest = text[start : len(text) if stop < 0 else stop]
    depth = sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")
    yield f"closes|{after}|{max(-2, min(depth, 3))}", 1.0
    following = text[stop + 1 :].split("\n", 1)[0] if stop >= 0 else ""
    side = _side(_indent(following) - _indent(line + rest))
    yield f"closes|{after}|{side}|{line.rstrip()[-1:] in ',('}", 1.0
    yield f"closes|{after}|{(rest.strip() or '$')[0]}", 1.0


def _quoted(habits: Habits, candidate: Candidate) -> Iterator[tuple[str, float]]:
    """Texts of the line after the edit that begin or end with the other quote, or hold what looks like code."""
    text = candidate.apply(habits.window.text)
    start = candidate.parts[0][0]
    line = text[text.rfind("\n", 0, start) + 1 :].split("\n", 1)[0]
    inner = [one[1:-1] for one in _STRING.findall(line)[:20]]
    yield "quote edge", float(sum(one[:1] in _MARKS or one[-1:] in _MARKS for one in inner if one))
    yield "quote code", float(sum(bool(_CODE.search(one)) for one in inner))
    yield "quote blank edge", float(sum(one != one.strip() for one in inner))
    yield "quote inside", float(sum(bool(_MARKED.search(one)) for one in inner))
    yield "quote long", min(sum(map(len, inner)), 200) / 50


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _sort(kind: str) -> str:
    """Edits that leave the same blanks."""
    head, _, word = kind.partition(" ")
    if head != "missing":
        return head if head in {"stray", "misspelt"} else "other"
    if word in _OPERATORS:
        return "operator"
    return "word" if word[:1].isalpha() else "sign"


def _blank(gap: str) -> str:
    return "" if not gap else "_" if gap == " " else "__"


def _char(char: str) -> str:
    if not char:
        return "~"
    if char == "\n":
        return "n"
    if char.isdigit():
        return "0"
    return "a" if char.isalpha() or char == "_" else char


def _bucket(steps: int) -> str:
    size = bisect.bisect_right(_STEPS, abs(steps))
    return f"{'+' if steps > 0 else '-' if steps < 0 else ''}{size}"


def _known(habits: Habits, words: list[str]) -> str:
    """Whether a neighbour is a name, and one that the file has elsewhere."""
    if not words or not words[0].isidentifier() or words[0] in KEYWORDS:
        return "-"
    return "k" if habits.window.names[words[0]] > 1 else "u"


def _pair_gain(habits: Habits, candidate: Candidate, *, around: tuple[list[str], list[str]]) -> float:
    """How much more often the new neighbours stand side by side in the file than the old ones."""
    start, end, new = candidate.parts[0]
    left, right = around
    made = _mean(habits, [*left, *_WORD.findall(new)[:12], *right])
    gone = _mean(habits, [*left, *_WORD.findall(habits.window.text[start:end])[:12], *right])
    return max(-_MOST_GAIN, min(made - gone, _MOST_GAIN))


def _mean(habits: Habits, words: list[str]) -> float:
    """The mean logarithm of how often neighbours meet."""
    found = [math.log(habits.pairs[pair] + 0.2) for pair in itertools.pairwise(words)]
    return sum(found) / len(found) if found else 0.0
