"""What the import and the command line add to the interpreter that they need anyway."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.ground import PROGRAM, Ground, interpreter, settle
from benchmarks.rows import Row, Target, timing_row
from benchmarks.timing import interleaved

GROUP = "command"
_NOTHING, _PRINT = "python3 -c pass", f"python3 -c '{PROGRAM}'"


def rows(ground: Ground) -> Iterator[Row]:
    """Import and command line, over the bare interpreter."""
    python = interpreter()
    script = Path(python).with_name("windtunnel")
    windtunnel = [str(script)] if script.exists() else [python, "-m", "windtunnel"]
    contenders = {
        _NOTHING: ground.command([python, "-c", "pass"], answer=""),
        _PRINT: ground.command([python, "-c", PROGRAM]),
        "import": ground.command([python, "-c", "import windtunnel"], answer=""),
        "tunnel": ground.command([python, "-c", "from windtunnel import Tunnel"], answer=""),
        "run": ground.command([*windtunnel, "run", "-c", PROGRAM], environment=ground.environment()),
    }
    for once in contenders.values():
        once()  # compiles what has to be compiled
    times = interleaved(contenders, runs=max(1, ground.scale.runs // 5), rest=settle)
    for key, name, bare, most in (
        ("import", "import windtunnel", _NOTHING, 100.0),
        ("tunnel", "from windtunnel import Tunnel", _NOTHING, None),
        ("run", f"windtunnel run -c '{PROGRAM}'", _PRINT, 300.0),
    ):
        target = Target(limit=most) if most is not None else None
        yield timing_row(times, key, group=GROUP, name=name, bare=bare, beside=bare, of="difference", target=target)
