"""Which files are tests, which set up the runner, and which could bend it by being there."""

from __future__ import annotations

import re
import sys
from pathlib import PurePosixPath

from windtunnel.core.testfile import is_test

_RUNNER_NAME = re.compile(
    r"^(conftest\.py|\.?pytest\.(ini|toml)|tox\.(ini|toml)|setup\.cfg|pyproject\.toml|\.coveragerc|noxfile\.py|Makefile|makefile|"
    r"GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|package\.json|sitecustomize\.py|usercustomize\.py|.*\.pth|nose2?\.cfg|unittest\.cfg|"
    r"(jest|vitest|vite|babel|karma|ava|playwright|cypress|wdio|nyc)\.(config|conf|setup|workspace)(\.\w+)*\.?[cm]?[jt]s(on)?x?|"
    r"(jest|vitest|mocha)[.-]?(setup|global-?setup|environment|preset)(\.\w+)?\.[cm]?[jt]s|"
    r"\.(mocharc|babelrc|nycrc|c8rc|taprc|jestrc|swcrc)(\.\w+)?|mocha\.opts|setupTests\.[cm]?[jt]sx?|\.rspec|phpunit\.xml(\.dist)?|"
    r"\.cargo|nextest\.toml|\.npmrc|\.noserc|hypothesis\.ini|pytest_plugins\.py)$"
)
_BENDING_NAME = re.compile(
    r"^(conftest\.py|sitecustomize\.py|usercustomize\.py|.*\.pth|\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg)$"
)
_ENVIRONMENTS = {
    "node_modules",
    ".venv",
    "venv",
    "site-packages",
    "dist-packages",
    ".tox",
    ".nox",
    "__pypackages__",
    "__pycache__",
    ".pytest_cache",
    ".yarn",
    "bower_components",
}
_ROOTS = {"", "src", "lib", "python", "tests", "test"}
_RUNNERS = {
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "py",
    "unittest",
    "doctest",
    "mock",
    "hypothesis",
    "coverage",
    "xdist",
    "execnet",
    "nose",
    "nose2",
    "anyio",
    "exceptiongroup",
    "packaging",
    "pytest_cov",
    "pytest_asyncio",
    "pytest_mock",
    "pytest_timeout",
    "xmlrunner",
    "tox",
    "nox",
}
_PLAUSIBLE = {
    "calendar",
    "statistics",
    "queue",
    "token",
    "types",
    "select",
    "secrets",
    "platform",
    "profile",
    "code",
    "graphlib",
    "numbers",
    "string",
    "email",
    "html",
    "http",
    "xml",
    "test",
    "cmd",
    "bisect",
    "heapq",
    "fractions",
    "decimal",
    "stat",
    "uuid",
    "wave",
    "chunk",
    "colorsys",
    "mailbox",
    "sched",
    "locale",
    "logging",
    "parser",
    "resource",
    "site",
    "shelve",
    "sqlite3",
    "symbol",
    "trace",
    "tokenize",
    "turtle",
    "random",
    "operator",
    "copy",
    "array",
    "binary",
    "cgi",
    "crypt",
    "dis",
    "formatter",
    "this",
    "timeit",
    "tkinter",
    "venv",
    "wsgiref",
    "zipapp",
    "ast",
    "math",
    "csv",
    "json",
    "tomllib",
    "concurrent",
    "curses",
    "imp",
    "lib2to3",
    "pdb",
    "pipes",
    "selectors",
    "socketserver",
    "tabnanny",
}


def _parts(path: str) -> tuple[str, ...]:
    return PurePosixPath(path).parts


def is_runner(path: str) -> bool:
    """Whether a file says how tests are found, run or reported."""
    parts = _parts(path)
    return bool(parts) and (bool(_RUNNER_NAME.match(parts[-1])) or (parts[0] == ".config" and "nextest" in parts[-1]))


def is_environment(path: str) -> bool:
    """Whether a file lies where installed packages or caches of compiled code are."""
    return any(part in _ENVIRONMENTS for part in _parts(path)) or path.endswith((".pyc", ".pyo"))


def is_hook(path: str) -> bool:
    """Whether version control would run it, or is made of it."""
    return ".git" in _parts(path)


def is_pipeline(path: str) -> bool:
    """Whether it runs elsewhere later: continuous integration, hooks that a project keeps."""
    return bool(
        re.match(
            r"(\.github/workflows/|\.gitlab-ci|\.circleci/|\.husky/|\.githooks/|Jenkinsfile|azure-pipelines|"
            r"\.travis\.yml|\.pre-commit-config|bitbucket-pipelines|\.drone\.yml|\.buildkite/)",
            path,
        )
    )


def shadows(path: str) -> str:
    """The module of the runner or of Python whose place a new file would take; empty when it takes none."""
    parts = _parts(path)
    if not path.endswith((".py", ".so", ".pyd", ".pyi")) or not parts:
        return ""
    for depth in (0, 1):
        if len(parts) <= depth or "/".join(parts[:depth]) not in _ROOTS:
            continue
        package = len(parts) > depth + 1
        name = parts[depth] if package else parts[depth].partition(".")[0]
        if package and name in _ROOTS:
            continue
        if name in _RUNNERS or (name in sys.stdlib_module_names and name not in _PLAUSIBLE):
            return name
    return ""


def bends(path: str) -> bool:
    """Whether a new file of this name could bend the runner just by being there."""
    parts = _parts(path)
    if not parts:
        return False
    named = bool(_BENDING_NAME.match(parts[-1])) or (
        is_runner(path) and parts[-1] not in ("package.json", "pyproject.toml")
    )
    return named or is_environment(path) or is_hook(path) or bool(shadows(path))


__all__ = ["bends", "is_environment", "is_hook", "is_pipeline", "is_runner", "is_test", "shadows"]
