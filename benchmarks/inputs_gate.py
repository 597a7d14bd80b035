"""What the gate adds to the reading of changes: ``python -m benchmarks.inputs_gate``.

Every Python change of ``tests/corpus/scanned/inputs``, cheats and honest ones, is judged by ``windtunnel gate``.
"""

from __future__ import annotations

from collections import Counter

from benchmarks.ground import ROOT
from windtunnel.tunnel import Tunnel
from windtunnel.workspace.patch import read_patch

_CASES = ROOT / "tests/corpus/scanned/inputs/cases"


def main() -> None:
    """A line for each change, then the counts."""
    found: Counter[tuple[str, str, str]] = Counter()
    with Tunnel(pool_size=0) as tunnel:
        for case in sorted(_CASES.iterdir()):
            project = case / "project"
            if not any(project.rglob("*.py")):
                continue
            change = read_patch((case / "change.patch").read_bytes(), project=project)
            told = tunnel.gate(project, change, test="python -m pytest tests", keep=False)
            doubt = told.doubt.state if told.doubt is not None else "not asked"
            found[case.name.partition("_")[0], str(told.verdict), doubt] += 1
            print(f"{case.name}: {told.verdict}, {'; '.join(told.reasons)}", flush=True)
    for (kind, verdict, state), count in sorted(found.items()):
        print(f"{kind:7} {verdict:15} doubt {state:11} {count}")


if __name__ == "__main__":
    main()
