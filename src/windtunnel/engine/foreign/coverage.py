"""Which code the tests run at all, from one run without a mutant, where the language itself can tell.

Go by its cover profile; jest by its own report; Node by what V8 counts, for scripts that it runs as they are stored.
What does not hold: code in processes that tests start is not always counted, so where a project starts any, nothing is
said; nor for vitest, Rust and Java. What is not known is tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from windtunnel.core.mutation import Mutant
from windtunnel.core.tool import PLACE, REPORT
from windtunnel.core.trial import Check
from windtunnel.engine.foreign.bench import Bench

_STARTS = re.compile(rb"[\"']os/exec[\"']|\bchild_process\b|\bexeca\b|\bcluster\b|\bsyscall\.(?:Exec|ForkExec)\b")
_PROFILE, _COUNTS, _STATEMENTS = "cover.out", "v8", "coverage-final.json"
_BLOCK = re.compile(r"(\S{1,1000}):(\d{1,9})\.(\d{1,9}),(\d{1,9})\.(\d{1,9}) \d{1,9} (\d{1,18})")
_MOST_LINES, _MOST_RANGES = 2_000_000, 2_000_000
Place = tuple[int, int]
Range = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What one run showed."""

    blocks: Mapping[str, list[tuple[Place, Place, int]]] = field(default_factory=dict)
    """Of Go and jest: by path, from and to a line and column, and how often."""
    scripts: Mapping[str, list[list[Range]]] = field(default_factory=dict)
    """Of Node: by path, for each process the ranges in characters of UTF-16, and how often."""
    known: bool = False

    def misses(self, mutant: Mutant, source: bytes) -> bool:
        """Whether no test runs it, for sure."""
        if not self.known:
            return False
        return self._block(mutant) if self.blocks else self._node(mutant, source)

    def _block(self, mutant: Mutant) -> bool:
        start, end = (mutant.line, mutant.column + 1), (mutant.end_line, mutant.end_column + 1)
        end = max(end, (start[0], start[1] + 1))
        met = [count for first, last, count in self.blocks.get(mutant.path, []) if first < end and start < last]
        return bool(met) and not any(met)

    def _node(self, mutant: Mutant, source: bytes) -> bool:
        try:
            start, end, length = _units(source[:mutant.start]), _units(source[:mutant.end]), _units(source)
        except UnicodeDecodeError:
            return False
        runs = self.scripts.get(mutant.path)
        if runs is None:
            return True
        # A script of another length is what a loader made of the file, and its places are others.
        same = all(max(last for _, last, _ in ranges) == length for ranges in runs if ranges)
        return same and not any(_runs(ranges, start, max(end, start + 1)) for ranges in runs)


def coverage(bench: Bench, sources: Iterable[bytes]) -> Coverage:
    """From one more run without a mutant; unknown where the tool, or a process that code starts, keeps it from us."""
    tool = bench.check.tool
    if tool not in ("go test", "node:test", "mocha", "jest") or any(_STARTS.search(data) for data in sources):
        return Coverage()
    if tool == "go test":
        files = bench.traced(_profiled(bench.check), {})
        return _of_go(files.get(_PROFILE, b""), _module(bench))
    if tool == "jest":
        words = ("--coverage", "--coverageReporters=json", f"--coverageDirectory={REPORT}", "--coverageThreshold={}")
        return _of_jest(bench.traced(replace(bench.check, argv=(*bench.check.argv, *words)), {}).get(_STATEMENTS, b""))
    files = bench.traced(bench.check, {"NODE_V8_COVERAGE": f"{REPORT}/{_COUNTS}"})
    return _of_node(data for name, data in files.items() if name.startswith(f"{_COUNTS}/"))


def _profiled(check: Check) -> Check:
    words = (f"-coverprofile={REPORT}/{_PROFILE}", "-coverpkg=./...")
    return replace(check, argv=(*check.argv[:2], *words, *check.argv[2:]))


def _module(bench: Bench) -> str:
    found = re.search(rb"^module\s+\"?([^\s\"]+)", bench.ground.folder.read("go.mod") or b"", re.MULTILINE)
    return found[1].decode("utf-8", "replace") if found is not None else ""


def _of_go(profile: bytes, module: str) -> Coverage:
    blocks: dict[str, list[tuple[Place, Place, int]]] = {}
    for line in profile.decode("utf-8", "replace").splitlines()[:_MOST_LINES]:
        match = _BLOCK.fullmatch(line)
        if match is not None and match[1].startswith(f"{module}/"):
            first, last = (int(match[2]), int(match[3])), (int(match[4]), int(match[5]))
            blocks.setdefault(match[1].removeprefix(f"{module}/"), []).append((first, last, int(match[6])))
    return Coverage(blocks=blocks, known=bool(blocks))


def _of_jest(report: bytes) -> Coverage:
    """Statements by path; a file that was never loaded, or that the project keeps out of it, is not there."""
    blocks: dict[str, list[tuple[Place, Place, int]]] = {}
    try:
        told: Any = json.loads(report)
        for path, file in told.items():
            if path.startswith(f"{PLACE}/"):
                blocks[path.removeprefix(f"{PLACE}/")] = [
                    (_place(place["start"]), _place(place["end"]), int(file["s"][name]))
                    for name, place in file["statementMap"].items()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Coverage()
    return Coverage(blocks={path: _apart(found) for path, found in blocks.items()}, known=bool(blocks))


def _place(told: Mapping[str, int]) -> Place:
    return int(told["line"]), int(told["column"]) + 1


def _apart(found: list[tuple[Place, Place, int]]) -> list[tuple[Place, Place, int]]:
    """Of statements that hold others their beginning alone: how often they ran tells nothing of what is in them."""
    order = sorted(found, key=lambda one: (one[0], (-one[1][0], -one[1][1])))
    return [(first, last if after is None or after[0] >= last else (first[0], first[1] + 1), count)
            for (first, last, count), after in zip(order, [*order[1:], None], strict=True)]


def _of_node(reports: Iterable[bytes]) -> Coverage:
    scripts: dict[str, list[list[Range]]] = {}
    left = _MOST_RANGES
    for data in reports:
        for path, ranges in _scripts(data):
            left -= len(ranges)
            if left < 0:
                return Coverage()
            scripts.setdefault(path, []).append(ranges)
    return Coverage(scripts=scripts, known=bool(scripts))


def _scripts(data: bytes) -> Iterable[tuple[str, list[Range]]]:
    """Scripts of the project that one process ran; nothing where it is not what V8 writes."""
    try:
        told: Any = json.loads(data)
        for script in told["result"]:
            path = unquote(urlsplit(str(script["url"])).path)
            if path.startswith(f"{PLACE}/"):
                yield path.removeprefix(f"{PLACE}/"), [
                    (int(one["startOffset"]), int(one["endOffset"]), int(one["count"]))
                    for function in script["functions"] for one in function["ranges"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return


def _runs(ranges: list[Range], start: int, end: int) -> bool:
    """Whether anything between two places ran; what ran can change only where a range begins or ends."""
    edges = {start, *(edge for first, last, _ in ranges for edge in (first, last) if start < edge < end)}
    return any(_innermost(ranges, at) for at in edges)


def _innermost(ranges: list[Range], at: int) -> int:
    around = [(end - start, -number, count) for number, (start, end, count) in enumerate(ranges) if start <= at < end]
    return min(around)[2] if around else 1


def _units(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode().encode("utf-16-le")) // 2
