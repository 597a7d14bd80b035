"""Keys as acts: made, revoked and rotated by somebody, and written down; the keys themselves in no record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from windtunnel.config.described_auth import AuthFile, read_auth_file
from windtunnel.core.keys import Key
from windtunnel.core.span import Span
from windtunnel.engine.acts import Acts
from windtunnel.store.keys import Keys


class KeyDesk:
    """Where keys are made and taken away."""

    def __init__(self, acts: Acts) -> None:
        """Nothing is opened yet."""
        self._acts, self.store = acts, Keys(acts.settings.state_dir / "keys.db")

    def all(self) -> list[Key]:
        """Newest first."""
        return self.store.all()

    def create(
        self, *, user: str, roles: Sequence[str] = (), permissions: Sequence[str] = (), name: str = "",
        expires: Span | None = None, per_day: int | None = None,
    ) -> tuple[Key, str]:
        """A new key, and the only time that it is told."""
        inputs = {"user": user[:200], "roles": list(roles)[:20], "permissions": list(permissions)[:50],
                  "name": name[:200], "expires": str(expires or ""), "per_day": per_day}
        with self._acts.act("key create", lambda: inputs) as act:
            until = None if expires is None else datetime.now(UTC) + timedelta(seconds=expires.seconds)
            made, told = self.store.create(user=user, roles=roles, permissions=permissions, name=name, expires=until,
                                           per_day=per_day)
            act.end("done", subject=made.id)
        return made, told

    def revoke(self, name: str) -> Key:
        """It opens nothing any more."""
        with self._acts.act("key revoke", lambda: {"key": _id(name)}) as act:
            key = self.store.revoke(_id(name))
            act.end("done", subject=key.id)
        return key

    def rotate(self, name: str) -> tuple[Key, str]:
        """A new key in the place of this one."""
        with self._acts.act("key rotate", lambda: {"key": _id(name)}) as act:
            made, told = self.store.rotate(_id(name))
            act.end("done", subject=made.id, replaces=_id(name))
        return made, told

    def adopt(self, path: Path) -> AuthFile:
        """The users of a ``sandbox_auth.json``, their keys kept by hashes."""
        read = read_auth_file(path)
        with self._acts.act("key import", lambda: {"file": str(path)[:500], "users": len(read.users)}) as act:
            self.store.adopt(read.users)
            act.end("done")
        return read

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()


def _id(name: str) -> str:
    """The id of a key, also of one that was given whole by mistake: no secret is written down."""
    parts = name.split("_")
    return (parts[1] if name.startswith("wt_") and len(parts) > 1 else name)[:200]
