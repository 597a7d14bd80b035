"""Every limit ends a run with a reason of its own, which comes from the supervisor and never from the exit code."""

from __future__ import annotations

from windtunnel import Limits, Reason, Tunnel, UsageError

MIB = 1024**2
MULTIPLIES = """\
import os, time
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(60)
finally:
    time.sleep(0.3)
"""
CASES = {
    "sleeps for ever": (
        "import time\nprint('so far', flush=True)\ntime.sleep(60)\n",
        Limits(wall_seconds=0.5), Reason.TIMEOUT),
    "spins for ever": ("while True: pass\n", Limits(cpu_seconds=0.3), Reason.CPU_TIME),
    "eats memory": ("hoard = [bytearray(2**20) for _ in range(1000)]\n", Limits(memory_bytes=64 * MIB),
                    Reason.OUT_OF_MEMORY),
    "fills the disk": ("open('/tmp/big', 'wb').write(bytes(32 * 2**20))\n", Limits(disk_bytes=8 * MIB),
                       Reason.OUT_OF_DISK),
    "multiplies": (MULTIPLIES, Limits(processes=16), Reason.TOO_MANY_PROCESSES),
    "pretends": ("raise SystemExit(124)\n", Limits(), Reason.EXITED),
}


def main() -> None:
    with Tunnel() as tunnel:
        for name, (code, limits, expected) in CASES.items():
            result = tunnel.run(code, limits=limits)
            assert result.reason is expected, (name, result)
            said = result.error_message if result.reason is not Reason.EXITED else f"exit code {result.exit_code}"
            print(f"{name:16} {result.reason:19} {said}")
        slow = tunnel.run(CASES["sleeps for ever"][0], limits=Limits(wall_seconds=0.3))
        assert (slow.timeout, slow.exit_code, slow.stdout) == (True, 124, "so far\n")
        print("a timeout keeps the output so far:", slow.stdout.strip())
        try:
            tunnel.run("print(1)", limits=Limits(wall_seconds=3600))
        except UsageError as refusal:
            print("refused before it ran:", refusal.field)
        else:
            raise AssertionError("a limit above the operator's cap must be refused")


if __name__ == "__main__":
    main()
