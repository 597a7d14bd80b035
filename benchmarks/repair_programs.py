"""Classic algorithms and small functions with one fault each: how many are repaired, and how many rightly."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks import repair_behaviour
from benchmarks.ground import Ground
from benchmarks.repair_corpus import Fault, faults, lay_out, sample
from benchmarks.repair_outcomes import BUDGET_SECONDS, Fix, Hopes, Outcome, ask, rows, scratch
from benchmarks.rows import Row

QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""What is installed beside Windtunnel has nothing to do with these projects."""
HOPES = {
    "classic": Hopes(repaired=95.0, right=90.0, seconds=2.0),
    "functions": Hopes(repaired=85.0, right=80.0, kinds={"missing logic": 60.0}),
}
_COMPARING_SECONDS = 120


def part_rows(ground: Ground, fix: Fix, *, part: str, most: int | None) -> Iterator[Row]:
    """The rows of one part of the corpus."""
    those = measured(ground, fix, those=sample(faults(part), most))
    yield from rows(part, those, hopes=HOPES[part], by_kind=part == "functions")


def measured(ground: Ground, fix: Fix, *, those: Sequence[Fault],
             told: Callable[[Outcome], None] = lambda _: None) -> list[Outcome]:
    """One fix after the other; ``told`` hears of each."""
    found = []
    for fault in those:
        project = lay_out(fault, scratch(ground, fault.name))
        found.append(ask(fix, project, name=fault.name, kind=fault.kind, differs=_against(fault), test="pytest",
                         budget=BUDGET_SECONDS, env=QUICK))
        told(found[-1])
    return found


def _against(fault: Fault) -> Callable[[Mapping[str, str]], str]:
    def differs(texts: Mapping[str, str]) -> str:
        others = sorted(texts.keys() - {f"{fault.name}.py"})
        if others:
            return f"writes {', '.join(others)}"
        return compared(fault, texts[f"{fault.name}.py"])
    return differs


def compared(fault: Fault, source: str) -> str:
    """What tells a program from the good one, found in a process of its own; empty where nothing does."""
    asked = {"good": fault.good, "other": source, "name": fault.name, "inputs": fault.inputs, "driver": fault.driver}
    try:
        done = subprocess.run([sys.executable, "-I", repair_behaviour.__file__], input=json.dumps(asked) + "\n",
                              capture_output=True, text=True, timeout=_COMPARING_SECONDS, check=True)
        return str(json.loads(done.stdout.splitlines()[-1]))
    except (subprocess.SubprocessError, IndexError, ValueError) as error:
        return f"cannot be compared: {type(error).__name__}"
