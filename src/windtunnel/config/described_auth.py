"""``sandbox_auth.json``: the described file of users, their keys and permissions, refused where others may read it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.keys import check_permissions
from windtunnel.core.person import check_person
from windtunnel.core.strict_json import read_json

_MOST_BYTES = 1024**2
_MOST_USERS = 1000
_SHORT = 20
"""Letters below which a chosen key is warned about."""
_KNOWN = ("users", "session_timeout_hours", "max_concurrent_sessions")
_USER = ("username", "api_key", "permissions")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthFile:
    """What the file says."""

    users: tuple[tuple[str, str, tuple[str, ...]], ...]
    """User, key, permissions."""
    session_timeout_hours: float = 24.0
    max_concurrent_sessions: int = 10
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without the keys."""
        return f"AuthFile(users={[user for user, _, _ in self.users]})"


def read_auth_file(path: Path) -> AuthFile:
    """The file; refused where anybody but its owner may read it."""
    told = read_json(_private(path), field=path.name)
    if not isinstance(told, dict):
        raise UsageError(f"{path.name}: not an object of {', '.join(_KNOWN)}", field=path.name)
    _check_names(told, _KNOWN, where=path.name)
    users = told.get("users")
    if not isinstance(users, list) or not 0 < len(users) <= _MOST_USERS:
        raise UsageError(f"users: not a list of 1 to {_MOST_USERS}", field="users")
    read = tuple(_user(one) for one in users)
    for at, name in ((0, "username"), (1, "api_key")):
        if len({one[at] for one in read}) != len(read):
            raise UsageError(f"{name}: two users have the same", field=name)
    short = tuple(f"the key of {user} is short and can be guessed (windtunnel keys create makes a better one)"
                  for user, key, _ in read if len(key) < _SHORT)
    return AuthFile(users=read, warnings=short,
                    session_timeout_hours=_number(told, "session_timeout_hours", 24.0, most=8760),
                    max_concurrent_sessions=int(_number(told, "max_concurrent_sessions", 10, most=100_000, whole=True)))


def _private(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}", field="auth_file") from None
    with open(descriptor, "rb") as file:  # noqa: PTH123 -- a descriptor
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in (0, os.geteuid()):
            raise UsageError(f"{path}: refused: not a plain file of yours", field="auth_file")
        if found.st_mode & 0o077:
            raise UsageError(f"{path}: refused: others may read it, and it holds keys (chmod 600 it)",
                             field="auth_file")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{path}: refused: more than {_MOST_BYTES} bytes", field="auth_file")
    return data


def _user(told: object) -> tuple[str, str, tuple[str, ...]]:
    if not isinstance(told, dict):
        raise UsageError("users: each is an object of username, api_key and permissions", field="users")
    _check_names(told, _USER, where="users")
    user, key, permissions = (told.get(name) for name in _USER)
    if not isinstance(user, str) or not isinstance(key, str) or not key:
        raise UsageError("users: each has a username and an api_key, both text", field="users")
    check_person(user, field="username")
    if not isinstance(permissions, list) or not all(isinstance(one, str) for one in permissions):
        raise UsageError(f"permissions: those of {user} are not a list of names", field="permissions")
    check_permissions(permissions)
    return user, key, tuple(permissions)


def _check_names(told: Mapping[str, Any], known: tuple[str, ...], *, where: str) -> None:
    for name in told:
        if name not in known:
            raise UsageError(f"{where}: {name[:60]!r} is unknown (known: {', '.join(known)})", field=name[:60])


def _number(told: Mapping[str, Any], name: str, usual: float, *, most: float, whole: bool = False) -> float:
    value = told.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not 0 < value <= most:
        raise UsageError(f"{name}: {value!r:.40} is not a number above 0 and up to {most:g}", field=name)
    return float(value)
