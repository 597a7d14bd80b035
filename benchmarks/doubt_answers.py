"""What all versions of each fix of the corpus answer: ``python -m benchmarks.doubt_answers tune tune.jsonl``.

A line for each fix, for ``benchmarks.doubt_learning``: the words that the gate would hear with the case's other fixes
given. The same scripts make the inputs and compare, in a process of its own instead of a sandbox, and a few lines take
the place of pytest, which makes it several times as fast; the corpus is our own code. Nothing is judged here.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import windtunnel.mutation
from benchmarks.ground import ROOT
from windtunnel.core.limits import GIB, Limits
from windtunnel.engine.disagreement import Rivalry, options_of, targets_of
from windtunnel.mutation.alternatives.made import new_literals

_CORPUS = ROOT / "tests/corpus/hollow"
_INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"
_TEST_SECONDS, _WALL_SECONDS = 0.3, 120.0
_MOST_TRIED, _MOST_PASSING, _TOGETHER = 60, 24, 12
"""As in the sandbox; so many edits are judged by one copy of the process."""
Word = dict[str, Any]
Test = Callable[[], object]


def main() -> None:
    """Write the lines, case by case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("tune", "held"))
    parser.add_argument("path", type=Path)
    chosen = parser.parse_args()
    sys.path[:0] = [str(_INSIDE), str(_INSIDE / "doubt"), str(_CORPUS)]
    with chosen.path.open("w") as file:
        for fix in sorted((_CORPUS / chosen.part).glob("*/*/*.py")):
            file.write(json.dumps(answers(fix)) + "\n")
            file.flush()


def answers(fix: Path) -> Word:
    """What the versions of one fix answer, with what is known of it."""
    case = fix.parent.parent
    name, before = f"{case.name}.py", (case / "before.py").read_bytes()
    rivals = sorted(set(case.glob("*/*.py")) - {fix})
    asked = Rivalry(project="", files={name: (before, fix.read_bytes())}, overlay={}, test="pytest", limits=Limits(),
                    env={}, given=[{name: rival.read_bytes()} for rival in rivals])
    targets = targets_of(asked.files)
    options = {**options_of(asked, targets), "workers": 1, "memory": GIB // 2}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(fix.read_bytes())
        said = _apart(lambda: _Trial(case, Path(folder), options).said())
    return {"case": case.name, "fix": fix.stem, "hollow": fix.parent.name == "hollow", "said": said,
            "new": [repr(value) for value in new_literals(targets)]}


def _apart(act: Callable[[], list[Word]]) -> list[Word]:
    """In a copy of this process, which keeps what it does to itself."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            with os.fdopen(write, "w") as file:
                json.dump(act(), file)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return list(json.loads(text)) if text else [{"kind": "note", "what": "it did not come to its end"}]


class _Trial:
    """One fix, loaded as its tests load it."""

    def __init__(self, case: Path, folder: Path, options: Mapping[str, Any]) -> None:
        """In a process that nobody needs afterwards."""
        gc.freeze()
        gc.disable()
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        importlib.import_module(case.name)
        self.options, self.others = options, options["alternatives"]
        self.tests = list(_tests(case / "test_visible.py"))
        self.worlds, self.forks = (importlib.import_module(f"windtunnel_doubt_{name}") for name in ("worlds", "forks"))
        self.world = self.worlds.World(options["targets"])
        self.until = time.monotonic() + _WALL_SECONDS

    def said(self) -> list[Word]:
        """All words, as the sandbox would seal them."""
        words: list[Word] = []
        kept = list(self._kept())
        passing = sorted(self._passing(kept))
        calls = importlib.import_module("windtunnel_doubt_calls").Calls(self.world.codes)
        calls.start()
        _pass(self.tests)
        calls.stop()
        words.append({"kind": "judged", "tried": len(kept), "passing": len(passing)})
        made = [number for number in passing if not self.others[number]["files"]][:_MOST_PASSING]
        importlib.import_module("windtunnel_doubt_compare").Comparison(
            self.options, self.world, calls, say=lambda kind, **more: words.append({"kind": kind, **more}),
            until=self.until).tell([number for number in passing if self.others[number]["files"]] + made, judges=1)
        return words

    def _kept(self) -> Iterator[int]:
        """Given patches, and the first edits that are neither the change nor the code before it."""
        targets, many = self.options["targets"], 0
        seen = {(at, self.worlds.fingerprint(target[name], target["classes"])) for at, target in enumerate(targets)
                for name in ("before", "after") if target[name]}
        for number, other in enumerate(self.others):
            if other["files"]:
                yield number
                continue
            mark = other["target"], self.worlds.fingerprint(other["text"], targets[other["target"]]["classes"])
            if mark[1] is not None and mark not in seen and many < _MOST_TRIED:
                many += 1
                seen.add(mark)
                yield number

    def _passing(self, numbers: Sequence[int]) -> Iterator[int]:
        whole = [[number] for number in numbers if self.others[number]["files"]]
        edits = [number for number in numbers if not self.others[number]["files"]]
        jobs = [*whole, *(edits[at:at + _TOGETHER] for at in range(0, len(edits), _TOGETHER))]
        for ended in self.forks.forked(jobs, self._judge, workers=1, wall=_WALL_SECONDS, until=self.until):
            yield from map(int, ended.data.split())

    def _judge(self, numbers: Sequence[int], write: int) -> None:
        functions = [each for some in self.world.live.values() for each in some]
        kept = [(each.__code__, each.__defaults__, each.__kwdefaults__) for each in functions]
        for number in numbers:
            other, world = self.others[number], self.world
            fits = world.become(other["files"]) if other["files"] else world.put(other["target"], other["text"])
            if fits and _pass(self.tests):
                os.write(write, b"%d\n" % number)
            for each, own in zip(functions, kept, strict=True):
                each.__code__, each.__defaults__, each.__kwdefaults__ = own
        os._exit(0)


def _tests(path: Path) -> Iterator[Test]:
    space: dict[str, object] = {"__name__": path.stem}
    exec(compile(path.read_bytes(), str(path), "exec"), space)
    for _, act in importlib.import_module("prove").acts(space):
        yield act


def _pass(tests: Sequence[Test]) -> bool:
    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGPROF, ring)
    try:
        for test in tests:
            signal.setitimer(signal.ITIMER_PROF, _TEST_SECONDS)
            test()
    except BaseException:  # noqa: BLE001 -- whatever ends it, it did not pass
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return True


if __name__ == "__main__":
    main()
