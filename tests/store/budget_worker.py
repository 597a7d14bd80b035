"""A process that spends from one budget until it is spent; used by test_allowances.py.

It prints the millionths that it used, one line for each act, before it settles them. It begins when it is given a line;
one with an odd seed holds something by then, and dies.
"""

import os
import random
import signal
import sys

from windtunnel.core.allowance import MILLION, Allowance, Counted, Scope
from windtunnel.core.errors import BudgetSpent
from windtunnel.store.allowances import Allowances

COUNTED = (Counted(allowance=Allowance(id="all", scope=Scope.TOTAL, amounts={"wall_seconds": 30 * MILLION}), name=""),)


def tell(number):
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main(path, seed):
    choose = random.Random(seed)
    store = Allowances(path)
    if seed % 2:
        store.reserve(COUNTED, {"wall_seconds": 2 * MILLION}, seconds=60)
    tell(0)
    sys.stdin.readline()
    if seed % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    for _ in range(40):
        try:
            held = store.reserve(COUNTED, {"wall_seconds": choose.randrange(MILLION, 3 * MILLION)}, seconds=60)
        except BudgetSpent as refusal:
            if not refusal.standing.reserved:
                return
            continue
        used = choose.randrange(held.granted["wall_seconds"] + 1)
        tell(used)
        store.settle(held, {"wall_seconds": used})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
