"""Python: the very interpreter that runs Windtunnel, with the packages it sees."""

from __future__ import annotations

import sys
from pathlib import Path

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, matching, needed
from windtunnel.languages.profile_python import PROFILER, read_profile

_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def find(_which: Which) -> Toolchain | None:
    """The running interpreter; PATH is not asked, because another one would not see the same packages."""
    if not sys.executable:
        return None
    environment = sys.prefix != sys.base_prefix
    interpreter = Path(sys.executable) if environment else Path(sys.executable).resolve()
    paths = [*_links(interpreter), *_standard_library(interpreter)]
    if environment:
        paths += [Path(sys.prefix) / name for name in ("pyvenv.cfg", "bin", "lib", sys.platlibdir)]
    return Toolchain(
        run=(str(interpreter), "{source}"),
        profile=(str(interpreter), "/sandbox/.windtunnel/profiler", "{source}", "{profile}"),
        paths=needed(*paths),
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    )


def _links(interpreter: Path) -> list[Path]:
    """The interpreter and every place its links pass through, each of which must exist inside."""
    passed = [interpreter]
    while passed[-1].is_symlink():
        passed.append(passed[-1].parent / passed[-1].readlink())
    return [*passed, interpreter.resolve()]


def _standard_library(interpreter: Path) -> list[Path]:
    """The library folders and the shared interpreter of the installation, however its folder is spelled."""
    prefixes = (Path(sys.base_prefix), Path(sys.base_exec_prefix), interpreter.resolve().parent.parent)
    # Debian's interpreter also looks where pip installs for all.
    paths = [Path("/usr/local/lib") / _VERSION] if sys.base_prefix == "/usr" else []
    for prefix in prefixes:
        paths += [prefix / "lib" / _VERSION, prefix / sys.platlibdir / _VERSION]
        # Conda keeps the libraries that the standard library is linked to beside it, not in the system.
        paths += [prefix / "lib"] if (prefix / "conda-meta").exists() else matching(prefix / "lib", "libpython*.so*")
    return paths


LANGUAGE = Language(
    name="python",
    aliases=("py", "python3"),
    suffixes=(".py",),
    source="main.py",
    find=find,
    install="apt-get install python3, and run Windtunnel with it",
    reserved_env=(
        *LOADER_ENV,
        # All of PYTHON* but PYTHONHASHSEED, PYTHONIOENCODING, PYTHONUNBUFFERED and PYTHONUTF8.
        *(f"PYTHON{letter}*" for letter in "ABCDEFGJKLMNOPQRSTVWXYZ_"),
        *("PYTHONHI*", "PYTHONHO*", "PYTHONIN*", "PYTHONIS*", "PYTHONUS*"),
    ),
    profiler=PROFILER,
    read_profile=read_profile,
    image="python:3.11-slim",
    examples=(
        Example(code='print("hello")\n', stdout="hello\n"),
        Example(code="import sys\nprint(sys.stdin.read().upper())\n", stdin="words", stdout="WORDS\n"),
        Example(code='raise ValueError("no such thing")\n', error="ValueError: no such thing"),
        Example(code="print((1)\n", error="SyntaxError: '(' was never closed"),
        Example(code="import json, sqlite3, ssl\nprint(json.dumps([1]))\n", stdout="[1]\n"),
    ),
)
