"""What Windtunnel must know to run programs of one language."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Which: TypeAlias = Callable[[str], str | None]
"""Finds a tool on the host: ``which("node")`` is ``"/usr/bin/node"`` or None."""

BASE_ENV: Mapping[str, str] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8",  # noqa: S108
}
"""What every program finds in its environment; the paths are the sandbox's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A program that is at once a test and a page of the docs."""

    code: str
    stdout: str = ""
    """Exactly what it prints."""
    error: str | None = None
    """For a program that fails: what its standard error must contain."""
    stdin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """A language as found on this machine: absolute commands and the host paths they need."""

    run: tuple[str, ...]
    """The command; ``{source}`` and ``{build}`` stand for the source file and the build folder."""
    build: tuple[str, ...] | None = None
    """The compile command, for languages that have one; it leaves its product in ``{build}``."""
    paths: tuple[str, ...] = ()
    """Host folders and files needed beside the common ones, bound read-only at the same place."""
    env: Mapping[str, str] = field(default_factory=dict)
    warm: tuple[str, ...] | None = None
    """A command that loads the interpreter and then waits until a program is there.

    It waits at the language's gate; without one, where it opens ``{source}``, a pipe until the program comes.
    """
    stamp: str = ""
    """What its tools are the tools of, such as an image's id; their builds are kept apart by it."""
    profile: tuple[str, ...] | None = None
    """The command of a profiled run; ``{profile}`` stands for the file that gets the samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: how it is recognised, found, built and run."""

    name: str
    aliases: tuple[str, ...] = ()
    suffixes: tuple[str, ...]
    """File endings, the first being the one given to a snippet: ``(".py",)``."""
    source: str
    """The file name a snippet gets below /sandbox: ``main.py``."""
    find: Callable[[Which], Toolchain | None]
    """The toolchain on this machine, or None when it is not installed."""
    install: str
    """What to install when it is missing, in words that can be followed: ``apt-get install ruby``."""
    reserved_env: tuple[str, ...] = ()
    """Names, or prefixes ending in ``*``, of variables that would change the runner; refused from callers."""
    gate: str = ""
    """Source of the script, bound at /run/windtunnel/gate, that a waiting interpreter stops in.

    It reads file descriptor 3 to its end, a JSON object with ``env`` and ``argv`` to adopt, and closes it.
    """
    profiler: str = ""
    """Source of the script, placed at /sandbox/.windtunnel/profiler, that a profiled run may use."""
    read_profile: Callable[[bytes], str] | None = None
    """Turns the samples into collapsed stacks: ``outer;inner count`` a line."""
    image: str = ""
    """The container image that carries it, for the container level."""
    examples: tuple[Example, ...] = ()


def usual_env(toolchain: Toolchain, *, cores: float) -> dict[str, str]:
    """What every program finds; thread counts follow the processors it was given, not those of the host."""
    threads = str(math.ceil(cores))
    return {
        **BASE_ENV, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "GOMAXPROCS": threads,
        **toolchain.env,
    }
