"""A process that does acts under one budget of acts and one of time; used by test_purse.py.

Each act stops three times, says how far it came, and goes on when it is given a line: before it begins, before its
program and while its program runs.
"""

import random
import sys

from windtunnel.core.allowance import MILLION, Allowance, Counted, Scope
from windtunnel.core.errors import BudgetSpent
from windtunnel.engine.purse import Purse
from windtunnel.store.allowances import Allowances

ROUNDS = 3
COUNTED = (
    Counted(allowance=Allowance(id="acts", scope=Scope.ACTOR, amounts={"acts": 9 * MILLION}), name="ann"),
    Counted(allowance=Allowance(id="time", scope=Scope.TOTAL, amounts={"cpu_seconds": 12 * MILLION}), name=""))


def stop(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()
    sys.stdin.readline()


def act(purse, choose):
    stop("ready")
    try:
        purse.begin()
        stop("begun")
        with purse.timed(wall_seconds=60.0, cpu_seconds=choose.uniform(6.0, 12.0)) as share:
            share.use(wall_seconds=0.1, cpu_seconds=choose.random())
            stop("ran")
    except BudgetSpent:
        stop("refused")


def main(path, seed):
    choose, store = random.Random(seed), Allowances(path)
    for _ in range(ROUNDS):
        act(Purse(store, COUNTED), choose)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
