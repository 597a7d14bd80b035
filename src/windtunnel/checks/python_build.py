"""Building a Python project.

A project of pure Python has no build check: its tests import the source as it stands, and a wheel says nothing about
a change. One with extension modules has, because its tests would otherwise run what was compiled before: in place
where ``setup.py`` can do that, else as a wheel with ``python -m build``, where that is installed, from the packages
that are there (no network, no isolation).
"""

from __future__ import annotations

import re

from windtunnel.checks import command, settings, words
from windtunnel.core.tool import Project, Tool
from windtunnel.core.trial import Check, Kind

_COMPILING = frozenset({"maturin", "scikit_build_core.build", "mesonpy", "skbuild", "setuptools_rust"})
_EXTENSION = re.compile(rb"\b(ext_modules|Extension|cythonize|rust_extensions|cffi_modules|CMakeExtension)\b")
_BUILDERS = frozenset({"build", "pyproject-build", "maturin", "cibuildwheel"})

_SUBCOMMANDS = frozenset({
    ("uv", "build"), ("poetry", "build"), ("pdm", "build"), ("hatch", "build"), ("flit", "build"), ("pip", "install"),
    ("pip", "wheel"),
})  # fmt: skip


def detect(project: Project) -> Check | None:
    """Only where something is to be compiled."""
    if _EXTENSION.search(project.read("setup.py") or b""):
        return _check(("python", "setup.py", "build_ext", "--inplace"), "setup.py")
    backend = settings.table(project, "pyproject.toml", "build-system", "build-backend")
    declared = settings.table(project, "pyproject.toml", "tool", "setuptools", "ext-modules")
    compiles = declared is not None or (isinstance(backend, str) and backend.partition(":")[0] in _COMPILING)
    if not compiles or project.which("pyproject-build") is None:
        return None
    return _check(("python", "-m", "build", "--no-isolation", "--wheel"), "pyproject.toml")


def recognise(argv: tuple[str, ...]) -> bool:
    """The usual ways to build or install a project."""
    started = words.started(argv)
    first, second = (*started[:2], "", "")[:2]
    if first.startswith("python"):
        return second == "setup.py"
    return first in _BUILDERS or (first, second) in _SUBCOMMANDS


def _check(argv: tuple[str, ...], named: str) -> Check:
    return Check(kind=Kind.BUILD, tool="python build", argv=argv, found_in=named)


TOOL = Tool(
    name="python build", kind=Kind.BUILD, detect=detect, recognise=recognise, prepare=command.prepare,
    read=command.read, install="pip install build setuptools",
)
