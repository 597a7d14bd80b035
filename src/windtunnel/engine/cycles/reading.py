"""What is known of a project's files without running anything of it: by lizard or radon, bandit, and comparing texts.

A run of cycles keeps one ``Reading``, so that what did not change since the last cycle is not read again.
"""

from __future__ import annotations

import importlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.analysis.complexity import maintainability, measurer
from windtunnel.analysis.facts import Function
from windtunnel.core.metric import Findings, Prices
from windtunnel.core.section import Section, SectionKind
from windtunnel.metrics.code import entropy_of, tokens
from windtunnel.metrics.discrepancies import Known, find_discrepancies, read_files

_MOST_SOURCE, _MOST_FILES = 256 * 1024, 2000
_MOST_MEASURED = 4 * 1024**2
"""Of all files together, in the order of their paths: lizard reads some 1.3 MB in a second."""
Scan = Callable[[Path, Sequence[str]], tuple[Findings | None, str]]
"""A folder and files in it: what a security scanner found, or why that is not known."""
Measure = Callable[[bytes], tuple[Function, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """What is known of a project without running it."""

    token_entropy: float | None = None
    """Of the files with sections, in bits a token."""
    complexities: tuple[int, ...] = ()
    maintainability: float | None = None
    discrepancies: int | None = None
    findings: Findings | None = None
    unscanned: str = ""
    """Why there are no findings."""
    prices: Prices = field(default_factory=Prices)


class Reading:
    """Reads a project again and again."""

    def __init__(self, *, scan: Scan | None = None, prices: Prices | None = None) -> None:
        """Without ``scan`` nothing is said of security."""
        self._scan, self._prices = scan, prices or Prices()
        self._texts, self._functions, self._tokens = Known(), Known(), Known()
        self._scanned: tuple[tuple[bytes, ...], tuple[Findings | None, str]] | None = None

    def still(self, root: Path, sections: Sequence[Section]) -> Still:
        """Read the project's files, and those with these sections closely; what cannot be read is not known."""
        paths = sorted({one.path for one in sections if one.kind is not SectionKind.TEST})[:_MOST_FILES]
        contents = {path: content for path in paths if (content := _content(root / path))}
        functions = self._measured(list(contents.values()))
        found, why = self._found(root, contents)
        return Still(
            token_entropy=self._entropy(contents.values()),
            complexities=tuple(one.cyclomatic for one in functions),
            maintainability=maintainability([one for one in functions if one.volume]),
            discrepancies=len(find_discrepancies(read_files(root), known=self._texts)),
            findings=found, unscanned=why, prices=self._prices)

    def _measured(self, contents: Sequence[bytes]) -> list[Function]:
        measure = by_lizard() or by_radon()
        if measure is None:
            return []
        sizes = itertools.accumulate(map(len, contents))
        few = [content for content, size in zip(contents, sizes, strict=True) if size <= _MOST_MEASURED]
        with self._functions.pass_over():
            return [one for content in few for one in self._functions.of(measure, content)]

    def _entropy(self, contents: Iterable[bytes]) -> float | None:
        counts: Counter[str] = Counter()
        with self._tokens.pass_over():
            for content in contents:
                counts.update(self._tokens.of(_token_counts, content))
        return entropy_of(counts.values()) if counts else None

    def _found(self, root: Path, contents: dict[str, bytes]) -> tuple[Findings | None, str]:
        """The same files give the same findings, so they are scanned once."""
        if self._scan is None:
            return None, ""
        key = tuple(part for path, content in contents.items() for part in (path.encode("utf-8", "replace"), content))
        if self._scanned is None or self._scanned[0] != key:
            self._scanned = (key, self._scan(root, tuple(contents)))
        return self._scanned[1]


def _token_counts(content: bytes) -> Counter[str]:
    return Counter(tokens(content.decode("utf-8", "replace")))


def by_lizard() -> Measure | None:
    """Functions of a Python file by lizard; none where it is not installed."""
    measure = measurer()
    return None if measure is None else lambda content: measure("Python", content.decode("utf-8", "replace"))


def by_radon() -> Measure | None:
    """The same by radon, without Halstead's volume, so no index is made of them; none where it is not installed.

    Radon parses the text and runs nothing of it.
    """
    try:
        visit = importlib.import_module("radon.complexity").cc_visit
    except ImportError:
        return None

    def measure(content: bytes) -> tuple[Function, ...]:
        try:
            blocks = visit(content.decode("utf-8", "replace"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()
        return tuple(Function(name=str(one.name), line=int(one.lineno), cyclomatic=int(one.complexity),
                              lines=int(one.endline) - int(one.lineno) + 1, volume=0.0)
                     for one in blocks if one.letter in "FM")

    return measure


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_SOURCE)
    except OSError:
        return b""
