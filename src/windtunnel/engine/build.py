"""Naming builds by all that goes into them."""

from __future__ import annotations

import os

from windtunnel.core.ports import Job
from windtunnel.store.builds import key


def build_key(job: Job) -> str:
    """A name for what this job's build makes: the compiler, how it is called, and every byte it reads."""
    assert job.toolchain.build is not None
    parts: list[bytes | str] = [job.language.name, str(len(job.toolchain.build)), *job.toolchain.build]
    parts += [*job.toolchain.paths, job.toolchain.stamp or _stamp(job.toolchain.build[0])]
    parts += [f"{name}={value}" for name, value in sorted(job.toolchain.env.items())]
    for name, data in sorted(job.command.files.items()):
        parts += [name, data]
    return key(*parts)


def _stamp(compiler: str) -> str:
    """Changes when the compiler is replaced."""
    try:
        info = os.stat(compiler)  # noqa: PTH116 -- the link's target, whatever its name
    except OSError:
        return ""
    return f"{os.path.realpath(compiler)}:{info.st_size}:{info.st_mtime_ns}"
