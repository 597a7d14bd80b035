"""What the text of a program and of a change say: entropy, what of it was run, how hard it is to follow."""

from __future__ import annotations

import contextlib
import io
import math
import tokenize
from collections import Counter
from collections.abc import Iterable

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, PatchedFile, Value, missing

_EASY = 10
"""McCabe's own limit for what a function's complexity may be."""
_MOST_CHARACTERS = 2_000_000
_LAYOUT = frozenset({tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT,
                     tokenize.ENCODING, tokenize.ENDMARKER})
_COVERAGE = "coverage was not measured, and nothing was counted instead"
_INDEX = "not measured (pip install 'windtunnel[analysis]')"
_FUNCTIONS = "no function was measured"


def entropy_of(counts: Iterable[int]) -> float:
    """Shannon's, in bits."""
    every = [count for count in counts if count > 0]
    total = sum(every)
    return -sum(count / total * math.log2(count / total) for count in every) + 0.0


def tokens(text: str) -> list[str]:
    """Of Python, up to where it can be read; layout and comments are none."""
    found: list[str] = []
    lines = io.StringIO(text[:_MOST_CHARACTERS]).readline
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError):
        found.extend(token.string for token in tokenize.generate_tokens(lines) if token.type not in _LAYOUT)
    return found


def _entropy(seen: Observation) -> Value:
    if seen.token_entropy is not None:
        return Value(value=seen.token_entropy)
    counts = Counter(token for text in seen.sources for token in tokens(text))
    if not counts:
        return missing("there is no source with a token in it")
    return Value(value=entropy_of(counts.values()))


def _share(part: int | None, whole: int | None, words: str) -> Value:
    if part is None or not whole:
        return missing(_COVERAGE)
    return Value(value=part / whole, reason=words, estimated=True)


def _adaptability(seen: Observation) -> Value:
    if seen.line_coverage is not None:
        return Value(value=seen.line_coverage, reason="line coverage")
    return _share(seen.modules_called, seen.modules, "modules called of all, for want of coverage")


def _flexibility(seen: Observation) -> Value:
    if seen.branch_coverage is not None:
        return Value(value=seen.branch_coverage, reason="branch coverage")
    return _share(seen.functions_returned, seen.functions, "functions that returned of all, for want of coverage")


def _coverage(seen: Observation) -> Value:
    return missing("coverage was not measured") if seen.line_coverage is None else Value(value=seen.line_coverage)


def _complexity(seen: Observation) -> Value:
    if not seen.complexities:
        return missing(_FUNCTIONS)
    return Value(value=sum(seen.complexities) / len(seen.complexities))


def _maintainability(seen: Observation) -> Value:
    return missing(_INDEX) if seen.maintainability is None else Value(value=seen.maintainability)


def _quality(seen: Observation) -> Value:
    if seen.maintainability is None:
        return missing(f"maintainability: {_INDEX}")
    if not seen.complexities:
        return missing(_FUNCTIONS)
    easy = sum(one <= _EASY for one in seen.complexities) / len(seen.complexities)
    return Value(value=seen.maintainability / 100 * easy)


def _patch(seen: Observation) -> Value:
    if seen.patch is None:
        return missing("nothing was changed")
    lines = [one.added + one.removed for one in seen.patch]
    return Value(value=sum(lines) * (1 + entropy_of(lines)) if any(lines) else 0.0)


def _discrepancies(seen: Observation) -> Value:
    if seen.discrepancies is None:
        return missing("docs and code were not compared")
    return Value(value=float(seen.discrepancies))


SHANNON_ENTROPY = Metric(
    name="shannon_entropy", unit="bits/token", direction=Direction.NEITHER, measure=_entropy,
    formula="-sum of p log2 p over the different tokens, p being each one's share of all tokens; "
            "layout and comments do not count",
    source="Python's tokenizer over the sources",
    examples=(
        MetricExample(observation=Observation(sources=("a = b\n",)), value=math.log2(3)),
        MetricExample(observation=Observation(sources=("a a a a\n",)), value=0.0),
        MetricExample(observation=Observation(sources=("# nothing\n",)), value=None),
        MetricExample(observation=Observation(token_entropy=7.5), value=7.5),
    ))
