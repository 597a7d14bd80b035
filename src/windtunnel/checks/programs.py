"""What a program found on the host needs to start where only the system's own folders are shown.

A project may name any path of the host, in a link, a ``#!`` line or ``pyvenv.cfg``. Nothing is shown because a project
names it: only what has the form of a Python installation or environment, and of that only its interpreter and
libraries. What the search path or the active environment names is the caller's own.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.language import Which

COMMON = (
    "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libexec", "/bin", "/lib", "/lib64", "/lib32",
    "/etc/alternatives",
)  # fmt: skip
"""What every sandbox shows."""
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?")
_HEAD = 1024
_MOST_LINKS = 40
_EXEC = re.compile(r"""'''exec'\s+(?:"([^"]+)"|'([^']+)'|(\S+))""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """How a program starts: itself, or through an interpreter; all are paths of the host."""

    program: str
    interpreter: str | None = None
    """For a script: what its ``#!`` line asks for, to be called with the script, since that line names host paths."""
    paths: tuple[str, ...] = ()
    """Outside the project and the system's folders; to be shown read-only at the same place."""


def is_program(path: Path) -> bool:
    """Whether it is a file that may be executed; a loop of links or a folder that may not be entered is none."""
    return _is_file(path) and os.access(path, os.X_OK)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 -- Path.is_file raises where it may not look


def on_path(name: str) -> str | None:
    """The first program of that name on the search path; relative entries are passed over."""
    folders = (Path(entry) for entry in os.get_exec_path() if entry.startswith("/"))
    return next((str(folder / name) for folder in folders if is_program(folder / name)), None)


def needs_of(program: str, *, root: Path, which: Which) -> Needs:
    """What one program needs, for a project at that root."""
    interpreter = _interpreter(Path(program), which=which)
    wanted = [*_python(Path(interpreter or program), root=root), *_own_links(Path(program), root=root)]
    if interpreter and not _is_python(Path(interpreter)):
        wanted += _own_links(Path(interpreter), root=root)
    return Needs(program=program, interpreter=interpreter, paths=_outer(wanted, root=root))


def _interpreter(program: Path, *, which: Which) -> str | None:
    """What a script asks for: ``env python3`` by name, else by path, also in pip's form for very long paths."""
    try:
        with program.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    first, *rest = head[2:].decode("utf-8", "surrogateescape").splitlines() or [""]
    words = first.split()
    long_form = _EXEC.match(rest[0]) if rest else None
    if long_form:
        words = [next(filter(None, long_form.groups()))]
    if words[:1] and words[0].endswith("/env"):
        named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        return which(named) if named else None
    return words[0] if words and words[0].startswith("/") and is_program(Path(words[0])) else None


def _is_python(program: Path) -> bool:
    return bool(_PYTHON.fullmatch(program.name)) and bool(_PYTHON.fullmatch(program.resolve().name))


def _python(interpreter: Path, *, root: Path) -> Iterator[Path]:
    """The environment that an interpreter belongs to, and the installation below that; nothing for another program."""
    if not _is_python(interpreter):
        return
    environment = interpreter.parent.parent
    settings = environment / "pyvenv.cfg"
    if _is_file(settings) and not environment.resolve().is_relative_to(root.resolve()):
        yield from (environment / name for name in ("pyvenv.cfg", "bin", "lib", "lib64"))
    passed = [link for link in _links(interpreter) if _is_python(link)]
    installations = [*(link.parent.parent for link in passed), *_home(settings)]
    for installation in dict.fromkeys([*installations, *map(_resolved, installations)]):
        yield from _installation(installation, interpreter=interpreter.resolve())
    yield from (link for link in passed if _installation_of(link.resolve()))


def _resolved(place: Path) -> Path:
    """With links followed; as it is where they cannot be."""
    try:
        return place.resolve()
    except (OSError, RuntimeError):
        return place


def _home(settings: Path) -> list[Path]:
    """The installation that an environment was made from, as its file says."""
    try:
        with settings.open(encoding="utf-8", errors="replace") as file:
            found = re.search(r"^home\s*=\s*(/[^\0\s][^\0\n]*?)\s*$", file.read(65_536), re.MULTILINE)
    except OSError:
        return []
    return [Path(found[1]).parent] if found else []


def _installation(prefix: Path, *, interpreter: Path) -> Iterator[Path]:
    """Interpreter, standard library and shared library of an installation; nothing of a folder that is none."""
    libraries = [library for name in ("lib", "lib64") for library in _standard_libraries(prefix / name)]
    if not libraries or _is_file(prefix / "pyvenv.cfg"):
        return
    yield from libraries
    # Conda keeps the libraries that the standard library is linked to beside it, not in the system.
    conda = _is_file(prefix / "conda-meta/history")
    yield from [prefix / "lib"] if conda else _matching(prefix / "lib", "libpython*.so*")
    if prefix == Path("/usr"):
        yield from _matching(Path("/usr/local/lib"), "python3*")
    if interpreter.is_relative_to(prefix):
        yield interpreter


def _standard_libraries(folder: Path) -> list[Path]:
    return [library for library in _matching(folder, "py*[23].*") if _is_file(library / "os.py")]


def _matching(folder: Path, pattern: str) -> list[Path]:
    """Entries of a folder, sorted; none of one that cannot be read, whatever its name."""
    try:
        return [folder / name for name in sorted(fnmatch.filter(os.listdir(folder), pattern))]  # noqa: PTH208 -- names
    except OSError:
        return []


def _installation_of(interpreter: Path) -> bool:
    prefix = interpreter.parent.parent
    return bool(_standard_libraries(prefix / "lib") or _standard_libraries(prefix / "lib64"))


def _own_links(program: Path, *, root: Path) -> Iterator[Path]:
    """A program outside the project, with every link on the way to it; nothing for what a project's link names."""
    if not program.is_relative_to(root):
        yield from (link for link in _links(program) if not _is_python(link))


def _links(program: Path) -> list[Path]:
    """The program and every place that its links pass through, each of which must exist inside."""
    passed = [program]
    while passed[-1].is_symlink() and len(passed) < _MOST_LINKS:
        passed.append(Path(os.path.normpath(passed[-1].parent / passed[-1].readlink())))
    return [*passed, program.resolve()]


def _outer(paths: list[Path], *, root: Path) -> tuple[str, ...]:
    """Those that exist, outside the project and the system's folders, without what lies inside another of them."""
    shown = [Path(place) for place in COMMON]
    apart = [path for path in dict.fromkeys(paths) if os.path.exists(path)  # noqa: PTH110 -- as above
             and not any(path.is_relative_to(place) for place in (root, *shown))]
    outer = [path for path in apart if not any(path.is_relative_to(other) for other in apart if other != path)]
    return tuple(map(str, outer))
