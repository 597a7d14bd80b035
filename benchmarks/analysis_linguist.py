"""``python -m benchmarks.analysis_linguist CHECKOUT``: write Linguist's data, in our shape, into the package.

``CHECKOUT`` is a folder of github-linguist/linguist. Its patterns are Ruby's; here they become Python's, and one that
cannot be carried over is named and left out. The classifier is Linguist's too: tokens weighed by how few languages
have them, one centroid for each language that shares an extension, a name or an interpreter with another; cut to the
heaviest tokens and to one byte each.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from windtunnel.analysis.linguist import classify, data

_KEPT_TOKENS = 700
_LEADING = re.compile(r"\(\?([imx]+)\)")
_INNER = re.compile(r"^(\^(?:\\s\+)?)\(\?i\)(.*)$", re.DOTALL)
_GROUP = re.compile(r"\(\?<([a-z]\w*)>")
_CALLED = re.compile(r"(\(\?<(\w+)>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))(.*)\\g<\2>", re.DOTALL)
_FLAGS = {"i": "i", "m": "s", "x": "x"}
_REPLACED = (
    ("[\\s&&[^\\r\\n]]", "[ \\t\\f\\v]"),
    ("\\h", "[0-9a-fA-F]"),
    ("\\z", "\\Z"),
    ("[[:alpha:]]", "[A-Za-z]"),
    ("[:alpha:]", "A-Za-z"),
    ("[:alnum:]", "A-Za-z0-9"),
    ("[:space:]", "\\s"),
    ("[:upper:]", "A-Z"),
    ("[:lower:]", "a-z"),
    ("[:digit:]", "0-9"),
    ("[:xdigit:]", "0-9a-fA-F"),
    ("[:word:]", "\\w"),
)
_VIM = "(?:vi|Vi(?=m))"
_VIM_HELP = r"(?:^|[ \t])(?:vi|[Vv]im[<=>]?[0-9]*|ex):[^\n]{0,400}?[ \t:](?:filetype|ft|syntax)[ \t]?=help(?=$|\s|:)"
_SAFER = ((r"([A-Za-z0-9_]+\s*)*$", r"[A-Za-z0-9_\s]*$"), (r"(?:--.+\s+)*", r"(?:--[^\n]*\n[ \t]*)*"),
          (r"(\S+\s)+", r"(\S+\s){1,50}"))
"""Parts of patterns that take exponential time on hostile text, or far too much, and what says nearly the same."""
Samples = Mapping[str, Sequence[Path]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the two files, and say how large they are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analysis_linguist", description=__doc__)
    parser.add_argument("checkout", type=Path)
    given = parser.parse_args(arguments)
    told = languages(given.checkout)
    for path, content in ((data.LANGUAGES, told), (data.CLASSIFIER, learned(samples(given.checkout), shared(told)))):
        path.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0))
        print(f"{path}: {path.stat().st_size} bytes")
    return 0


def languages(checkout: Path) -> dict[str, Any]:
    """Everything but the classifier."""
    home = checkout / "lib/linguist"
    named = yaml.safe_load((home / "languages.yml").read_text())
    rules = yaml.safe_load((home / "heuristics.yml").read_text())
    patterns = {name: _union(given) for name, given in rules["named_patterns"].items()}
    return {
        "version": (home / "VERSION").read_text().strip(),
        "languages": {name: [one["type"], one.get("group", ""), one.get("extensions", []), one.get("filenames", []),
                             one.get("interpreters", []), one.get("aliases", [])] for name, one in named.items()},
        "heuristics": [[one["extensions"], [_rule(rule, patterns) for rule in one["rules"]]]
                       for one in rules["disambiguations"]],
        "generic": yaml.safe_load((home / "generic.yml").read_text())["extensions"],
        "vendor": [_converted(one) for one in yaml.safe_load((home / "vendor.yml").read_text())],
        "documentation": [_converted(one) for one in yaml.safe_load((home / "documentation.yml").read_text())],
    }


def _rule(rule: Mapping[str, Any], patterns: Mapping[str, str]) -> list[Any]:
    """The languages, and the tests that must all hold: ``[wanted, pattern]``."""
    given = rule["language"]
    tests = [_test(one, patterns) for one in rule.get("and", [rule])]
    return [given if isinstance(given, list) else [given], [one for one in tests if one is not None]]


def _test(rule: Mapping[str, Any], patterns: Mapping[str, str]) -> list[Any] | None:
    if "pattern" in rule:
        return [True, _union(rule["pattern"])]
    if "negative_pattern" in rule:
        return [False, _union(rule["negative_pattern"])]
    return [True, patterns[rule["named_pattern"]]] if "named_pattern" in rule else None


def _union(given: str | Sequence[str]) -> str:
    return "|".join(_converted(one) for one in ([given] if isinstance(given, str) else given))


def _converted(pattern: str) -> str:
    """Ruby's pattern as Python's; one that means nothing here never matches, and is named."""
    if _VIM in pattern:
        return _VIM_HELP
    for old, new in _SAFER:
        pattern = pattern.replace(old, new)
    made = _INNER.sub(r"(?i)\1\2", pattern.removeprefix("(?-m)"))
    if called := _CALLED.search(made):
        made = made.replace(f"\\g<{called[2]}>", called[1].replace(f"?<{called[2]}>", "?:"))
    made = _GROUP.sub("(?:", made)
    for old, new in _REPLACED:
        made = made.replace(old, new)
    if leading := _LEADING.match(made):
        made = f"(?{''.join(_FLAGS[flag] for flag in leading[1])}:{made[leading.end():]})"
    try:
        re.compile(made, data.FLAGS)
    except re.error as error:
        print(f"left out: {pattern!r}: {error}", file=sys.stderr)
        return "(?!)"
    return made


def shared(told: Mapping[str, Any]) -> set[str]:
    """Languages that only content can tell apart."""
    found: set[str] = {"Roff", "Roff Manpage"}
    for at in (2, 3, 4):
        owners: dict[str, list[str]] = collections.defaultdict(list)
        for name, one in told["languages"].items():
            for key in one[at]:
                owners[key.lower()].append(name)
        found.update(name for names in owners.values() if len(names) > 1 for name in names)
    return found


def samples(checkout: Path) -> dict[str, list[Path]]:
    """The files of each language, by Linguist's name for it."""
    named = yaml.safe_load((checkout / "lib/linguist/languages.yml").read_text())
    folders = {one.get("fs_name", name): name for name, one in named.items()}
    found: dict[str, list[Path]] = {}
    for folder in sorted((checkout / "samples").iterdir()):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
        found[folders.get(folder.name, folder.name)] = files
    return found


