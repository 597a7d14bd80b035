"""Edits of a few tokens near a fault: put in, taken out, changed, swapped; each scored by how natural it reads."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from windtunnel.repair.syntax.model import LONGEST, Model
from windtunnel.repair.syntax.region import Region
from windtunnel.repair.syntax.tokens import CLOSERS, KEYWORDS, OPENERS, Token, tokens_of, whole, word_of

_TOKENS = (
    (
        ", : ( ) [ ] { } = . + - * / % == != < > <= >= += in not is and or if else for def class import from as "
        "return lambda with while try: except elif raise yield await async del pass ** * // -> := @ global None "
        "& | ^ ~ << >> -= *= self"
    )
    .replace("try:", "try")
    .split(" ")
)
_LEFT = frozenset(",:)].};")
_TIGHT = frozenset("([{.)]},:~@")
_CONFUSED = {"=": "==", ":=": "=", "==": "="}
_SPELLED = tuple(sorted(KEYWORDS, key=lambda word: (len(word), word)))
_BACK_TOKENS = 30
_COMMA_AHEAD, _NEAR_AHEAD = 30, 8
_NAME = re.compile(r"[^\W\d]\w*")
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change of a region: its score is a logarithm, higher is likelier."""

    score: float
    parts: tuple[tuple[int, int, str], ...]
    """(start, end, new text) in characters, in order."""
    name: str

    def apply(self, text: str) -> str:
        """The text with all parts changed."""
        for start, end, new in reversed(self.parts):
            text = text[:start] + new + text[end:]
        return text


class Window:
    """The tokens of a region around its fault."""

    def __init__(self, region: Region, model: Model, *, whole: str = "") -> None:
        """All tokens of the region; ``whole`` is the text it is of."""
        self.region, self.model, self.text, self.whole = region, model, region.text, whole or region.text
        self.tokens = tokens_of(region.text)
        self.run = model.encode(token.word for token in self.tokens)
        at = region.at
        self.error = next(
            (i for i, token in enumerate(self.tokens) if token.end > at or (token.start >= at and token.text)),
            len(self.tokens) - 1,
        )
        self.ahead = "forgot a comma" in region.fault.message or "expected 'else'" in region.fault.message
        """Whether the compiler names the start of two expressions, so that the fault is between or after them."""
        self.first = self._statement(self.error)
        self.scores: dict[tuple[int, int], float] = {}
        """Of runs as they are, by place and length: many edits are compared with the same."""
        self.insertions = [word for word in _TOKENS if word in model.codes]

    def _statement(self, at: int) -> int:
        """The first token of the statement of a token, or of the one before where it is the first itself."""
        start = at
        while start > 0 and self.tokens[start - 1].word not in {"NL", "IN", "OUT"}:
            start -= 1
        if at - start <= 1:
            while start > 0 and self.tokens[start - 1].word in {"NL", "IN", "OUT"}:
                start -= 1
            while start > 0 and self.tokens[start - 1].word not in {"NL", "IN", "OUT"}:
                start -= 1
        return max(start, at - _BACK_TOKENS) if self.region.fault.sort == "SyntaxError" else max(at - _BACK_TOKENS, 0)

    def gain(self, at: int, removed: int, words: Sequence[str]) -> float:
        """How much likelier the run reads with ``removed`` tokens at a place changed for ``words``."""
        model, run = self.model, self.run
        low = max(0, at - LONGEST)
        old = self.scores.get((at, removed))
        if old is None:
            part = run[low : at + removed + LONGEST]
            old = self.scores[at, removed] = model.score(part, at - low, at - low + removed + LONGEST - 1)
        new = run[low:at] + model.encode(words) + run[at + removed : at + removed + LONGEST]
        return model.score(new, at - low, at - low + len(words) + LONGEST - 1) - old

    @cached_property
    def names(self) -> Counter[str]:
        """How often each name is in the whole text."""
        return Counter(_NAME.findall(self.whole))

    def known(self, name: str, less: int = 0) -> bool:
        """Whether a name is used elsewhere, or is everybody's."""
        return name in KEYWORDS or self.names[name] > less or name in _BUILTINS

    def far(self, at: int) -> float:
        """What a place costs for its distance from where the compiler stopped."""
        distance = self.error - at
        return -0.25 * distance if distance >= 0 else (0.1 if self.ahead else 1.5) * distance


def token_edits(window: Window) -> Iterator[Candidate]:
    """All edits of one token, and of two that belong together."""
    ahead = _COMMA_AHEAD if window.ahead else _NEAR_AHEAD if "expected ':'" in window.region.fault.message else 2
    last = min(window.error + ahead, len(window.tokens))
    for at in range(window.first, last):
        far = window.far(at)
        yield from _inserted(window, at, far)
        yield from _broken_line(window, at, far)
        if window.tokens[at].text and (window.tokens[at].word != "S" or whole(window.tokens[at].text)):
            yield from _removed(window, at, far)
            yield from _changed(window, at, far)


