"""Makes calls of sections once, watched: which lines and branches of the project's files they run, imports included.

Started by itself, with an order on standard input. The process that counts and reports loads nothing of the project;
modules are loaded in a copy of it, and the calls of each section are made in copies of that one.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

Row = Dict[str, Any]
Arcs = Dict[str, Set[Tuple[int, int]]]
"""By file: the lines that ran after one another; from 0 where the one before is not known, to 0 at a return."""
IMPORT_SECONDS = 120.0
MOST_SOURCE, MOST_ARCS = 1024**2, 200_000


def _learn(known: Arcs, told: Any) -> None:
    """What a copy tells; what is not as one writes it is left out."""
    if not isinstance(told, dict):
        return
    for name, pairs in told.items():
        arcs = known.get(name)
        if arcs is None or not isinstance(pairs, list) or len(arcs) > MOST_ARCS:
            continue
        arcs.update((pair[0], pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) == 2
                    and all(isinstance(one, int) for one in pair))


def _as_told(arcs: Arcs) -> Dict[str, List[List[int]]]:
    return {name: sorted(map(list, some)) for name, some in arcs.items() if some}


def _host(order: Row, say: Callable[[Any], None]) -> None:
    """Load all modules watched, then call each section in a copy; what each showed is told when it is over."""
    import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs

    forks.adopt()
    import windtunnel_section_host as host  # type: ignore[import-not-found]  # the same
    import windtunnel_section_watch as watch  # type: ignore[import-not-found]  # the same

    sys.path.append(sys.path.pop(0))
    place = os.getcwd()
    roots = list(dict.fromkeys(os.path.join(place, row["root"]) for row in order["sections"]))
    sys.path[:0] = [*roots, *(path for path in (place, os.path.join(place, "src")) if path not in roots)]
    modules = host.Host({**order, "jobs": 1}, lambda _: None)
    watching = watch.Watch({os.path.join(place, path): path for path in order["files"]})
    with watching:
        modules._load(order["sections"])
    for name, some in watching.take().items():
        say(_as_told({name: some}))
    for row in order["sections"]:
        say(_as_told(_section(forks, modules, row, watching, order)))


def _section(forks: Any, modules: Any, row: Row, watching: Any, order: Row) -> Arcs:
    """What the calls of one section ran."""
    found: Arcs = {name: set() for name in watching.arcs}

    def act(say: Callable[[Any], None]) -> None:
        _called(modules, row, watching, order, say)

    copy = forks.Copy(act, line_seconds=order["seconds"], whole_seconds=order["seconds"] * (len(row["calls"]) + 1))
    while not copy.how:
        forks.follow([copy], once=True)
    copy.end()
    forks.sweep(set())
    for line in copy.lines:
        _learn(found, line)
    return found


def _called(modules: Any, row: Row, watching: Any, order: Row, say: Callable[[Any], None]) -> None:
    from windtunnel_section_call import Caller, calm  # type: ignore[import-not-found]  # lies beside this file when it runs
    from windtunnel_section_host import bound_memory, folder_of
    from windtunnel_section_target import Target  # type: ignore[import-not-found]  # the same

    caller = Caller(Target(row, modules._module(row)), order["seed"])
    calm(folder_of(os.getpid()))
    bound_memory(order["memory"])
    for inputs in row["calls"]:
        with watching:
            caller(tuple(map(tuple, inputs)))
        say(_as_told(watching.take()))


def _told(order: Row) -> Tuple[Arcs, str]:
    """What ran, and why that is not all; empty where it is."""
    import windtunnel_section_forks as forks

    known: Arcs = {path: set() for path in order["files"]}
    copy = forks.Copy(lambda say: _host(order, say), line_seconds=IMPORT_SECONDS, whole_seconds=order["whole"])
    while not copy.how:
        forks.follow([copy], once=True)
        for line in copy.lines:
            _learn(known, line)
        copy.lines.clear()
        copy.size = 0
    copy.end()
    return known, "" if copy.how == forks.ENDED and copy.code == 0 else copy.why()


def _counted(known: Arcs) -> Iterator[Row]:
    import windtunnel_section_ways as ways  # type: ignore[import-not-found]  # lies beside this file when it runs

    for path, arcs in sorted(known.items()):
        try:
            with open(path, "rb") as file:
                found = ways.ways_of(file.read(MOST_SOURCE))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # what cannot be parsed cannot be run
        yield {"file": path, "lines": found.lines, "lines_run": found.lines_run(arcs),
               "branches": found.branches, "branches_taken": found.branches_taken(arcs)}


def main() -> int:
    """Read the order, carry it out, report."""
    least = min(100, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
    report = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, least)
    order = json.loads(sys.stdin.buffer.read())
    import windtunnel_section_forks as forks

    forks.hide()
    forks.silent()
    forks._WAYS.add(report)
    began = time.monotonic()
    known, why = _told(order)
    rows = [*_counted(known), {"done": not why, "why": why, "seconds": round(time.monotonic() - began, 3)}]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")
    while data:
        data = data[os.write(report, data) :]
    return 0


if __name__ == "__main__":
    sys.exit(main())
