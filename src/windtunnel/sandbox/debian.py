"""Which further files the packages of a Debian-like host say a program needs; read from dpkg's own records.

A compiler runs programs and reads files that its own headers do not name. Its package does, by what it depends on.
Where there is no dpkg, nothing is added.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_RECORDS = Path("/var/lib/dpkg")
_ADMINISTRATIVE = frozenset({
    "adduser", "apt", "ca-certificates-java", "dbus", "debconf", "dpkg", "init-system-helpers", "install-info",
    "login", "lsb-base", "mount", "passwd", "systemd", "sysvinit-utils", "ucf", "util-linux", "perl-base",
})
"""Packages that others depend on for being installed, not for being used."""
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")


def package_files(programs: Iterable[str], *, records: Path = _RECORDS) -> list[str]:
    """Every path that the packages of these programs, and all they depend on, have put on this host."""
    lists = _lists(records)
    wanted = {spelling for path in programs for spelling in _spellings(path)}
    owners = [name for name, paths in lists.items() if not wanted.isdisjoint(paths)]
    return sorted({path for name in _with_dependencies(owners, records) for path in lists.get(name, ())})


def _spellings(path: str) -> tuple[str, ...]:
    """A program of /usr/bin may be known by its older place."""
    return (path, path.removeprefix("/usr")) if path.startswith(("/usr/bin/", "/usr/sbin/", "/usr/lib")) else (path,)


def _with_dependencies(owners: Iterable[str], records: Path) -> set[str]:
    depends = _depends(records)
    found: set[str] = set()
    pending = list(owners)
    while pending:
        name = pending.pop()
        if name not in found and name not in _ADMINISTRATIVE:
            found.add(name)
            pending += depends.get(name, ())
    return found


@functools.cache
def _lists(records: Path) -> dict[str, frozenset[str]]:
    """Package to its paths; two architectures of one package count as one."""
    found: dict[str, frozenset[str]] = {}
    for path in (records / "info").glob("*.list"):
        with contextlib.suppress(OSError):
            name = path.name.removesuffix(".list").partition(":")[0]
            lines = path.read_text(errors="surrogateescape").splitlines()
            found[name] = found.get(name, frozenset()) | frozenset(lines)
    return found


@functools.cache
def _depends(records: Path) -> dict[str, tuple[str, ...]]:
    """Package to what it needs, virtual names followed; of what it recommends only headers, which compilers read."""
    try:
        text = (records / "status").read_text(errors="surrogateescape")
    except OSError:
        return {}
    fields = {found["Package"]: found for found in map(_fields, text.split("\n\n")) if "Package" in found}
    providers: dict[str, str] = {}
    for name, found in fields.items():
        for virtual in _names(found.get("Provides", "")):
            providers.setdefault(virtual, name)
    return {name: tuple(wanted if wanted in fields else providers[wanted]
                        for wanted in _wanted(found) if wanted in fields or wanted in providers)
            for name, found in fields.items()}


def _wanted(found: dict[str, str]) -> Iterator[str]:
    for field in ("Depends", "Pre-Depends"):
        yield from _names(found.get(field, ""))
    yield from (name for name in _names(found.get("Recommends", "")) if name.endswith("-dev"))


def _fields(paragraph: str) -> dict[str, str]:
    lines = re.sub(r"\n[ \t]+", " ", paragraph).split("\n")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _names(text: str) -> list[str]:
    found = (_NAME.match(part.strip()) for part in re.split(r"[,|]", text))
    return [match[0] for match in found if match]
