"""What comparing docs with code costs: of Windtunnel's own sources, the first time and again after one file changed.

Run as ``python -m benchmarks.simulate_discrepancies [FOLDER]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ground import ROOT, Ground
from benchmarks.rows import Row, Target
from windtunnel.metrics.discrepancies import Known, find_discrepancies, read_files

GROUP = "simulate"


def measure(folder: Path) -> tuple[int, float, float]:
    """Files, and seconds of the processor: at first, and with one Python file that is longer by a line."""
    files, known = read_files(folder), Known()
    began = time.process_time()
    find_discrepancies(files, known=known)
    first = time.process_time() - began
    path = next(path for path in files if path.endswith(".py"))
    changed = {**files, path: files[path] + b"\nnew_name = 1\n"}
    began = time.process_time()
    again = find_discrepancies(changed, known=known)
    second = time.process_time() - began
    if again != find_discrepancies(changed):
        raise AssertionError("what was remembered changed the findings")
    return len(files), first, second


def rows(ground: Ground) -> Iterator[Row]:
    """Of all sources; in the smallest setting, of one package."""
    files, first, second = measure(ROOT / "src" if ground.scale.runs > 10 else ROOT / "src" / "windtunnel" / "metrics")
    yield Row(group=GROUP, name="discrepancies again after one file changed", value=second, unit="s", of="value",
              beside="the first time", other=first, target=Target(limit=1.0), note=f"{files} files, processor time")


if __name__ == "__main__":
    print("{} files: first {:.2f} s, again {:.2f} s".format(*measure(
        Path(sys.argv[1]) if sys.argv[1:] else ROOT / "src")))
