"""``python -m benchmarks``: measure everything that can be measured here and print one table.

Ends with 1 when one of our own rows could not be measured; a missing peer or language is no failure, and neither is a
target that was not met.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import (
    analysis,
    audit,
    commands,
    languages,
    levels,
    machine,
    memory,
    mutation,
    mutation_packages,
    peers,
    policy,
    rates,
    repair,
    server,
    simulate,
    starts,
    table,
    trial,
)
from benchmarks.ground import FULL, SMALL, Ground
from benchmarks.rows import Row
from benchmarks.timing import NotRun, reason

GROUPS: dict[str, Callable[[Ground], Iterator[Row]]] = {
    starts.GROUP: starts.rows, rates.GROUP: rates.rows, memory.GROUP: memory.rows, commands.GROUP: commands.rows,
    languages.GROUP: languages.rows, trial.GROUP: trial.rows, levels.GROUP: levels.rows, audit.GROUP: audit.rows,
    policy.GROUP: policy.rows, mutation.GROUP: mutation.rows,
    repair.GROUP: repair.rows, analysis.GROUP: analysis.rows, server.GROUP: server.rows,
    simulate.GROUP: simulate.rows, peers.GROUP: peers.rows,
}


def measure(ground: Ground, groups: Sequence[str]) -> list[Row]:
    """All rows of these groups; a group that breaks keeps the rows it had and gets one that says what broke."""
    rows: list[Row] = []
    for group in groups:
        print(f"measuring: {group} …", file=sys.stderr, flush=True)
        try:
            rows.extend(GROUPS[group](ground))
        except NotRun as missing:
            rows.append(Row(group=group, name=group, missing=str(missing)))
        except Exception as error:  # noqa: BLE001 -- shown as a row, and in the exit code
            rows.append(Row(group=group, name=group, missing=f"failed: {reason(error)}", failed=True))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say by the exit code whether all of ours ran."""
    given = _parser().parse_args(arguments)
    command = shlex.join(["python", "-m", "benchmarks", *(sys.argv[1:] if arguments is None else arguments)])
    facts = machine.describe()
    projects = Path(__file__).parent.parent / ".tools" / "projects"
    if projects.is_dir():
        os.environ["VIRTUAL_ENV"] = str(projects)  # as in the tests: without the plugins of our own environment
    with tempfile.TemporaryDirectory(prefix="wt-bench-", ignore_cleanup_errors=True) as folder:
        ground = Ground(folder=Path(folder), scale=SMALL if given.small else FULL, install_peers=given.install_peers,
                        packages=tuple(given.package), repair_parts=tuple(given.repair),
                        trial_parts=tuple(given.trial), simulate_parts=tuple(given.simulate))
        rows = measure(ground, given.only or list(GROUPS))
    page = table.markdown(rows, machine=facts, command=command)
    if given.write is not None:
        table.write(given.write, page, part=given.part)
    shown = (table.as_json(rows, machine=facts, command=command) if given.json
             else page if given.markdown else table.text(rows))
    print(shown)
    return int(any(row.failed for row in rows))


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Windtunnel and its peers.")
    made.add_argument("--small", action="store_true", help="as little as shows that it works; no numbers to quote")
    made.add_argument("--only", action="append", choices=sorted(GROUPS), help="this group alone; may be repeated")
    made.add_argument("--install-peers", action="store_true",
                      help="install peers first: system packages as root, Python ones into a temporary environment")
    made.add_argument("--package", action="append", default=[], choices=mutation_packages.NAMES,
                      help="of the group mutation, this package alone; may be repeated")
    made.add_argument("--repair", action="append", default=[], choices=repair.PARTS, metavar="PART",
                      help="of the group repair, this part alone; may be repeated (%(choices)s)")
    made.add_argument("--trial", action="append", default=[], choices=trial.PARTS, metavar="PART",
                      help="of the group trial, this part alone; may be repeated (%(choices)s)")
    made.add_argument("--simulate", action="append", default=[], choices=simulate.PARTS, metavar="PART",
                      help="of the group simulate, this part alone; may be repeated (%(choices)s)")
    shape = made.add_mutually_exclusive_group()
    shape.add_argument("--markdown", action="store_true")
    shape.add_argument("--json", action="store_true")
    made.add_argument("--part", default=table.PART, help="between which markers of that page (default %(default)s)")
    made.add_argument("--write", type=Path, metavar="PAGE", help="put the Markdown between the markers of this page")
    return made


if __name__ == "__main__":
    sys.exit(main())
