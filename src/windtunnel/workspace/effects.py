"""What a file that a run left behind means: expected litter, or something that would run later."""

from __future__ import annotations

import fnmatch
from dataclasses import replace

from windtunnel.core.effects import FileEffect

_LITTER = (
    ("**/__pycache__/**", "bytecode cache"), ("**/*.pyc", "bytecode cache"),
    ("**/.pytest_cache/**", "pytest cache"), ("**/.mypy_cache/**", "type checker cache"),
    ("**/.ruff_cache/**", "linter cache"), ("**/.hypothesis/**", "hypothesis database"),
    ("**/.coverage", "coverage data"), ("**/.coverage.*", "coverage data"), ("**/coverage.xml", "coverage data"),
    ("**/htmlcov/**", "coverage data"), ("**/.nyc_output/**", "coverage data"),
    ("**/node_modules/.cache/**", "package cache"), ("**/node_modules/.vite/**", "package cache"),
    ("**/node_modules/.vitest/**", "package cache"), ("**/.eslintcache", "linter cache"),
    ("**/*.tsbuildinfo", "compiler cache"), ("**/*.egg-info/**", "package metadata"),
    ("**/.gradle/**", "build cache"), ("target/**", "build output"), ("**/build/tmp/**", "build output"),
    ("**/.tox/**", "test environments"), ("**/.nox/**", "test environments"),
)
_LATER = (
    ("**/.git/hooks/*", "git hook"), ("**/.git/config", "git configuration"), ("**/.husky/**", "git hook"),
    ("**/.githooks/**", "git hook"), ("**/.pre-commit-config.yaml", "git hook"),
    ("**/.github/workflows/*", "CI"), ("**/.gitlab-ci.yml", "CI"), ("**/.circleci/**", "CI"),
    ("**/Jenkinsfile", "CI"), ("**/.travis.yml", "CI"), ("**/azure-pipelines.yml", "CI"),
    ("**/.bashrc", "shell start-up"), ("**/.bash_profile", "shell start-up"), ("**/.profile", "shell start-up"),
    ("**/.zshrc", "shell start-up"), ("**/.envrc", "shell start-up"), ("**/.vscode/**", "editor settings"),
    ("**/.idea/**", "editor settings"), ("**/.vimrc", "editor settings"), ("**/.npmrc", "package manager settings"),
    ("**/sitecustomize.py", "interpreter start-up"), ("**/usercustomize.py", "interpreter start-up"),
    ("**/*.pth", "interpreter start-up"), ("**/conftest.py", "test runner start-up"),
    ("**/.venv/**", "virtual environment"), ("**/venv/**", "virtual environment"),
    ("**/.ssh/**", "remote access"), ("**/crontab", "scheduled job"), ("**/Makefile", "build script"),
)


def describe(effect: FileEffect) -> FileEffect:
    """The same effect with its meaning; what would run later is never litter, bytecode of a virtual environment is."""
    path = effect.path.removeprefix("/workspace/")
    later = _first(_LATER, path)
    litter = _first(_LITTER, path) or ("" if effect.kind != "folder" or effect.act == "deleted" else "folder")
    if later and "__pycache__" not in path.split("/"):
        return replace(effect, runs_later=later)
    return replace(effect, litter=litter)


def _first(table: tuple[tuple[str, str], ...], path: str) -> str:
    return next((what for pattern, what in table if _matches(path, pattern)), "")


def _matches(path: str, pattern: str) -> bool:
    """Whether it matches, also at the top; a pattern for what lies in a folder is one for the folder."""
    for shape in (pattern, pattern.removeprefix("**/")):
        if fnmatch.fnmatchcase(path, shape) or (shape.endswith("/**") and fnmatch.fnmatchcase(path, shape[:-3])):
            return True
    return False
