"""One process of a measurement of runs per second: says when it is ready, waits for a word, counts.

Started as ``python -m benchmarks.worker KIND SECONDS FOLDER``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.ground import SMALL, Ground
from benchmarks.rates import actions, repeat


def main() -> None:
    kind, seconds, folder = sys.argv[1:]
    ground = Ground(folder=Path(folder), scale=SMALL)
    with ground.tunnel() as tunnel:
        act = actions(ground, tunnel)[kind]
        if kind != "bare":
            tunnel.warm_up()
        act()
        print("ready", flush=True)
        if sys.stdin.readline():
            print(repeat(act, float(seconds)), flush=True)


if __name__ == "__main__":
    main()
