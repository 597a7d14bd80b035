"""Which of a few languages a text is most like, by its tokens: Linguist's classifier, with its data cut down."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.analysis.linguist.data import CLASSIFIER

MOST_TEXT = 50 * 1024
_LONGEST_TOKEN = 16
_TOKEN = re.compile(r"""
    ^\#![ \t]*(?P<shebang>[^\n]{1,200})
  | ^[ \t]{0,80}(?P<mark>\#+(?=[ \n])|//!(?=[ \n])|//|--(?=[ \n])|%+(?=[ \n])|"(?=[ \n])|;+(?=[ \n]))[^\n]*
  | (?P<open>/\*[*!]?|<!--|\{-|\(\*|\"\"\"|'''|/--?(?=\s))
  | (?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)
  | (?:0x[0-9a-fA-F][0-9a-fA-F.]*|[0-9][0-9.]*)(?:[uUlLfF]|[eE][-+]?[0-9]+)*
  | (?P<word>[.@\#$]?[A-Za-z0-9_]+|\(+\)+|\{+\}+|\[+\]+|\(+|\)+|\{+|\}+|\[+|\]+|&>>?|<&-?|>&|\|&|&\|
    |-+>+|<+-+|!+=+|[<>]*=+[<>]*|</?[?%!\#@]|[?%!]>|[<>/]+|[-+*/%&|^~:]=+|[!=]~|:-|\.[*+]+\??
    |-+|!+|\#+|\$+|%+|&+|\*+|\++|,+|\.+|:+|;+|\?+|@+|\\+|\^+|`+|\|+|~+)
""", re.VERBOSE | re.MULTILINE | re.ASCII)
_CLOSERS = {"/*": "*/", "/**": "*/", "/*!": "*/", "<!--": "-->", "{-": "-}", "(*": "*)", '"""': '"""', "'''": "'''",
            "/-": "-/", "/--": "-/"}


def tokens(text: str) -> Iterator[str]:
    """Words and signs; strings and numbers are left out, and a comment is one token that says how it began."""
    at = 0
    while found := _TOKEN.search(text, at):
        at = found.end()
        kind = found.lastgroup
        if kind == "word":
            yield found[0][:_LONGEST_TOKEN]
        elif kind == "mark":
            yield f"COMMENT{found['mark'][:2]}"
        elif kind == "open":
            yield f"COMMENT{found[0]}"
            end = text.find(_CLOSERS[found[0]], at)
            at = len(text) if end < 0 else end + len(_CLOSERS[found[0]])
        elif kind == "shebang":
            yield f"SHEBANG#!{_program(found['shebang'])[:_LONGEST_TOKEN]}"


def _program(shebang: str) -> str:
    words = [word.rpartition("/")[2] for word in shebang.split() if "=" not in word and not word.startswith("-")]
    return next((word for word in words if word != "env"), "")


@dataclass(frozen=True, slots=True)
class Classifier:
    """Tokens with their weights, and for each language the tokens that tell most."""

    weights: Mapping[str, float]
    centroids: Mapping[str, Mapping[str, float]]

    def best(self, text: str, languages: Sequence[str]) -> str | None:
        """The likeliest of these languages; none where no token tells anything."""
        counts = Counter(token for token in tokens(text[:MOST_TEXT]) if token in self.weights)
        vector = {token: (1 + math.log(seen)) * self.weights[token] for token, seen in counts.items()}
        scores = {name: _likeness(vector, self.centroids[name]) for name in languages if name in self.centroids}
        name = max(scores, key=lambda one: scores[one], default=None)
        return name if name is not None and scores[name] > 0 else None


def _likeness(vector: Mapping[str, float], centroid: Mapping[str, float]) -> float:
    return sum(value * centroid[token] for token, value in vector.items() if token in centroid)


def unpacked(told: Mapping[str, object]) -> Classifier:
    """A classifier from what ``benchmarks.analysis_linguist`` wrote."""
    names: Sequence[str] = told["tokens"]  # type: ignore[assignment]
    weights: Iterable[float] = told["weights"]  # type: ignore[assignment]
    centroids: Mapping[str, tuple[float, Sequence[int], Sequence[int]]] = told["centroids"]  # type: ignore[assignment]
    return Classifier(weights=dict(zip(names, weights, strict=True)), centroids={
        name: {names[at]: most * part / 255 for at, part in zip(itertools.accumulate(steps), parts, strict=True)}
        for name, (most, steps, parts) in centroids.items()})


@functools.cache
def classifier() -> Classifier:
    """The one that we ship; read once."""
    return unpacked(json.loads(gzip.decompress(CLASSIFIER.read_bytes())))
