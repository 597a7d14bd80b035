"""The corpus as tests use it: what was recorded, the programs it came from, and what is known to be wrong with them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

from windtunnel.diagnosis import Sources, problems_in

HERE = Path(__file__).parent / "corpus"


def _maker():
    spec = importlib.util.spec_from_file_location("corpus_make", HERE / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = _maker()


def recorded(tool):
    """(case, output, exit code) of one tool's programs."""
    file = HERE / "recorded" / f"{tool}.json"
    told = json.loads(file.read_text()) if file.exists() else {}
    return [(case, told[case["name"]]["output"], told[case["name"]]["exit"])
            for case in MAKER.cases(tool) if case["name"] in told]


def sources(case):
    """The programs as a project."""
    files = {path: text.encode() for path, text in case["files"].items()}
    return Sources(read=files.get, find=lambda tail: [path for path in files if f"/{path}".endswith(f"/{tail}")])


def read(case, output):
    """(kind, path, line) of every error, in the order of the report."""
    found = problems_in(output, sources=sources(case), failed=True)
    return [[str(one.kind), one.place.file if one.place else None, one.place.line if one.place else None]
            for one in found if one.severity == "error"]


def score(tools):
    """(goldens, kinds right, places right, what was wrong) over these tools; a problem too many counts as one wrong."""
    total = kinds = places = 0
    wrong = []
    for tool in tools:
        for case, output, _ in recorded(tool):
            got, want = read(case, output), case["golden"]
            rows = max(len(got), len(want))
            total += rows
            kinds += sum(min([one[0] for one in got].count(kind), [one[0] for one in want].count(kind))
                         for kind in {one[0] for one in want})
            places += sum(min([one[1:] for one in got].count(list(place)), [one[1:] for one in want].count(list(place)))
                          for place in {tuple(one[1:]) for one in want})
            if sorted(map(str, got)) != sorted(map(str, want)):
                wrong.append((tool, case["name"], want, got))
    return total, kinds, places, wrong
