"""Attacks every level that this machine has and writes what held into docs/conformance.md.

    python -m benchmarks.conformance [--write docs/conformance.md]
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from benchmarks.table import write
from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.result import Level
from windtunnel.sandbox.selfcheck import Report, python_jobs, run_selfcheck
from windtunnel.tunnel import Tunnel

MARKS = {"held": "held", "not held": "**no**", "unproven": "unproven", "not run": "not run"}


def attack(level: Level) -> tuple[Report, dict[str, str]] | str:
    """The report of one level with its known exceptions, or why there is none."""
    try:
        with Tunnel(level=level, min_isolation=Level.RESTRICTED, pool_size=0) as tunnel:
            rig = tunnel.rig
            language = rig.languages.get("python")
            known: dict[str, str] = getattr(rig.sandbox, "known_exceptions", dict)()
            make_job = python_jobs(language, rig.languages.toolchain(language))
            print(f"attacking: {level} …", file=sys.stderr, flush=True)
            return run_selfcheck(rig.sandbox, make_job, exceptions=known), known
    except IsolationUnavailable as missing:
        return str(missing)


def page(found: dict[Level, tuple[Report, dict[str, str]] | str]) -> str:
    """The table, then the exceptions of each level."""
    levels = list(found)
    machine = f"{platform.system()} {platform.release()}, {platform.machine()}"
    lines = [f"Made by `python -m benchmarks.conformance --write docs/conformance.md` on {machine}.", "",
             f"| row | promise broken when a program … | {' | '.join(levels)} |", "|---" * (len(levels) + 2) + "|"]
    outcomes = {level: {} if isinstance(told, str) else {row.row: row for row in told[0].rows}
                for level, told in found.items()}
    titles = {row.row: row.title for rows in outcomes.values() for row in rows.values()}
    for name, title in titles.items():
        cells = [MARKS[str(rows[name].outcome)] if name in rows else "not run" for rows in outcomes.values()]
        lines.append(f"| {name} | {title} | {' | '.join(cells)} |")
    for level, told in found.items():
        lines += ["", f"### {level}", ""]
        if isinstance(told, str):
            lines.append(f"Not attacked here: {told}")
            continue
        lines.append(", ".join(f"{count} {name}" for name, count in told[0].counts.items() if count) + ".")
        lines += ["", *(f"- {row}: {why}" for row, why in told[1].items())] if told[1] else []
    return "\n".join(lines) + "\n"


def main() -> int:
    """Attack, print or write; 1 when a level held less than it says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table between the markers of this page")
    parser.add_argument("--level", action="append", choices=[str(level) for level in Level], help="this level alone")
    given = parser.parse_args()
    found = {level: attack(level) for level in Level if not given.level or level in given.level}
    text = page(found)
    if given.write is not None:
        write(given.write, text.rstrip("\n"), part="measured")
    else:
        print(text)
    return int(any(not isinstance(told, str) and not told[0].held for told in found.values()))


if __name__ == "__main__":
    sys.exit(main())
