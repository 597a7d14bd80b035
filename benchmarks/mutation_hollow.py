"""How many hollow fixes the gate refuses, and how many good ones with them: the held-out half of the corpus."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import ROOT, Ground
from benchmarks.mutation_packages import GROUP, size_of
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun, reason
from windtunnel.core.change import FileChange
from windtunnel.core.gate import GateVerdict
from windtunnel.tunnel import Tunnel

_HELD = ROOT / "tests/corpus/hollow/held"
_QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""What is installed beside Windtunnel has nothing to do with these projects."""
_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One fix of one case."""

    case: Path
    file: Path

    @property
    def hollow(self) -> bool:
        return self.file.parent.name == "hollow"

    def __str__(self) -> str:
        return f"{self.case.name}/{self.file.stem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the gate said."""

    fix: Fix
    verdict: str
    seconds: float

    @property
    def refused(self) -> bool:
        """Only what is good passes; nothing judged does not."""
        return self.verdict != GateVerdict.GOOD


def rows(ground: Ground) -> Iterator[Row]:
    """Hollow ones that were refused, good ones that were, and the time that one takes."""
    fixes = _fixes(size_of(ground).fixes)
    if not fixes:
        raise NotRun("the corpus of hollow fixes is not here (it comes with the source)")
    with ground.tunnel() as tunnel, ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(lambda fix: _judge(ground, tunnel, fix), fixes))
    hollow = [one for one in found if one.fix.hollow]
    good = [one for one in found if not one.fix.hollow]
    yield _share("hollow fixes refused", hollow, Target(limit=85.0, least=True), named=False)
    yield _share("good fixes refused", good, Target(limit=10.0), named=True)
    times = [one.seconds for one in found]
    yield Row(group=GROUP, name="gate of a fix of the corpus", value=statistics.median(times), p99=max(times), unit="s",
              of="value", note=f"{os.cpu_count()} at a time, one process each")


def _share(name: str, those: Sequence[Judged], target: Target, *, named: bool) -> Row:
    """``named``: the ones to be told of are those that were refused, else those that were not."""
    refused = [one for one in those if one.refused]
    odd = [f"{one.fix} ({one.verdict})" for one in those if one.refused is named]
    unknown = sum(one.verdict != GateVerdict.NOT_GOOD for one in refused)
    more = f": {', '.join(odd[:_NAMED])}{' …' if len(odd) > _NAMED else ''}" if odd else ""
    return Row(group=GROUP, name=name, value=100 * len(refused) / max(1, len(those)), unit="%", of="value",
               target=target, note=f"{len(refused)} of {len(those)}, {unknown} of them without a verdict; "
                                   f"{'refused' if named else 'not refused'}{more or ': none'}")


def _fixes(most: int | None) -> list[Fix]:
    """All, or some of each sort."""
    cases = sorted(path for path in _HELD.glob("*") if path.is_dir()) if _HELD.is_dir() else []
    every = [Fix(case=case, file=file) for kind in ("good", "hollow") for case in cases
             for file in sorted((case / kind).glob("*.py"))]
    if most is None:
        return every
    return [fix for kind in (True, False) for fix in [one for one in every if one.hollow is kind][:most]]


def _judge(ground: Ground, tunnel: Tunnel, fix: Fix) -> Judged:
    folder = ground.folder / f"fix-{fix.case.name}-{fix.file.parent.name}-{fix.file.stem}"
    folder.mkdir()
    name = f"{fix.case.name}.py"
    (folder / name).write_bytes((fix.case / "before.py").read_bytes())
    (folder / "test_visible.py").write_bytes((fix.case / "test_visible.py").read_bytes())
    change = FileChange(name, "modify", fix.file.read_text())
    began = time.perf_counter()
    try:
        verdict = str(tunnel.gate(folder, [change], test="pytest", jobs=1, env=_QUICK).verdict)
    except Exception as error:  # noqa: BLE001 -- counts as refused, and is named
        verdict = reason(error)
    return Judged(fix=fix, verdict=verdict, seconds=time.perf_counter() - began)
