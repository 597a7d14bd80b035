"""Starts a command while faults hold that every process below it meets; or measures them, and starts nothing.

Runs inside the sandbox. The faults that it can be given are those that outlive the start of another program: of the
disk, the processor and the environment. ``argv`` is a table of faults and the command; without them, tables of what is
begun and what is measured come by standard input. Valid from Python 3.8 on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import List

import windtunnel_faults as faults  # type: ignore[import-not-found]  # lies beside this file


def run(given: List[str]) -> int:
    """Start the command, which gets our standard streams untouched; its exit code, or 128 and its signal."""
    faults.begin(json.loads(given[0]))
    try:
        code = subprocess.call(given[1:])
    finally:
        faults.end()
    return code if code >= 0 else 128 - code


def measure() -> int:
    """Print what the probes see."""
    told = json.loads(sys.stdin.buffer.read())
    faults.begin(told["begin"])
    seen = json.dumps(faults.probe(told["probe"]))
    faults.end()
    sys.stdout.write(seen)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]) if sys.argv[1:] else measure())
