"""How many fixes of the corpus are doubted: ``python -m benchmarks.doubt_corpus held [--given]``.

``--given`` hands the case's other fixes over as alternatives, as somebody with several patches would.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ground import ROOT
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.gate import Doubt
from windtunnel.core.ports import Rig
from windtunnel.engine.disagreement import Rivalry, disagreement
from windtunnel.engine.premises import overlay_of, trial_limits
from windtunnel.tunnel import Tunnel

_CORPUS = ROOT / "tests/corpus/hollow"
_QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def main() -> None:
    """A line for each fix, then the counts of each kind and state."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("tune", "held"))
    parser.add_argument("--given", action="store_true", help="compare with the case's other fixes too")
    chosen = parser.parse_args()
    found: Counter[tuple[str, str]] = Counter()
    with Tunnel(pool_size=0) as tunnel:
        for fix in _fixes(_CORPUS / chosen.part):
            doubt = _doubt(tunnel.rig, fix, given=chosen.given)
            found[fix.parent.name, doubt.state] += 1
            print(f"{fix.parent.parent.name}/{fix.parent.name}/{fix.stem}: {doubt.state} {doubt.reason}", flush=True)
    for (kind, state), count in sorted(found.items()):
        print(f"{kind:7} {state:11} {count}")


def _fixes(folder: Path) -> Iterator[Path]:
    for case in sorted(folder.iterdir()):
        yield from sorted([*case.glob("good/*.py"), *case.glob("hollow/*.py")])


def _doubt(rig: Rig, fix: Path, *, given: bool) -> Doubt:
    case = fix.parent.parent
    name, before, after = f"{case.name}.py", (case / "before.py").read_bytes(), fix.read_bytes()
    rivals = sorted({*case.glob("good/*.py"), *case.glob("hollow/*.py")} - {fix})
    others = [{name: other.read_bytes()} for other in rivals]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(before)
        (Path(folder) / "test_visible.py").write_bytes((case / "test_visible.py").read_bytes())
        change = ChangeSet(changes=(FileChange(name, "modify", after.decode()),))
        return disagreement(rig, Rivalry(
            project=folder, files={name: (before, after)}, overlay=overlay_of(change), test="pytest", env=_QUICK,
            limits=trial_limits(None, caps=rig.caps), given=others if given else ()))


if __name__ == "__main__":
    main()
