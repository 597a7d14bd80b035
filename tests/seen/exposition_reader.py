"""A strict reader of the text format 0.0.4, from its description: each line must be one that the format knows."""

import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
HELP = re.compile(rf"# HELP ({NAME}) (.*)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge|histogram|summary|untyped)")
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?Inf|NaN|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text)


def number(text):
    assert NUMBER.fullmatch(text), text
    return float(text)


def read(text):
    """``{family: (type, help, {(name, labels): value})}``; an AssertionError says what is wrong."""
    assert text == "" or text.endswith("\n"), "the last line has no end"
    families, current = {}, None
    lines = text.split("\n")[:-1]
    for at, line in enumerate(lines):
        if found := HELP.fullmatch(line):
            current = found[1]
            assert current not in families, f"{current} begins twice"
            typed = TYPE.fullmatch(lines[at + 1])
            assert typed, f"no type behind the help of {current}"
            assert typed[1] == current, f"the type of {typed[1]} behind the help of {current}"
            families[current] = (typed[2], unescaped(found[2]), {})
        elif TYPE.fullmatch(line):
            assert HELP.fullmatch(lines[at - 1]), f"a type without help: {line}"
        else:
            _sample(line, current, families)
    for name, (kind, _, samples) in families.items():
        assert samples, f"{name} has no samples"
        if kind == "histogram":
            _check_histogram(name, samples)
    return families


def _sample(line, current, families):
    found = SAMPLE.fullmatch(line)
    assert found, f"not a line of the format: {line!r}"
    kind, _, samples = families[current]
    ends = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
    assert found[1] in [current + end for end in ends], f"{found[1]} among {current}"
    labels = tuple((name, unescaped(value)) for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""))
    assert (found[1], labels) not in samples, f"twice: {line}"
    samples[found[1], labels] = number(found[3])


def _check_histogram(name, samples):
    buckets = [(number(dict(labels)["le"]), value) for (one, labels), value in samples.items() if one == f"{name}_bucket"]
    assert [end for end, _ in buckets] == sorted(end for end, _ in buckets), "buckets out of order"
    assert [count for _, count in buckets] == sorted(count for _, count in buckets), "buckets that do not add up"
    assert buckets[-1] == (math.inf, samples[f"{name}_count", ()]), "the last bucket is not the count"
