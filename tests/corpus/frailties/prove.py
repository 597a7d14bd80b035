"""Proves that each function of this corpus is what ``expected.json`` says, for all faults that need no network.

Each function is called with its defaults in a process of its own in a real sandbox, once in calm and once under the
fault. A frail one returns in calm and does otherwise under its condition, and under no other; every other one does the
same under each. Those that do otherwise from call to call are left out of the comparison, and only they.

Run it as ``python tests/corpus/frailties/prove.py [fault ...]``: what does not hold, and 1 where there is anything.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import windtunnel.scenarios
from windtunnel import Tunnel
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.scenario import NETWORK_FAULTS, Fault

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "project"
INSIDE = Path(windtunnel.scenarios.__file__).parent / "inside"
EXPECTED = json.loads((HERE / "expected.json").read_text())
LOCAL = tuple(sorted(str(fault) for fault in set(Fault) - NETWORK_FAULTS))
TOGETHER = 12
"""Functions to a sandbox, so that its time is enough for those that a fault makes slow."""
CALM = "calm"
Ended = dict[str, tuple[str, ...]]
"""How each function ended, by the faults in the order of asking."""


def functions() -> tuple[str, ...]:
    """The public functions of the project, as ``shop.module.function``."""
    return tuple(
        f"shop.{path.stem}.{one.name}" for path in sorted((PROJECT / "shop").glob("*.py"))
        for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"))


def frail_under(fault: str) -> tuple[str, ...]:
    """Those that this fault breaks, first those that it is named for."""
    name = f"FAILURE_MODES:{fault}"
    return (*(one for one, said in EXPECTED["frail"].items() if said["condition"] == name),
            *(one for one, said in EXPECTED["frail"].items() if name in said["also"]))


def needs_network(name: str) -> bool:
    """Whether it is frail and there is nobody to talk to here, so that it does not return in calm."""
    return name in EXPECTED["frail"] and name.startswith("shop.clients.")


def ended(tunnel: Tunnel, names: Iterable[str], *, under: Sequence[str]) -> Ended:
    """Call each of these in calm and under each of the faults."""
    files = {path.name: path.read_bytes() for path in (*INSIDE.glob("*.py"), HERE / "runner.py")}
    files |= {str(path.relative_to(PROJECT)): path.read_bytes() for path in PROJECT.rglob("*")
              if path.is_file() and "__pycache__" not in path.parts}
    order = {"functions": list(names), "faults": [None if fault == CALM else fault for fault in under]}
    result = tunnel.run(files["runner.py"], files=files, stdin=json.dumps(order),
                        limits=Limits(disk_bytes=64 * MIB, wall_seconds=30))
    if result.exit_code:
        raise RuntimeError(f"the calls came to no end: {result.reason} {result.stderr[-500:]}")
    return {name: tuple(found) for name, found in json.loads(result.stdout).items()}


def disagreements(tunnel: Tunnel, fault: str) -> Iterator[str]:
    """What is not as expected under a fault."""
    names = [name for name in functions() if name not in EXPECTED["varying"] and not needs_network(name)]
    for start in range(0, len(names), TOGETHER):
        for name, (calm, under) in ended(tunnel, names[start:start + TOGETHER], under=(CALM, fault)).items():
            said = EXPECTED["frail"].get(name, {"condition": "", "also": []})
            broken, own = calm != under, said["condition"] == f"FAILURE_MODES:{fault}"
            if not calm.startswith("returned"):
                yield f"{name} in calm: {calm}"
            elif own and not broken:
                yield f"{name} bears {fault}: {under}"
            elif broken and not own and f"FAILURE_MODES:{fault}" not in said["also"]:
                yield f"{name} under {fault}: {under} instead of {calm}"


def main(faults: Sequence[str]) -> int:
    """Print what does not hold."""
    found = 0
    with Tunnel(pool_size=0) as tunnel:
        for fault in faults or LOCAL:
            wrong = list(disagreements(tunnel, fault))
            found += len(wrong)
            print("\n".join([f"{fault}: {len(wrong)} of {len(functions())} are not as expected", *wrong]), flush=True)  # noqa: T201 -- a program
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