_PAIRS = (("(", ")"),)


def _inserted(window: Window, at: int, far: float) -> Iterator[Candidate]:
    model, run = window.model, window.run
    for pair in _PAIRS:
        place = window.tokens[at - 1].end if at else 0
        yield Candidate(
            window.gain(at, 0, pair) + far - 4.0, ((place, place, "".join(pair)),), "missing " + "".join(pair)
        )
    before = run[at - 1 : at]
    after = run[at : at + 1]
    for word in window.insertions:
        code = model.codes[word]
        if (before and before + code not in model.counts) or (after and code + after not in model.counts):
            continue
        apart = at > 0 and window.tokens[at - 1].end < window.tokens[at].start
        spaced = -3.0 if word == "." and apart else 0.0
        yield Candidate(window.gain(at, 0, [word]) + far - 2.0 + spaced, (placed(window, at, word),), f"missing {word}")


def placed(window: Window, at: int, word: str) -> tuple[int, int, str]:
    """The insertion of a word before a token, with the spaces that people write."""
    tokens = window.tokens
    token = tokens[at]
    before = tokens[at - 1] if at else None
    if before is not None and before.text and (word in _LEFT or not token.text):
        place = before.end
        if word in _TIGHT:
            glued = token.text and token.start == place and word in ",:"
            return place, place, word + (" " if glued else "")
        return place, place, f" {word}" + ("" if window.text[place : place + 1].isspace() or not token.text else " ")
    place = token.start
    left = "" if word in _TIGHT or place == 0 or window.text[place - 1] in " \t\n([{" else " "
    right = "" if word in _TIGHT and word not in ",:" else " "
    return place, place, left + word + right


