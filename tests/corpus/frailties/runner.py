"""Calls functions of the project with their defaults, each in a process of its own, under one fault after the other.

Runs inside a sandbox: reads ``{"functions": [...], "faults": [...], "parallel": 2}``, where a fault of null is none, and
prints for each function how it ended under each, in this order.
"""

import importlib
import json
import os
import signal
import sys
import time

import windtunnel_faults as faults

SECONDS = 20
PLAIN = (str, int, float, bool, bytes, type(None))


def shown(value):
    if isinstance(value, (list, tuple, set, dict)):
        inner = list(value.items()) if isinstance(value, dict) else list(value)
        return f"{type(value).__name__}({', '.join(map(shown, inner))})"
    return repr(value) if isinstance(value, PLAIN) else type(value).__name__


def outcome(function, fault):
    if fault:
        faults.begin({fault: True})
    try:
        value = function()
        ended = "returned " + shown(value)
    except BaseException as problem:
        ended = f"raised {type(problem).__name__}: {problem}"
    faults.end()
    return ended[:2000]


def start(name, fault):
    module, _, function = name.rpartition(".")
    found = getattr(importlib.import_module(module), function)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        sys.stdout = open(os.devnull, "w")
        os.write(writing, outcome(found, fault).encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    return child, reading, time.monotonic()


def finish(child, reading):
    said = b""
    while True:
        more = os.read(reading, 4096)
        said += more
        if not more:
            break
    os.close(reading)
    code = os.waitpid(child, 0)[1]
    return said.decode("utf-8") if said else f"ended with {code}"


def main():
    asked = json.load(sys.stdin)
    found = {}
    for name in asked["functions"]:
        importlib.import_module(name.rpartition(".")[0])
        for fault in asked["faults"]:
            child, reading, _ = start(name, fault)
            signal.signal(signal.SIGALRM, lambda number, frame, child=child: os.kill(child, signal.SIGKILL))
            signal.alarm(SECONDS)
            began = time.monotonic()
            found.setdefault(name, []).append(finish(child, reading))
            signal.alarm(0)
            if asked.get("times"):
                found[name][-1] = [found[name][-1], round(time.monotonic() - began, 2)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
