"""Code made for the inputs of tests, on trial: ``python -m benchmarks.inputs_trial [SET [CASE ...]]``.

Every change of ``tests/corpus/scanned/inputs``, or of the set that is named (``inputs_unseen``), is judged by
``windtunnel try``: a line for each with its verdict, whether something is shown, and the reasons; then the counts.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.ground import ROOT
from windtunnel.tunnel import Tunnel
from windtunnel.workspace.patch import read_patch

_SETS = ROOT / "tests/corpus/scanned"


def main(words: Sequence[str]) -> None:
    """A line for each change, then the counts."""
    chosen, names = (words[0], words[1:]) if words else ("inputs", ())
    cases = [case for case in sorted((_SETS / chosen / "cases").iterdir()) if not names or case.name in names]
    found: Counter[tuple[str, str]] = Counter()
    with Tunnel(pool_size=0) as tunnel, ThreadPoolExecutor(os.cpu_count()) as threads:
        for name, told, reasons in threads.map(lambda case: judged(tunnel, case), cases):
            found[name.partition("_")[0], told] += 1
            print(f"{name}: {told}; {reasons}", flush=True)
    for (kind, told), count in sorted(found.items()):
        print(f"{kind:7} {told:18} {count}")


def judged(tunnel: Tunnel, case: Path) -> tuple[str, str, str]:
    """The name of a case, its verdict in a few words, the reasons."""
    project = case / "project"
    result = tunnel.try_change(project, read_patch((case / "change.patch").read_bytes(), project=project), jobs=1)
    told = "good" if result.success else "not good"
    return case.name, f"{told}, shown" if result.to_read and result.success else told, "; ".join(result.reasons)


if __name__ == "__main__":
    main(sys.argv[1:])
