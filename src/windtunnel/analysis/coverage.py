"""Coverage of lines, as a report in the tree says; nothing is run to get one.

Read are, in this order: coverage.py's JSON, Cobertura's XML (coverage.xml), Istanbul's summary, lcov, JaCoCo, Go's
profile, and coverage.py's own ``.coverage``. The last knows which lines ran but not which could have: these are counted
by Python's own parser, as the first lines of statements that are not docstrings, in files that are still there.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from windtunnel.analysis.ecosystems.base import table_in
from windtunnel.analysis.listing import Listing

DATABASE = ".coverage"
_RATE = re.compile(r"<coverage\b[^>]{0,2000}?\bline-rate=\"([\d.]{1,20})\"")
_COUNTER = re.compile(r"<counter type=\"LINE\" missed=\"(\d{1,12})\" covered=\"(\d{1,12})\"/>")
_GO = re.compile(r"^[^\s:]{1,300}:\d{1,7}\.\d{1,7},\d{1,7}\.\d{1,7} (\d{1,7}) (\d{1,15})$", re.MULTILINE)
_MOST_FILES = 3000
_MOST_SOURCE = 1024**2
_PLACES = ("", "coverage/", "build/reports/jacoco/test/", "target/site/jacoco/", "htmlcov/", "reports/", "build/")


def coverage(listing: Listing, root: Path | None) -> tuple[float | None, str]:
    """Of lines, from 0 to 1, and the file that says so; nothing where there is no report."""
    for name, read in _REPORTS:
        for path in (f"{place}{name}" for place in _PLACES):
            if listing.has(path) and (found := read(listing.text(path))) is not None:
                return found, path
    if root is not None and (found := _database(root)) is not None:
        return found, DATABASE
    return None, ""


def _share(covered: float, total: float) -> float | None:
    return min(1.0, max(0.0, covered / total)) if total > 0 else None


def _json(text: str) -> Mapping[str, object]:
    try:
        return table_in(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _of_json(text: str) -> float | None:
    totals = table_in(_json(text), "totals")
    covered, total = totals.get("covered_lines"), totals.get("num_statements")
    return _share(covered, total) if isinstance(covered, int) and isinstance(total, int) else None


def _of_summary(text: str) -> float | None:
    lines = table_in(_json(text), "total", "lines")
    covered, total = lines.get("covered"), lines.get("total")
    return _share(covered, total) if isinstance(covered, int) and isinstance(total, int) else None


def _of_cobertura(text: str) -> float | None:
    found = _RATE.search(text[:100_000])
    try:
        return _share(float(found[1]), 1.0) if found else None
    except ValueError:
        return None


def _of_lcov(text: str) -> float | None:
    total = covered = 0
    for line in text.split("\n"):
        kind, _, number = line.strip().partition(":")
        if kind in ("LF", "LH") and number.isdigit() and len(number) < 12:  # noqa: PLR2004 -- no file has more lines
            total += int(number) if kind == "LF" else 0
            covered += int(number) if kind == "LH" else 0
    return _share(covered, total)


def _of_jacoco(text: str) -> float | None:
    """The last counter is that of the whole report."""
    found = _COUNTER.findall(text)
    return _share(int(found[-1][1]), int(found[-1][0]) + int(found[-1][1])) if found else None


def _of_go(text: str) -> float | None:
    if not text.startswith("mode:"):
        return None
    rows = [(int(statements), int(count)) for statements, count in _GO.findall(text)]
    return _share(sum(statements for statements, count in rows if count), sum(statements for statements, _ in rows))


_REPORTS: tuple[tuple[str, Callable[[str], float | None]], ...] = (
    ("coverage.json", _of_json), ("coverage.xml", _of_cobertura), ("cobertura-coverage.xml", _of_cobertura),
    ("cobertura.xml", _of_cobertura), ("coverage-summary.json", _of_summary), ("lcov.info", _of_lcov),
    ("jacocoTestReport.xml", _of_jacoco), ("jacoco.xml", _of_jacoco), ("cover.out", _of_go), ("coverage.out", _of_go),
    ("coverage.txt", _of_go), ("c.out", _of_go))


def _database(root: Path) -> float | None:
    path = root / DATABASE
    if path.is_symlink() or not path.is_file():
        return None
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            ran = _ran(database)
    except (sqlite3.Error, TypeError, ValueError, OverflowError):
        return None
    covered = total = 0
    top = os.path.realpath(root)
    for name, lines in list(ran.items())[:_MOST_FILES]:
        statements = _statements(name, top)
        total += len(statements)
        covered += len(statements & lines)
    return _share(covered, total)


def _ran(database: sqlite3.Connection) -> dict[str, set[int]]:
    names = dict(database.execute("SELECT id, path FROM file LIMIT ?", (_MOST_FILES,)).fetchall())
    ran: dict[str, set[int]] = {str(name): set() for name in names.values()}
    for file, bits in database.execute("SELECT file_id, numbits FROM line_bits LIMIT 100000"):
        if file in names and isinstance(bits, bytes):
            ran[str(names[file])] |= {byte * 8 + bit for byte, value in enumerate(bits[:100_000])
                                      for bit in range(8) if value >> bit & 1}
    for file, *ends in database.execute("SELECT file_id, fromno, tono FROM arc LIMIT 5000000"):
        if file in names:
            ran[str(names[file])].update(end for end in ends if isinstance(end, int) and end > 0)
    return ran


def _statements(name: str, top: str) -> set[int]:
    """The lines of a file of the project that could have run."""
    real = os.path.realpath(os.path.join(top, name))  # noqa: PTH118 -- an absolute name stays as it is
    if not real.startswith(f"{top}/") or not real.endswith(".py"):
        return set()
    try:
        source = Path(real).read_bytes()[:_MOST_SOURCE]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return set(_first_lines(ast.walk(tree)))


def _first_lines(nodes: Iterable[ast.AST]) -> Iterable[int]:
    for node in nodes:
        if isinstance(node, ast.stmt) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node.lineno
