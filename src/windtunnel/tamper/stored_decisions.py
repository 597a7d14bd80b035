"""Rows of data files that a program looks things up in: each new line decides by what it begins with."""

from __future__ import annotations

import re
from itertools import islice

from windtunnel.tamper.decision import Decision
from windtunnel.tamper.novelty import Novelty

STORED = (".json", ".csv", ".tsv", ".txt", ".toml", ".yaml", ".yml", ".ini", ".dat", ".properties")
MOST_LINES = 400
MOST_CELLS = 12
LEAST = 3
"""Characters of a key that tells something."""
_CELL = re.compile(r"\"((?:[^\"\\]|\\.){0,200})\"|'([^']{0,200})'|([^\s,;:={}\[\]\"'|][^,;:={}\[\]\"'\t|]{0,200})")


def stored_decisions(data: bytes, new: Novelty) -> list[Decision]:
    """The first cell of each new line, with the last one as its answer."""
    found: list[Decision] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if number in new and len(found) < MOST_LINES:
            matches = islice(_CELL.finditer(line), MOST_CELLS)
            cells = [next(filter(None, match.groups()), "").strip() for match in matches]
            if cells and len(cells[0]) >= LEAST:
                answer = cells[-1] if len(cells) > 1 else ""
                found.append(Decision(value=cells[0], how="row", line=number, subject="row", group=1,
                                      evidence=line.strip()[:160],
                                      answer=_written(answer) if answer else None))  # fmt: skip
    return found


def _written(text: str) -> str:
    return text if re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", text) else repr(text)
