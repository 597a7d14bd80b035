"""Calls functions of the project with their defaults, each in a process of its own, under one fault after the other.

Runs inside a sandbox: reads ``{"functions": [...], "faults": [null, "disk_full"]}``, where null is calm, and prints how
each function ended under each, in this order.
"""

import importlib
import json
import os
import signal
import sys

import windtunnel_faults as faults

SECONDS = 20
PLAIN = (str, int, float, bool, bytes, type(None))


def shown(value):
    """A value as it is compared; of an object that may have no equality only its type."""
    if isinstance(value, (list, tuple, set, dict)):
        inner = list(value.items()) if isinstance(value, dict) else list(value)
        return f"{type(value).__name__}({', '.join(map(shown, inner))})"
    return repr(value) if isinstance(value, PLAIN) else type(value).__name__


def outcome(function, fault):
    """How a call ended."""
    if fault:
        faults.begin({fault: True})
    try:
        text = "returned " + shown(function())
    except BaseException as problem:  # noqa: BLE001 -- whatever it raises is how it ended
        text = f"raised {type(problem).__name__}: {problem}"
    faults.end()
    return text[:2000]


def call(name, fault):
    """Call one function in a process of its own."""
    module, _, function = name.rpartition(".")
    found = getattr(importlib.import_module(module), function)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 -- ends with the process
        os.write(writing, outcome(found, fault).encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(SECONDS)
    with os.fdopen(reading, "rb") as report:
        said = report.read().decode()
    signal.alarm(0)
    code = os.waitpid(child, 0)[1]
    return said or f"ended with {code}"


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps({name: [call(name, fault) for fault in asked["faults"]] for name in asked["functions"]}))  # noqa: T201 -- its answer