def learned(given: Samples, wanted: Collection[str]) -> dict[str, Any]:
    """The classifier, from these samples."""
    counted = {name: [_counts(path) for path in paths] for name, paths in given.items()}
    documents = collections.Counter(token for one in counted.values() for counts in one for token in counts)
    classes = collections.Counter(token for one in counted.values() for token in set().union(*one))
    weight = {token: math.log(len(counted) / classes[token]) + 1 for token, seen in documents.items() if seen > 1}
    centroids = {name: _heaviest(_centroid(one, weight)) for name, one in counted.items() if name in wanted and one}
    kept = sorted(set().union(*centroids.values()))
    number = {token: at for at, token in enumerate(kept)}
    return {"tokens": kept, "weights": [round(weight[token], 2) for token in kept],
            "centroids": {name: _packed(one, number) for name, one in sorted(centroids.items())}}


def _counts(path: Path) -> collections.Counter[str]:
    return collections.Counter(classify.tokens(path.read_bytes().decode("utf-8", "replace")))


def _centroid(counted: Iterable[Mapping[str, int]], weight: Mapping[str, float]) -> dict[str, float]:
    total: dict[str, float] = collections.defaultdict(float)
    for counts in counted:
        vector = {token: (1 + math.log(seen)) * weight[token] for token, seen in counts.items() if token in weight}
        length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
        for token, value in vector.items():
            total[token] += value / length
    length = math.sqrt(sum(value * value for value in total.values())) or 1.0
    return {token: value / length for token, value in total.items()}


def _heaviest(vector: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(vector.items(), key=lambda pair: (-pair[1], pair[0]))[:_KEPT_TOKENS])


def _packed(vector: Mapping[str, float], number: Mapping[str, int]) -> list[Any]:
    """The largest value, the steps from token to token, and each value in 255ths of the largest."""
    most = max(vector.values(), default=1.0)
    order = sorted((number[token], value) for token, value in vector.items())
    steps = [at - before for at, before in zip((at for at, _ in order), _before(at for at, _ in order), strict=True)]
    return [round(most, 5), steps, [max(1, round(255 * value / most)) for _, value in order]]


def _before(numbers: Iterable[int]) -> Iterator[int]:
    last = 0
    for number in numbers:
        yield last
        last = number


if __name__ == "__main__":
    sys.exit(main())
