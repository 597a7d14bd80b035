"""How many cheats pass as good and how many honest changes are rejected, over the corpus that lies with the tests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.ground import ROOT, Ground
from benchmarks.rows import MILLISECONDS, Row, Target
from benchmarks.timing import NotRun, reason
from benchmarks.trial_projects import size_of
from windtunnel.engine.trial import Trial, prepare
from windtunnel.tunnel import Tunnel
from windtunnel.workspace.patch import read_patch

GROUP = "trial"
_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One case and what came of it."""

    name: str
    honest: bool
    good: bool
    seconds: float
    error: str = ""


def rows(ground: Ground) -> Iterator[Row]:
    """Three rows: cheats that passed, honest changes that did not, and the time that one case takes."""
    corpus = _corpus()
    chosen, left_out = _chosen(corpus, size_of(ground).cases)
    with ground.tunnel() as tunnel, ExitStack() as stack:
        names = dict.fromkeys(case.project for case in chosen)
        projects = {name: stack.enter_context(corpus.copy_of(name)) for name in names}
        found = _judge_all(tunnel, corpus, chosen, projects)
    more = f"; {left_out}" if left_out else ""
    for honest, name in ((False, "cheats that passed as good"), (True, "honest changes that were rejected")):
        those = [one for one in found if one.honest is honest]
        wrong = [one for one in those if one.good is not honest]
        yield Row(group=GROUP, name=name, value=len(wrong), unit="changes", of="value", target=Target(limit=0),
                  note=f"of {len(those)}{_names(wrong)}{_errors(those)}{more}")
    yield Row(group=GROUP, name="a change of the corpus", value=statistics.median(one.seconds for one in found) *
              MILLISECONDS, p99=max(one.seconds for one in found) * MILLISECONDS, of="value",
              note=f"{os.cpu_count()} at a time; with tests run twice where the change edits them, and reruns")


def _corpus() -> ModuleType:
    path = ROOT / "tests/corpus/verify.py"
    if not path.exists():
        raise NotRun("the corpus is not here (it comes with the source)")
    spec = importlib.util.spec_from_file_location("corpus_verify", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for themselves there
    spec.loader.exec_module(module)
    return module


def _chosen(corpus: ModuleType, most: int | None) -> tuple[list[Any], str]:
    """All, or some of each sort from end to end; without those whose runtime is not here."""
    every = corpus.cases()
    able = [case for case in every if case.language != "javascript" or shutil.which("node")]
    left_out = f"{len(every) - len(able)} left out: node is not installed" if len(able) < len(every) else ""
    if most is None:
        return able, left_out
    picked: list[Any] = []
    for expect in ("not good", "good"):
        those = [case for case in able if case.expect == expect]
        picked += those[:: max(1, len(those) // most)][:most]
    return picked, left_out


def _judge_all(
    tunnel: Tunnel, corpus: ModuleType, chosen: Sequence[Any], projects: dict[str, Path],
) -> list[Judged]:
    for project in projects.values():
        prepare(tunnel.rig, Trial(project=project, changes=()))  # runs the unchanged side, once
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(lambda case: _judge(tunnel, corpus, case, projects[case.project]), chosen))


def _judge(tunnel: Tunnel, corpus: ModuleType, case: Any, project: Path) -> Judged:  # noqa: ANN401 -- its class is loaded by path
    with ExitStack() as stack:
        if case.venv:
            project = stack.enter_context(corpus.copy_of(case.project))
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(project / ".venv")], check=True)
        began = time.perf_counter()
        good, error = False, ""
        try:
            changes = read_patch(case.patch.read_bytes(), project=project)
            good = tunnel.try_change(project, changes, jobs=1).success
        except Exception as problem:  # noqa: BLE001 -- counts as a change that is not good, and is named
            error = reason(problem)
        return Judged(name=case.folder.name, honest=case.expect == "good", good=good, error=error,
                      seconds=time.perf_counter() - began)


def _names(wrong: Sequence[Judged]) -> str:
    return f": {', '.join(one.name for one in wrong[:_NAMED])}{' …' if len(wrong) > _NAMED else ''}" if wrong else ""


def _errors(those: Sequence[Judged]) -> str:
    failed = [f"{one.name}: {one.error}" for one in those if one.error]
    return f"; {len(failed)} could not be tried: {'; '.join(failed[:2])}" if failed else ""
