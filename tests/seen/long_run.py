"""A long run for tests: ``long_run.py FOLDER CYCLES [DEATHS]``.

Goes on with the run in FOLDER. With DEATHS, a file of places where to die, it kills itself at the first of them and takes
it from the file.
"""

import json
import os
import random
import signal
import sys
from pathlib import Path

from windtunnel.engine.recovery import journal as journals
from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.recovery.resuming import resume


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def step(cycle):
    chance = random.Random(cycle.seed)
    assert list(cycle.scratch.iterdir()) == []
    (cycle.scratch / "half").write_text("what a cycle leaves when it is killed")
    total = sum(chance.random() for _ in range(2000))
    last = cycle.before[-1]["total"] if cycle.before else 0.0
    print(cycle.number, flush=True)  # noqa: T201 -- whoever kills it counts them
    return {"number": cycle.number, "total": last + total, "words": "x" * chance.randrange(5000)}


class Dying:
    """The system as the journal sees it, in the cycle that is killed: it dies at one place of an append."""

    def __init__(self, place):
        self.place = place

    def __getattr__(self, name):
        return getattr(os, name)

    def write(self, descriptor, data):
        if self.place != "half a line":
            return os.write(descriptor, data)
        os.write(descriptor, data[:len(data) // 2])
        return die()

    def fsync(self, descriptor):
        if self.place == "before fsync":
            die()
        os.fsync(descriptor)
        die()


def dying_step(cycle, deaths):
    told = step(cycle)
    number, place = deaths[0]
    if cycle.number == number:
        if place == "step":
            die()
        journals.os = Dying(place)
    return told


def main(folder, cycles, path=None):
    deaths = json.loads(Path(path).read_text()) if path else []
    if deaths:
        Path(path).write_text(json.dumps(deaths[1:]))
    with Journal(Path(folder)) as journal:
        resume(journal, (lambda cycle: dying_step(cycle, deaths)) if deaths else step, most_cycles=int(cycles))


if __name__ == "__main__":
    main(*sys.argv[1:])