def _broken_line(window: Window, at: int, far: float) -> Iterator[Candidate]:
    """Two lines made of one, or one made of two."""
    tokens, text = window.tokens, window.text
    token = tokens[at]
    if token.word == "NL":
        end = at + 1
        while end < len(tokens) and not tokens[end].text:
            end += 1
        if end < len(tokens) and at and "#" not in text[tokens[at - 1].end : tokens[end].start]:
            gap = " " if (tokens[at - 1].text[-1:] + tokens[end].text[:1]).isalnum() else ""
            gap = gap or (
                " " if tokens[end].text[0] not in ".,:)]}([" and tokens[at - 1].text[-1:] not in ".([{" else ""
            )
            yield Candidate(
                window.gain(at, end - at, []) + far - 4.0, ((token.start, tokens[end].start, gap),), "a line break"
            )
    elif at and token.text and tokens[at - 1].text:
        indent = _line_indent(text, token.start)
        following = next((one for one in tokens[at:] if one.word == "NL"), None)
        after = None if following is None else _next_indent(text, following.start)
        levels = {indent, indent[4:], indent + "    "} | ({after, after[4:]} if after is not None else set())
        for level in sorted(levels):
            words = (
                ["NL", "IN"]
                if len(level) > len(indent)
                else (
                    ["NL", *["OUT"] * max((len(indent) - len(level)) // 4, 1)] if len(level) < len(indent) else ["NL"]
                )
            )
            fits = 0.7 if level == after else 0.0
            yield Candidate(
                window.gain(at, 0, words) + far - 3.5 + fits,
                ((tokens[at - 1].end, token.start, f"\n{level}"),),
                "a missing line break",
            )


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _next_indent(text: str, at: int) -> str | None:
    """How the next line that is not blank is indented."""
    found = re.compile(r"\n([ \t]*)(?=[^\s#])").search(text, at)
    return None if found is None else found[1]


def _removed(window: Window, at: int, far: float) -> Iterator[Candidate]:
    token = window.tokens[at]
    extra = -5.0 if token.word in {"N", "C", "S", "0"} or token.text in KEYWORDS else 0.0
    if any(0 <= near < len(window.tokens) and window.tokens[near].text == token.text for near in (at - 1, at + 1)):
        extra = 5.0
    end = token.end
    if window.text[end : end + 1] == " " and (token.start == 0 or window.text[token.start - 1] in " \n"):
        end += 1
    yield Candidate(window.gain(at, 1, []) + far - 3.0 + extra, ((token.start, end, ""),), f"stray {token.text}")
    following = window.tokens[at + 1] if at + 1 < len(window.tokens) else None
    if following is not None and following.text and token.text:
        swap = window.gain(at, 2, [following.word, token.word])
        gap = window.text[token.end : following.start]
        yield Candidate(
            swap + far - 4.0,
            ((token.start, following.end, following.text + (gap or " ") + token.text),),
            "swapped tokens",
        )


def _changed(window: Window, at: int, far: float) -> Iterator[Candidate]:
    token = window.tokens[at]
    if token.word in {"N", "C"} or token.text in KEYWORDS:
        yield from _respelled(window, at, far)
    if token.word in {"S", "0"}:
        return
    model, run = window.model, window.run
    before, after = run[at - 1 : at], run[at + 1 : at + 2]
    cost = 4.0 if token.word not in {"N", "C"} else 6.5
    for word in window.insertions:
        code = model.codes[word]
        if (
            word == token.text
            or (before and before + code not in model.counts)
            or (after and code + after not in model.counts)
        ):
            continue
        alike = 3.5 if _alike(token.text, word) else 0.0
        alike += 4.0 if (token.text, word) == ("=", "==") else 0.0
        alike += 1.5 if at == window.error and "does not match opening" in window.region.fault.message else 0.0
        alike -= (
            5.0
            if (token.text in OPENERS and word not in OPENERS) or (token.text in CLOSERS and word not in CLOSERS)
            else 0.0
        )
        text = word
        if word[0].isalpha():
            text = (
                (" " if token.start and window.text[token.start - 1] not in " \t\n([{" else "")
                + word
                + ("" if window.text[token.end : token.end + 1] in {" ", "\n", ":", ""} else " ")
            )
        yield Candidate(
            window.gain(at, 1, [word]) + far - cost + alike,
            ((token.start, token.end, text),),
            f"{word} for {token.text}",
        )


def _alike(one: str, two: str) -> bool:
    """Whether somebody may have meant one by the other: brackets, part of an operator, keys that are neighbours."""
    brackets = set(OPENERS), set(CLOSERS)
    return (
        any(one in kind and two in kind for kind in brackets)
        or (not two[0].isalpha() and (one in two or two in one))
        or {one, two} in ({":", ";"}, {",", "."}, {":", "="}, {":", ","}, {";", ","}, {".", ":"})
    )


def _glued(window: Window, at: int, far: float) -> Iterator[Candidate]:
    """A name made of two that are known, with what may have stood between them."""
    token = window.tokens[at]
    text = token.text
    if window.names[text] > 1 or text in _BUILTINS:
        return
    bare = "unmatched ')'" in window.region.fault.message
    for cut in range(1, len(text)):
        one, two = text[:cut], text[cut:]
        if not (window.known(one) and (window.known(two) or two.isdigit())) and not (bare and window.known(two, 1)):
            continue
        pair = [word_of("name", one), "0" if two.isdigit() else word_of("name", two)]
        for between in ("(", "[", ".", ""):
            words = [pair[0], between, pair[1]] if between else pair
            put = between or " "
            if not between and one not in KEYWORDS and two not in KEYWORDS:
                continue
            yield Candidate(
                window.gain(at, 1, words) + far + 3.0 + 0.6 * min(len(one), len(two), 8),
                ((token.start, token.end, one + put + two),),
                "names that ran together",
            )


def _respelled(window: Window, at: int, far: float) -> Iterator[Candidate]:
    """Keywords that the name may have been meant as, or that are glued to it."""
    token = window.tokens[at]
    text = token.text
    yield from _glued(window, at, far)
    for word in _SPELLED:
        if word == text:
            continue
        if abs(len(word) - len(text)) <= 2 and (cost := _distance(text, word)) is not None:  # noqa: PLR2004 -- a measure that is this place's own
            yield Candidate(
                window.gain(at, 1, [word]) + far + (4.0 if window.names[text] <= 1 else 1.0) - cost,
                ((token.start, token.end, word),),
                f"misspelt {word}",
            )
        if text.startswith(word) and re.fullmatch(r"[^\W\d]\w*|\d+", rest := text[len(word) :]):
            inner = rest if rest in KEYWORDS else ("0" if rest.isdigit() else "N")
            yield Candidate(
                window.gain(at, 1, [word, inner]) + far - 2.0,
                ((token.start, token.end, f"{word} {rest}"),),
                "missing space",
            )
        if text.endswith(word) and (rest := text[: -len(word)]).isidentifier():
            inner = rest if rest in KEYWORDS else "N"
            yield Candidate(
                window.gain(at, 1, [inner, word]) + far - 2.0,
                ((token.start, token.end, f"{rest} {word}"),),
                "missing space",
            )


@lru_cache(maxsize=4096)
def _distance(one: str, two: str) -> float | None:
    """What turning one word into another costs, by letters left out, added, changed or swapped; None where too much."""
    if one.lower() == two.lower():
        return 0.5
    if len(one) < 2 and len(two) > 2:  # noqa: PLR2004 -- a measure that is this place's own
        return None
    previous, current = None, list(range(len(two) + 1))
    for row, letter in enumerate(one, start=1):
        older, previous, current = previous, current, [row]
        for column, other in enumerate(two, start=1):
            best = min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (letter != other))
            if older and column > 1 and letter == two[column - 2] and one[row - 2] == other:
                best = min(best, older[column - 2] + 1)
            current.append(best)
    slips = current[-1]
    if slips > 2 or slips >= max(len(two), 2) or (slips == 2 and len(two) < 5):  # noqa: PLR2004 -- a measure that is this place's own
        return None
    return 1.5 * slips


__all__ = ["Candidate", "Token", "Window", "token_edits"]
