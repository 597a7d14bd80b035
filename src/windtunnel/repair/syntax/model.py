"""How natural a run of tokens is: counts of up to four in a row, from much published Python, as one small text file.

``python -m windtunnel.repair.syntax.model FILE …`` writes the table anew from the files named. Only sorts of tokens are
counted, so nothing of the code itself is in it.
"""

from __future__ import annotations

import ast
import math
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from windtunnel.repair.syntax.tokens import tokens_of

LONGEST = 5
_FEWEST = 3
_STEPS = 6
"""Steps of one unit of the natural logarithm that a stored count keeps."""
_FIRST = 48
_BACK = math.log(0.4)
_NEVER = -12.0


class Model:
    """Log-probabilities of abstract tokens after others, backing off to shorter histories."""

    def __init__(self, words: Sequence[str], counts: dict[str, float]) -> None:
        """Logarithms of counts by runs of one character for each word."""
        self.codes = {word: chr(_FIRST + at) for at, word in enumerate(words)}
        self.words = tuple(words)
        self.unknown = chr(_FIRST + len(words))
        self.counts = counts
        self.seen: dict[str, float] = {}
        self.total = math.log(sum(math.exp(value) for gram, value in counts.items() if len(gram) == 1) or 1.0)

    def encode(self, words: Iterable[str]) -> str:
        """One character for each word."""
        return "".join(self.codes.get(word, self.unknown) for word in words)

    def step(self, gram: str) -> float:
        """The logarithm of how likely the last of a run is, after those before it."""
        known = self.seen.get(gram)
        if known is None:
            known = self.seen[gram] = self._step(gram)
        return known

    def _step(self, gram: str) -> float:
        loss = 0.0
        while len(gram) > 1:
            together = self.counts.get(gram)
            if together is not None:
                return loss + together - self.counts.get(gram[:-1], together)
            gram, loss = gram[1:], loss + _BACK
        return loss + self.counts.get(gram, _NEVER + self.total) - self.total

    def score(self, run: str, start: int, end: int) -> float:
        """Of the tokens from ``start`` to ``end``, each after what stands before it."""
        seen, total = self.seen, 0.0
        for at in range(max(start, 0), min(end, len(run))):
            gram = run[at - LONGEST + 1 if at >= LONGEST else 0 : at + 1]
            known = seen.get(gram)
            total += self.step(gram) if known is None else known
        return total


@cache
def model() -> Model:
    """The shipped one."""
    text = resources.files(__package__).joinpath("model.txt").read_text("utf-8")
    head, *rows = text.split("\n")
    counts: dict[str, float] = {}
    for length, row in enumerate(rows, start=1):
        width = length + 1
        for at in range(0, len(row) - length, width):
            counts[row[at : at + length]] = (ord(row[at + length]) - _FIRST) / _STEPS
    return Model(head.split(" "), counts)


def train(paths: Iterable[str]) -> str:
    """The table of some files, in the form that is shipped."""
    grams: Counter[tuple[str, ...]] = Counter()
    for path in paths:
        words = _words(path)
        for length in range(1, LONGEST + 1):
            grams.update(zip(*(words[start:] for start in range(length)), strict=False))
    kept = sorted(
        {gram[0] for gram, count in grams.items() if len(gram) == 1 and count >= _FEWEST and " " not in gram[0]}
    )
    codes = {word: chr(_FIRST + at) for at, word in enumerate(kept)}
    rows = [
        "".join(
            "".join(codes[word] for word in gram) + chr(_FIRST + round(math.log(count) * _STEPS))
            for gram, count in sorted(grams.items())
            if len(gram) == length and count >= _FEWEST and all(word in codes for word in gram)
        )
        for length in range(1, LONGEST + 1)
    ]
    return "\n".join([" ".join(kept), *rows])


def _words(path: str) -> list[str]:
    try:
        text = Path(path).read_text("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return []
    return [token.word for token in tokens_of(text)]


if __name__ == "__main__":
    Path(__file__).with_name("model.txt").write_text(train(sys.argv[1:]), "utf-8")
