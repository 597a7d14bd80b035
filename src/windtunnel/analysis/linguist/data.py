"""Linguist's own tables, as ``python -m benchmarks.analysis_linguist`` wrote them; loaded when first asked for."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LANGUAGES = Path(__file__).parent / "languages.json.gz"
CLASSIFIER = Path(__file__).parent / "classifier.json.gz"
FLAGS = re.MULTILINE | re.ASCII
"""As Ruby reads a pattern: lines have ends, and letters are those of ASCII."""


@dataclass(frozen=True, slots=True)
class Test:
    """One pattern of a rule, and whether it must be found or must not."""

    wanted: bool
    pattern: re.Pattern[str]

    def holds(self, text: str) -> bool:
        """Whether the text is as the rule wants it."""
        return (self.pattern.search(text) is not None) is self.wanted


@dataclass(frozen=True, slots=True)
class Tables:
    """What Linguist knows, by what is seen of a file."""

    version: str
    kinds: Mapping[str, str]
    """By language: ``programming``, ``markup``, ``data`` or ``prose``."""
    groups: Mapping[str, str]
    """The language under which another is counted."""
    extensions: Mapping[str, tuple[str, ...]]
    filenames: Mapping[str, tuple[str, ...]]
    interpreters: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    generic: tuple[str, ...]
    """Extensions that say nothing by themselves."""
    heuristics: Mapping[str, int]
    """Which list of rules an extension has."""
    rules: tuple[Any, ...]
    """As written; ``rules_of`` compiles one list."""
    vendor: tuple[str, ...]
    documentation: tuple[str, ...]


@functools.cache
def tables() -> Tables:
    """All of it but the classifier; read once."""
    told = json.loads(gzip.decompress(LANGUAGES.read_bytes()))
    named = told["languages"]
    heuristics: dict[str, int] = {}
    for number, (extensions, _) in enumerate(told["heuristics"]):
        for extension in extensions:
            heuristics.setdefault(extension.lower(), number)
    return Tables(
        version=told["version"], kinds={name: one[0] for name, one in named.items()},
        groups={name: one[1] for name, one in named.items() if one[1]},
        extensions=_owners((key.lower(), name) for name, one in named.items() for key in one[2]),
        filenames=_owners((key, name) for name, one in named.items() for key in one[3]),
        interpreters=_owners((key, name) for name, one in named.items() for key in one[4]),
        aliases=_aliases(named), generic=tuple(told["generic"]), heuristics=heuristics,
        rules=tuple(rules for _, rules in told["heuristics"]), vendor=tuple(told["vendor"]),
        documentation=tuple(told["documentation"]))


@functools.cache
def rules_of(number: int) -> tuple[tuple[tuple[str, ...], tuple[Test, ...]], ...]:
    """The rules of one list, in their order: languages, and tests that must all hold."""
    return tuple((tuple(languages), tuple(Test(wanted, re.compile(pattern, FLAGS)) for wanted, pattern in tests))
                 for languages, tests in tables().rules[number])


def _owners(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key, name in pairs:
        found[key] = (*found.get(key, ()), name)
    return found


def _aliases(named: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, one in named.items():
        for alias in (name.lower(), name.lower().replace(" ", "-"), *one[5]):
            found.setdefault(alias, name)
    return found
