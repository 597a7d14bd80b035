"""Keys of a server's users: what each lets them do, and how it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.person import check_person

ALL = "all"
PERMISSIONS: Mapping[str, str] = {
    ALL: "everything, also the keys, projects and audit records of others",
    "run_code": "run programs in a sandbox",
    "try_changes": "try, rank, judge, diagnose and mend projects without writing to them",
    "apply_changes": "write changes into projects, and take them back",
    "create_workspace": "make workspaces, change them and run commands in them",
    "analyze_codebase": "have projects analysed",
    "execute_tasks": "make plans and carry them out",
    "approve": "decide what a policy or a plan asks people about",
    "audit": "read what everybody did",
}
"""What a key can be given; whoever has any key may also see the status and what is their own."""
ROLES: Mapping[str, tuple[str, ...]] = {
    "admin": (ALL,),
    "developer": ("run_code", "try_changes", "apply_changes", "create_workspace", "analyze_codebase", "execute_tasks"),
    "viewer": (),
    "approver": ("approve",),
    "auditor": ("audit",),
}


class KeyRefused(UsageError):
    """There is no key, or it is not a good one; nothing says which, and the key is in no message."""

    code = "unauthorised"


class NotPermitted(UsageError):
    """The key is good and does not reach so far; the message names the permission."""

    code = "forbidden"


class Busy(WindtunnelError):
    """Too much is under way, or a limit of the caller's is reached; the same can be asked later."""

    code = "busy"

    def __init__(self, message: str, *, retry_seconds: float, ours: bool = False) -> None:
        """``ours`` where the server as a whole is full, rather than a limit of this caller reached."""
        super().__init__(message)
        self.retry_seconds, self.ours = max(1.0, retry_seconds), ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key as it is kept: never the secret itself."""

    id: str
    user: str
    roles: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    """Beside those of the roles."""
    name: str = ""
    """What it is for, in its maker's words."""
    made: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
    used: datetime | None = None
    """When it was last used, as far as that was written down already."""
    per_day: int | None = None
    """Calls in one day of UTC; none for any number."""

    def __post_init__(self) -> None:
        """Refuse what no rule could be held against."""
        check_person(self.user, field="user")
        check_roles(self.roles)
        check_permissions(self.permissions)
        if self.per_day is not None and (type(self.per_day) is not int or self.per_day < 1):
            raise UsageError(f"per_day: {self.per_day!r:.40} is not a number of calls from 1 up", field="per_day")

    def good(self, now: datetime) -> bool:
        """Whether it opens anything at this moment."""
        return self.revoked is None and (self.expires is None or now < self.expires)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, once their key was found good."""

    user: str
    roles: tuple[str, ...] = ()
    permissions: frozenset[str] = frozenset()
    key: str = ""
    """The id of the key; empty where none was needed."""
    session: str = ""
    per_day: int | None = None

    def may(self, permission: str) -> bool:
        """Whether this is permitted; what needs no permission always is."""
        return not permission or permission in self.permissions or ALL in self.permissions

    def check(self, permission: str) -> None:
        """Refuse what is not."""
        if not self.may(permission):
            raise NotPermitted(f"key: does not permit {permission} (ask an admin for a key with it)", field="key")


def permissions_of(roles: Iterable[str], permissions: Iterable[str]) -> frozenset[str]:
    """Those of the roles and those given beside them."""
    return frozenset(permissions).union(*(ROLES[role] for role in roles))


def check_roles(roles: Iterable[str]) -> None:
    """Refuse an unknown one by name."""
    for role in roles:
        if role not in ROLES:
            raise UsageError(f"role: {str(role)[:40]!r} is not a role (one of {', '.join(ROLES)})", field="role")


def check_permissions(permissions: Iterable[str]) -> None:
    """Refuse an unknown one by name."""
    for one in permissions:
        if one not in PERMISSIONS:
            raise UsageError(f"permission: {str(one)[:40]!r} is not a permission (one of {', '.join(PERMISSIONS)})",
                             field="permission")
