"""What a request may contain; everything else is refused, by name, before anything runs."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language
from windtunnel.core.limits import Limits

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
_LOADER = ("LD_*", "GCONV_PATH", "GLIBC_TUNABLES")
_MOST_CODE = 16 * 1024**2
_MOST_FILES = 10_000
_MOST_FILE_BYTES = 128 * 1024**2
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr")
_MOST_ARGUMENT, _MOST_ARGUMENTS = 128 * 1024, 1024**2
_OWN = ("build", ".windtunnel")
_MOST_PATH, _MOST_PART = 1024, 255


def check_code(code: str | bytes) -> bytes:
    """The source as bytes."""
    if not isinstance(code, str | bytes):
        raise UsageError(f"code: not text: {type(code).__name__}", field="code")
    data = code.encode("utf-8", "surrogatepass") if isinstance(code, str) else code
    if not data.strip():
        raise UsageError("code: empty (give at least one statement)", field="code")
    if len(data) > _MOST_CODE:
        raise UsageError(
            f"code: {len(data)} bytes are more than {_MOST_CODE} (pass data by files or stdin)", field="code")
    return data


def check_files(files: Mapping[str, str | bytes], *, source: str, limits: Limits) -> dict[str, bytes]:
    """Names that stay below /sandbox, with their contents as bytes; they must fit where the run may write."""
    if not isinstance(files, Mapping):
        raise UsageError("files: not a mapping of names to contents", field="files")
    most = min(_MOST_FILES, limits.files // 2)
    if len(files) > most:
        raise UsageError(f"files: {len(files)} are more than {most} (half of limits.files)", field="files")
    checked = {}
    for name, content in files.items():
        check_path(name, field="files")
        if name.split("/")[0] in (source, *_OWN):
            raise UsageError(f"files: {name!r} is taken by the sandbox itself; choose another name", field="files")
        if not isinstance(content, str | bytes):
            raise UsageError(f"files: the content of {name!r} is not text or bytes", field="files")
        checked[name] = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    room = min(_MOST_FILE_BYTES, limits.disk_bytes // 2)
    if sum(map(len, checked.values())) > room:
        raise UsageError(f"files: more than {room} bytes in all (half of limits.disk_bytes)", field="files")
    _check_clashes(checked)
    return checked


def _check_clashes(files: Mapping[str, bytes]) -> None:
    for name in files:
        parts = name.split("/")
        for depth in range(1, len(parts)):
            if "/".join(parts[:depth]) in files:
                raise UsageError(f"files: {name!r} lies below another file; a file cannot be a folder", field="files")


def check_path(name: object, *, field: str) -> str:
    """A relative path that names a place below and nothing else."""
    if not isinstance(name, str) or not name:
        raise UsageError(f"{field}: not a file name: {name!r}", field=field)
    parts = name.split("/")
    refused = (
        "absolute" if name.startswith("/") else
        "leads upward or nowhere" if any(part in ("", ".", "..") for part in parts) else
        "contains a NUL or another control character" if any(ord(char) < 32 or ord(char) == 127 for char in name) else  # noqa: PLR2004
        "contains a backslash" if "\\" in name else
        "is not valid text" if not _encodes(name) else
        "is too long" if len(name) > _MOST_PATH or any(len(part.encode()) > _MOST_PART for part in parts) else None)
    if refused:
        raise UsageError(f"{field}: {name!r} {refused} (give a relative path such as data/input.txt)", field=field)
    return name


def check_workspace(path: str | os.PathLike[str] | None, *, private: Sequence[str]) -> str | None:
    """A project's own folder: no link, nothing that holds a home, nothing of our own."""
    if path is None:
        return None
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UsageError(f"workspace: not a path: {type(path).__name__}", field="workspace")
    folder = Path(text)
    if folder.is_symlink() or not folder.is_dir():
        raise UsageError(f"workspace: {text!r} is not a folder (links are not followed)", field="workspace")
    real = folder.resolve()
    if len(real.parts) <= 2 or real.parts[1] in _SYSTEM or any(home.is_relative_to(real) for home in _homes()):  # noqa: PLR2004
        raise UsageError(f"workspace: {text!r} is too wide (give the project's own folder)", field="workspace")
    for own in (Path(one).resolve() for one in private):
        if (real.is_relative_to(own) and not _is_kept(real, own)) or own.is_relative_to(real):
            raise UsageError(f"workspace: {text!r} holds Windtunnel's own state, {own}", field="workspace")
    return str(real)


def _is_kept(real: Path, own: Path) -> bool:
    """Whether it is the tree of a kept workspace, which is a project like any other."""
    parts = real.relative_to(own).parts
    return len(parts) == 4 and (parts[0], parts[2]) == ("workspaces", "trees")  # noqa: PLR2004 -- workspaces/ID/trees/N


def _homes() -> list[Path]:
    """The user's own, as the variable and as the table of users have it; either may say nothing."""
    import pwd  # noqa: PLC0415 -- only who shows a folder needs it

    found = [os.environ.get("HOME", "")]
    with contextlib.suppress(KeyError):
        found.append(pwd.getpwuid(os.geteuid()).pw_dir)
    return [Path(home).resolve() for home in found if home.startswith("/")]


def _encodes(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_env(env: Mapping[str, str], *, language: Language) -> dict[str, str]:
    """Variables for the program that cannot change what runs it."""
    runner = f"the runner of {language.name}"
    return check_variables(env, field="env_vars", reserved=language.reserved_env, runner=runner)


def check_variables(
    env: Mapping[str, str], *, field: str, reserved: Sequence[str] = (), runner: str = "the runner",
) -> dict[str, str]:
    """Names and values that can be variables, none of which changes the loader or is reserved."""
    if not isinstance(env, Mapping):
        raise UsageError(f"{field}: not a mapping of names to values", field=field)
    for name, value in env.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(f"{field}: not a variable name: {name!r} (letters, digits and _)", field=field)
        if not isinstance(value, str) or not _is_argument(value):
            raise UsageError(f"{field}: the value of {name} is not text without NUL below 128 KiB", field=field)
        if any(_matches(name, pattern) for pattern in (*_LOADER, *reserved)):
            raise UsageError(f"{field}: {name} would change {runner} (set it in the program itself)", field=field)
    return dict(env)


def _matches(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def check_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    """Program arguments, as many and as long as the kernel takes."""
    if isinstance(arguments, str | bytes) or not isinstance(arguments, Sequence):
        raise UsageError("args: not a list of texts", field="args")
    for argument in arguments:
        if not isinstance(argument, str) or not _is_argument(argument):
            raise UsageError(f"args: not text without NUL below 128 KiB: {repr(argument)[:60]}", field="args")
    if sum(map(len, arguments)) > _MOST_ARGUMENTS:
        raise UsageError(f"args: more than {_MOST_ARGUMENTS} characters (pass data by files or stdin)", field="args")
    return tuple(arguments)


def check_stdin(stdin: str | bytes) -> bytes:
    """Standard input as bytes."""
    if not isinstance(stdin, str | bytes):
        raise UsageError(f"stdin: not text or bytes: {type(stdin).__name__}", field="stdin")
    return stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin


def check_spill(folder: str | None) -> str | None:
    """An existing folder that we may write to."""
    if folder is not None and not (isinstance(folder, str) and os.path.isdir(folder) and os.access(folder, os.W_OK)):  # noqa: PTH112
        raise UsageError(f"spill: {folder!r} is not a folder we may write to", field="spill")
    return folder


def _is_argument(text: str) -> bool:
    return "\0" not in text and _encodes(text) and len(text.encode()) < _MOST_ARGUMENT
