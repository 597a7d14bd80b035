"""Run a program, and read what came back: its answer, what it used, and what really held it."""

from __future__ import annotations

from windtunnel import Reason, Tunnel

PROGRAM = """
import os, socket
print(f"hello from {socket.gethostname()}, user {os.getuid()}, in {os.getcwd()}")
"""


def main() -> None:
    with Tunnel() as tunnel:
        result = tunnel.run(PROGRAM)

    assert result.success, result
    assert result.reason is Reason.EXITED
    print(result.stdout, end="")
    print(f"exit code {result.exit_code}, reason {result.reason}, language {result.language}, level {result.level}")
    print(f"network: {result.enforced['network']}, capabilities: {result.enforced['capabilities']}")
    assert 0 < result.execution_time < 30
    assert result.usage.memory_peak_bytes is None or result.usage.memory_peak_bytes <= 512 * 1024**2
    assert result.effects.network == ()
    assert "network" in result.effects.watched, "silence means something only for what was watched"
    print(f"{len(result.enforced)} controls listed; no network attempt was seen")


if __name__ == "__main__":
    main()
