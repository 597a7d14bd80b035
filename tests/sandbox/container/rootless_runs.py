"""Runs by rootless Podman, or by a Docker whose address is given, as an ordinary user; tells of each in one line of JSON.

Started by its test as a script.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from containers import left_of, make_container

from windtunnel.core.limits import MIB, Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.command_engine import CommandEngine

PROJECT, *DOCKER = Path(sys.argv[1]), *sys.argv[2:]
TABLE = LanguageTable()
PYTHON = TABLE.get("python")
TOOLCHAIN = TABLE.toolchain(PYTHON)


def job(code, **limits):
    command = Command(argv=(TOOLCHAIN.run[0], "/sandbox/main.py"), env={"PATH": "/usr/bin:/bin"}, files={"main.py": code.encode()})
    return Job(command=command, limits=Limits(**limits), language=PYTHON, toolchain=TOOLCHAIN)


def in_project(code):
    made = job(code)
    return replace(made, command=replace(made.command, cwd="/workspace", workspace=str(PROJECT)))


WATCHED = """
import ctypes, os, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), os.strerror(ctypes.get_errno()))
try: socket.create_connection(("203.0.113.9", 443), 2)
except OSError as error: print(error.strerror)
subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
"""
RUNS = {
    "answer": job("import os, sys; print(os.getuid(), os.getpid() > 1); sys.exit(5)"),
    "time": job("import time; time.sleep(30)", wall_seconds=1),
    "memory": job("x = bytearray(300 << 20); import time; time.sleep(10)", memory_bytes=64 * MIB),
    "disk": job("import time\nfor n in range(8): open(f'/tmp/{n}', 'wb').write(bytes(1 << 20)); time.sleep(0.2)\ntime.sleep(10)", disk_bytes=4 * MIB),
    "project": in_project("open('a.txt', 'w').write('changed'); open('new', 'w'); print(sorted(__import__('os').listdir()))"),
    "network": job("import socket\ntry: socket.create_connection(('192.0.2.1', 80), 2)\nexcept OSError as error: print(error.strerror)"),
    "watched": job(WATCHED),
}


def tell(**row):
    sys.stdout.write(f"{json.dumps(row)}\n")


def main():
    engine = CommandEngine("docker", options=("--host", *DOCKER)) if DOCKER else CommandEngine("podman")
    container = make_container(engine)
    for name, one in RUNS.items():
        result = container.run(one)
        files = sorted(f"{file.act} {file.path}" for file in result.effects.files)
        tell(name=name, exit_code=result.exit_code, reason=result.reason, stdout=result.stdout, files=files,
             enforced=dict(result.enforced), blocked=[call.name for call in result.effects.blocked], watched=result.effects.watched,
             network=[f"{one.target} {one.outcome}: {one.rule}" for one in result.effects.network], processes=result.effects.processes_left)
    container.close()
    folders = [path.name for path in Path(os.environ["XDG_RUNTIME_DIR"]).glob("windtunnel-*")]
    tell(name="left", left=[*folders, *left_of(os.getpid(), engine=engine)])


if __name__ == "__main__":
    main()
