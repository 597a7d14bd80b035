"""Who a program is inside a container, and who that is on the host: never root on both sides. Pure."""

from __future__ import annotations

import os
from dataclasses import dataclass

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container.engine import Facts
from windtunnel.sandbox.root import UID


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One user under both of its numbers."""

    user: str
    """``uid:gid`` as the engine is told."""
    uid: int
    """On the host."""
    user_namespace: str = ""
    """As the engine is told; empty for what it does anyway."""
    mapped: bool = False
    """Whether a user namespace stands between the two numbers."""


def owner_of(facts: Facts, *, caller: int, group: int, throw_away: int | None) -> Owner:
    """For a caller; ``throw_away`` is the user that root leases for its programs."""
    if facts.rootless:
        return _rootless(facts, caller=caller)
    if facts.remapped is not None:
        if caller != 0:
            raise IsolationUnavailable(
                f"{facts.name} maps all users elsewhere, and only root can give them a folder there (start as root, "
                "or use rootless podman)")
        return Owner(user=f"{UID}:{UID}", uid=facts.remapped[0] + UID, mapped=True)
    if throw_away is not None:
        return Owner(user=f"{throw_away}:{throw_away}", uid=throw_away)
    if caller == 0:
        raise IsolationUnavailable("root starts nothing as itself, and no throw-away user was leased for it")
    return Owner(user=f"{caller}:{group}", uid=caller)


def _rootless(facts: Facts, *, caller: int) -> Owner:
    if caller == 0:
        raise IsolationUnavailable(
            f"{facts.name} runs as an ordinary user and we as root; neither can clear away after the other "
            "(start as that user, or use an engine of root's)")
    if facts.name == "podman":
        return Owner(user=f"{UID}:{UID}", uid=caller, user_namespace=f"keep-id:uid={UID},gid={UID}", mapped=True)
    return Owner(user="0:0", uid=caller, mapped=True)  # the namespace's root is the caller, without capabilities


def caller() -> tuple[int, int]:
    """Our own uid and gid."""
    return os.geteuid(), os.getegid()
