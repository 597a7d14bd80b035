"""Judges mutants: tests are collected once, and each mutant is tried in a copy of that process.

Three processes. The first has pytest loaded and nothing of the project; it decides what is tried, and its sealed
records are all that is believed. The second, its child, has collected the tests and is copied for each mutant that can
be switched on in memory. For any other mutant the first one is copied instead, and loads the project with the mutant.
What holds against a hostile project: it cannot send a record, look into the process that decides, or touch a file
outside the sandbox. What does not hold: tests and code run in one process, so a project can have any of its own mutants
end as noticed or not noticed, as it can have its own tests pass; the tamper gate looks at changes for that.
"""



from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

_MOST_DESCRIPTORS = 256


def main() -> int:
    """Judge all; the exit code says whether it came to its end."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_mutant_bench as bench  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_mutant_kin as kin  # type: ignore[import-not-found]  # the same
    import windtunnel_mutant_trust as trust  # type: ignore[import-not-found]  # the same
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same

    del sys.path[0]
    kin.become_hidden()
    send: Any = seal.sender((bench, trust, sys.modules[__name__]))
    options = seal.options()
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    seal.hide("pytest")
    judge = bench.Bench(send, options, isolate=close_ways_out,
                        open_paths=lambda: seal.open_paths(current=options["module"]))
    return int(judge.run())


def close_ways_out() -> None:
    """In a copy: nothing of it can write where records are written."""
    out = os.fstat(1)
    for descriptor in range(3, _MOST_DESCRIPTORS):
        with contextlib.suppress(OSError):
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == (out.st_dev, out.st_ino):
                os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main())