COVERAGE = Metric(
    name="coverage", unit="share", direction=Direction.HIGHER, high=1.0, measure=_coverage,
    formula="lines run / lines that can be run",
    source="the calls of the sections, watched in the sandbox",
    examples=(
        MetricExample(observation=Observation(line_coverage=0.7), value=0.7),
        MetricExample(observation=Observation(branch_coverage=0.7), value=None),
    ))
ADAPTABILITY = Metric(
    name="adaptability", unit="share", direction=Direction.HIGHER, high=1.0, measure=_adaptability,
    formula="lines run / lines that can be run; without coverage, modules called / modules, marked estimated",
    source="the calls of the sections, watched in the sandbox, else the sections that were called",
    examples=(
        MetricExample(observation=Observation(line_coverage=0.8, modules=4, modules_called=1), value=0.8),
        MetricExample(observation=Observation(modules=4, modules_called=1), value=0.25, estimated=True),
        MetricExample(observation=Observation(modules=0, modules_called=0), value=None),
    ))
FLEXIBILITY = Metric(
    name="flexibility", unit="share", direction=Direction.HIGHER, high=1.0, measure=_flexibility,
    formula="branches taken / branches; without coverage, functions that returned at least once / functions, "
            "marked estimated",
    source="the calls of the sections, watched in the sandbox, else the sections that were called",
    examples=(
        MetricExample(observation=Observation(branch_coverage=0.5), value=0.5),
        MetricExample(observation=Observation(functions=10, functions_returned=9), value=0.9, estimated=True),
        MetricExample(observation=Observation(line_coverage=0.5), value=None),
    ))
CYCLOMATIC_COMPLEXITY = Metric(
    name="cyclomatic_complexity", unit="ways", direction=Direction.LOWER, measure=_complexity,
    formula="mean over functions of McCabe's number: decisions + 1", source="lizard, else radon",
    examples=(
        MetricExample(observation=Observation(complexities=(1, 2, 6)), value=3.0),
        MetricExample(observation=Observation(), value=None),
    ))
MAINTAINABILITY = Metric(
    name="maintainability", unit="of 100", direction=Direction.HIGHER, high=100.0, measure=_maintainability,
    formula="max(0, (171 - 5.2 ln(volume) - 0.23 cyclomatic - 16.2 ln(lines)) 100 / 171) of each function, "
            "weighted by its lines",
    source="lizard",
    examples=(
        MetricExample(observation=Observation(maintainability=61.5), value=61.5),
        MetricExample(observation=Observation(), value=None),
    ))
CODE_QUALITY = Metric(
    name="code_quality", unit="share", direction=Direction.HIGHER, high=1.0, measure=_quality,
    formula="maintainability / 100, times the share of functions whose cyclomatic complexity is at most 10",
    source="lizard",
    examples=(
        MetricExample(observation=Observation(maintainability=60.0, complexities=(1, 10, 11, 2)), value=0.45),
        MetricExample(observation=Observation(maintainability=60.0), value=None),
    ))
PATCH_COMPLEXITY = Metric(
    name="patch_complexity", unit="lines", direction=Direction.LOWER, measure=_patch,
    formula="(lines added + removed) (1 + H), H being the entropy in bits of how they are spread over files: "
            "twice as much when two files share them",
    source="the diff of the change",
    examples=(
        MetricExample(observation=Observation(patch=(PatchedFile(path="a.py", added=3, removed=1),)), value=4.0),
        MetricExample(observation=Observation(patch=(
            PatchedFile(path="a.py", added=2), PatchedFile(path="b.py", removed=2))), value=8.0),
        MetricExample(observation=Observation(patch=()), value=0.0),
        MetricExample(observation=Observation(), value=None),
    ))
DISCREPANCY_COUNT = Metric(
    name="discrepancy_count", unit="findings", direction=Direction.LOWER, measure=_discrepancies,
    formula="places where docs, workflows or configuration do not fit the code", source="windtunnel's own comparison",
    examples=(
        MetricExample(observation=Observation(discrepancies=3), value=3.0),
        MetricExample(observation=Observation(), value=None),
    ))
