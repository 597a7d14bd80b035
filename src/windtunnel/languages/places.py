"""Where tools live on the host, and which of those places a sandbox does not already show."""

from __future__ import annotations

from pathlib import Path

COMMON = (
    "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libexec",
    "/bin", "/lib", "/lib64", "/lib32",
    "/etc/alternatives", "/etc/ld.so.cache", "/usr/share/zoneinfo",
)  # fmt: skip
"""What every sandbox shows read-only; a toolchain names only what it needs beside these."""

LOADER_ENV = ("LD_*", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "MALLOC_*")
"""Variables that change the dynamic loader or the C library, and so every runner alike."""


def is_common(path: str | Path) -> bool:
    """Whether every sandbox shows this path already."""
    return any(Path(path).is_relative_to(place) for place in COMMON)


def located(tool: str) -> str:
    """The spelling of a found tool that also works inside.

    A name is kept when it stays in the common places or in its own folder, because some programs look at
    the name they were called by (``clang++``, busybox); any other link is followed to its end.
    """
    named, real = Path(tool), Path(tool).resolve()
    stays = real.parent == named.parent or (is_common(named) and is_common(real))
    return tool if stays else str(real)


def prefix(tool: str) -> Path:
    """The folder above the tool's own, links followed: where its libraries are found."""
    return Path(tool).resolve().parent.parent


def needed(*paths: str | Path) -> tuple[str, ...]:
    """Those that exist, are not common and do not lie inside another of them, in order."""
    present = [path for path in dict.fromkeys(map(Path, paths)) if path.exists() and not is_common(path)]
    outer = [path for path in present if not any(path.is_relative_to(other) for other in present if other != path)]
    return tuple(str(path) for path in outer)


def matching(folder: Path, pattern: str) -> list[Path]:
    """Entries of the folder that match, sorted; none when it cannot be read."""
    return sorted(folder.glob(pattern))
