"""Peers that are Python packages: driven by a process of their own environment, which takes the time itself."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.ground import PROGRAM, Ground, interpreter, python_toolchain
from benchmarks.peer_install import Installed
from benchmarks.timing import Contender
from windtunnel.sandbox.stems import candidates

_DRIVER = """
import json, os, sys, time
answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
given = json.loads(sys.argv[1])
close = lambda: None
{setup}
for _ in sys.stdin:
    try:
        began = time.perf_counter()
        said = once()
        seconds = time.perf_counter() - began
        wrong = {{"error": f"it printed {{said!r}}"}}
        told = {{"seconds": seconds / given["share"]}} if said == given["answer"] else wrong
    except Exception as error:
        told = {{"error": f"{{type(error).__name__}}: {{error}}"}}
    print(json.dumps(told), file=answers, flush=True)
close()
"""

_SANDLOCK = """
from sandlock import Sandbox

def once():
    sandbox = Sandbox(fs_readable=given["readable"], max_memory="512M", max_processes=100)
    return sandbox.run([given["python"], "-c", given["program"]], timeout=30).stdout.decode()
"""

_SANDLOCK_FORK = """
from sandlock import Sandbox

def once():
    sandbox = Sandbox(
        fs_readable=given["readable"], max_memory="512M", max_processes=100, init_fn=lambda: None,
        work_fn=lambda number: exec(compile(given["program"], "main.py", "exec"), {}))
    return sandbox.reduce(["/usr/bin/cat"], sandbox.fork(given["share"])).stdout.decode()
"""

_LLM_SANDBOX = """
from llm_sandbox import SandboxSession
from llm_sandbox.local.config import DEFAULT_READ_ONLY_PATHS, LocalSandboxConfig

session = SandboxSession(
    backend="bubblewrap", lang="python", bwrap_path=given["bwrap"], skip_environment_setup=True,
    sandbox_config=LocalSandboxConfig(
        python_executable=given["python"], memory_limit_bytes=512 * 2**20,
        read_only_paths=(*DEFAULT_READ_ONLY_PATHS, *given["paths"])))
session.open()
close = session.close

def once():
    return session.run(given["program"]).stdout
"""


@contextmanager
def _driven(ground: Ground, python: str, setup: str, *, share: int = 1) -> Iterator[Contender]:
    """A process that does it once for each line it is given; ``share`` is how many programs once means."""
    paths = list(python_toolchain().paths)
    given = {"program": PROGRAM, "python": interpreter(), "paths": paths, "share": share, "answer": "1\n" * share,
             "readable": ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", "/dev", *paths],
             "bwrap": candidates()[0]}
    script = _DRIVER.format(setup=setup)
    driver = subprocess.Popen([python, "-c", script, json.dumps(given)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              cwd=ground.folder, env={**os.environ, "TMPDIR": str(ground.folder)})
    assert driver.stdin is not None
    assert driver.stdout is not None
    send, receive = driver.stdin, driver.stdout

    def once() -> float:
        send.write("\n")
        send.flush()
        told = json.loads(receive.readline() or '{"error": "its process ended; does the package work here?"}')
        if "seconds" not in told:
            raise RuntimeError(told["error"])
        return float(told["seconds"])

    try:
        yield once
    finally:
        try:
            driver.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            driver.kill()
            driver.communicate()


@contextmanager
def sandlock(ground: Ground, installed: Installed) -> Iterator[Contender]:
    with _driven(ground, installed.python_with("sandlock"), _SANDLOCK) as once:
        yield once


@contextmanager
def sandlock_fork(ground: Ground, installed: Installed) -> Iterator[Contender]:
    """Clones of a loaded interpreter, made twenty at a time, with their output joined by a reducer."""
    with _driven(ground, installed.python_with("sandlock"), _SANDLOCK_FORK, share=20) as once:
        yield once


@contextmanager
def llm_sandbox(ground: Ground, installed: Installed) -> Iterator[Contender]:
    """A session that stays open; each run in it gets new namespaces and a fresh interpreter."""
    with _driven(ground, installed.python_with("llm_sandbox"), _LLM_SANDBOX) as once:
        yield once
