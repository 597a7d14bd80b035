"""Metrics that a user adds: Python files of folders that the user names, each with a function ``collect_metrics``.

What holds: only files of root or of this user, that not everyone may write to, are run, out of folders of the same
sort, never through a link. A plugin that raises, returns what is not numbers, or takes more than its time is reported
and left out of that cycle; one that hangs is never called again. What does not hold: a ``Plugin`` runs in our own
process, with all that we may do, and can end it. One that hangs keeps its thread, and may keep a processor busy until
the process ends. Runs of cycles ask plugins in processes of their own instead (``plugin_process``).
"""

from __future__ import annotations

import hashlib
import inspect
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import yaml

from windtunnel.core.errors import UsageError
from windtunnel.core.series import finite, named
from windtunnel.trust import read

SECONDS = 5.0
MOST_METRICS = 200
MOST_PLUGINS = 50
FOLDER, FILE = "SANDBOX_METRICS_PLUGIN_DIR", "SANDBOX_METRICS_FILE"
Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None

_Answer = TypeVar("_Answer")


class PluginFailed(Exception):
    """What a plugin did instead of answering."""


class Plugin:
    """One file of a user's; whatever it does, calling it returns."""

    def __init__(self, module: ModuleType, *, seconds: float = SECONDS) -> None:
        """``seconds`` is what one call may take."""
        self.module, self.name, self._seconds = module, Path(str(module.__file__)).stem, seconds
        self.problems: list[str] = []
        self.hung = False
        """Whether it did not return once."""

    def collect_metrics(
        self, prev_roi: float, roi: float, resources: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        """What it adds to a cycle's metrics; nothing where it failed, and ``problems`` says how."""
        given = dict(resources) if resources is not None else None
        try:
            return self._checked(self._call(lambda: self.module.collect_metrics(prev_roi, roi, given)))
        except PluginFailed as failure:
            self.problems.append(f"{self.name}: {failure}")
            return {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- whatever the file defines
        """Whatever else the file defines; its ``register`` takes as many of the arguments as it has names for."""
        found = getattr(self.module, name)
        return self._register if name == "register" and callable(found) else found

    def _register(self, *given: object) -> None:
        function = self.module.register
        try:
            self._call(lambda: function(*given[:_places(function)]))
        except PluginFailed as failure:
            self.problems.append(f"{self.name}: register: {failure}")

    def _call(self, act: Callable[[], _Answer]) -> _Answer:
        if self.hung:
            raise PluginFailed("not called again, since it did not return")
        try:
            return within(self._seconds, act)
        except TimeoutError as error:
            self.hung = True
            raise PluginFailed(str(error)) from None

    def _checked(self, answer: object) -> dict[str, float]:
        if not isinstance(answer, dict):
            raise PluginFailed(f"returned {type(answer).__name__} instead of a dict")
        if len(answer) > MOST_METRICS:
            raise PluginFailed(f"returned {len(answer)} metrics, more than {MOST_METRICS}")
        good = {}
        for name, value in answer.items():
            try:
                good[named(name, field="metrics")] = finite(value, field=str(name)[:60])
            except UsageError as error:
                self.problems.append(f"{self.name}: {error}")
        return good


def load_plugins(folders: Folders, *, tell: Callable[[str], None], seconds: float = SECONDS) -> list[Plugin]:
    """Those of these folders that can be loaded, by name; ``tell`` hears why others are left out."""
    given = [folders] if isinstance(folders, str | os.PathLike) else list(folders or ())
    found = []
    for folder in map(Path, given):
        doubt = _doubt(folder)
        if doubt:
            tell(f"{folder}: no plugins are taken from it: {doubt}")
            continue
        for file in sorted(folder.glob("*.py")):
            try:
                found.append(load_plugin(file, seconds=seconds))
            except (PluginFailed, UsageError, TimeoutError) as failure:
                tell(f"{file}: not loaded: {failure}")
    return found


def load_plugin(file: Path, *, seconds: float = SECONDS) -> Plugin:
    """One of them; ``PluginFailed``, ``UsageError`` or ``TimeoutError`` say why it cannot be used."""
    return Plugin(_loaded(file, seconds), seconds=seconds)


def plugin_files(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """All that the environment names, by folder and name; ``UsageError`` for a folder that cannot be used."""
    found: list[Path] = []
    for folder in plugin_folders(environment):
        doubt = _doubt(folder)
        if doubt:
            raise UsageError(f"{FOLDER}: {str(folder)!r}: no plugins can be taken from it: {doubt}", field=FOLDER)
        found += sorted(folder.glob("*.py"))
    if len(found) > MOST_PLUGINS:
        raise UsageError(f"{FOLDER}: {len(found)} plugins are more than {MOST_PLUGINS}", field=FOLDER)
    return tuple(dict.fromkeys(found))


def plugin_folders(environment: Mapping[str, str]) -> list[Path]:
    """Those that ``SANDBOX_METRICS_PLUGIN_DIR`` and the ``plugin_dirs`` of ``SANDBOX_METRICS_FILE`` name.

    Relative folders of the file are below the folder that the file is in.
    """
    named_folders = [Path(part) for part in environment.get(FOLDER, "").split(os.pathsep) if part]
    file = environment.get(FILE)
    return named_folders + (_listed(Path(file)) if file else [])


def _listed(file: Path) -> list[Path]:
    data = read(file, field=FILE)
    if data is None:
        raise UsageError(f"{FILE}: {file}: there is no such file", field=FILE)
    try:
        said = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{FILE}: {file}: neither YAML nor JSON: {str(error)[:200]}", field=FILE) from None
    folders = said.get("plugin_dirs", []) if isinstance(said, dict) else None
    folders = [folders] if isinstance(folders, str) else folders
    if not isinstance(folders, list) or not all(isinstance(folder, str) for folder in folders):
        raise UsageError(f"{FILE}: {file}: plugin_dirs is not a list of folders", field=FILE)
    return [file.parent / folder for folder in folders]


def within(seconds: float, act: Callable[[], _Answer]) -> _Answer:
    """What ``act`` returns; ``PluginFailed`` for what it raises, ``TimeoutError`` where it takes longer."""
    answers: list[_Answer] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(act())
        except BaseException as error:  # noqa: BLE001 -- a plugin's exit must not be ours
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True, name="windtunnel-plugin")
    thread.start()
    thread.join(seconds)
    if failures:
        raise PluginFailed(f"raised {type(failures[0]).__name__}: {_text(failures[0])}")
    if not answers:
        raise TimeoutError(f"took more than {seconds:g} seconds")
    return answers[0]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception:  # noqa: BLE001 -- an error of a plugin's own making may fail to say what it is
        return "(it cannot say)"


def _loaded(file: Path, seconds: float) -> ModuleType:
    data = read(file, field="plugin")
    if data is None:
        raise PluginFailed("it is gone")
    mark = hashlib.sha256(str(file.absolute()).encode()).hexdigest()[:8]
    module = ModuleType(f"windtunnel_plugin_{file.stem}_{mark}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        within(seconds, lambda: _run(data, module))
    except (PluginFailed, TimeoutError):
        sys.modules.pop(module.__name__, None)
        raise
    return module


def _run(data: bytes, module: ModuleType) -> None:
    exec(compile(data, str(module.__file__), "exec"), module.__dict__)  # noqa: S102 -- this is what a plugin is
    if not callable(getattr(module, "collect_metrics", None)):
        raise UsageError("it has no function collect_metrics")


def _places(function: Callable[..., object]) -> int:
    """How many arguments by place it takes."""
    try:
        parameters: Iterable[inspect.Parameter] = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return sys.maxsize
    return sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)


def _doubt(folder: Path) -> str | None:
    """Why what lies there may not be believed."""
    try:
        found = folder.stat()
    except OSError as error:
        return error.strerror
    if not stat.S_ISDIR(found.st_mode):
        return "not a folder"
    if found.st_uid not in {0, os.geteuid()}:
        return f"it belongs to user {found.st_uid}"
    return "everyone may write to it (chmod o-w it)" if found.st_mode & stat.S_IWOTH else None
