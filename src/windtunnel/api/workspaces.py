"""The described system's door to workspaces: ``WorkspaceLifecycleManager``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Self

from windtunnel.core.workspace import Snapshot, Workspace
from windtunnel.tunnel import Tunnel


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSession:
    """A workspace under the name that its maker gave it."""

    session_id: str
    workspace: Workspace


class WorkspaceLifecycleManager:
    """Makes, lists, keeps and removes copies of projects. Safe to use from many threads."""

    def __init__(self, *, tunnel: Tunnel | None = None) -> None:
        """With a tunnel of its own where none is given."""
        self.tunnel = tunnel or Tunnel(pool_size=0)

    def create_workspace(
        self, source_path: str | os.PathLike[str], session_id: str = "", *, commit: str = "",
        idle_seconds: float | None = None, life_seconds: float | None = None,
    ) -> WorkspaceSession:
        """A copy of a folder, or of a git repository by its address."""
        return _session(self.tunnel.workspaces.create(
            source_path, name=session_id, commit=commit, idle_seconds=idle_seconds, life_seconds=life_seconds))

    def get_workspace(self, session_id: str) -> WorkspaceSession:
        """One by its name or id."""
        return _session(self.tunnel.workspaces.get(session_id))

    def get_active_workspaces(self) -> tuple[WorkspaceSession, ...]:
        """All there are, oldest first."""
        return tuple(map(_session, self.tunnel.workspaces.list()))

    def snapshot_workspace(self, session_id: str, name: str = "") -> Snapshot:
        """Keep its files as they are now."""
        return self.tunnel.workspaces.snapshot(session_id, name)

    def restore_workspace(self, session_id: str, snapshot: str) -> WorkspaceSession:
        """Its files as they were."""
        return _session(self.tunnel.workspaces.restore(session_id, snapshot))

    def destroy_workspace(self, session_id: str) -> None:
        """Remove it with all its snapshots."""
        self.tunnel.workspaces.destroy(session_id)

    def expire_workspaces(self) -> tuple[str, ...]:
        """Remove those whose time is over; their names."""
        return self.tunnel.workspaces.sweep()

    def close(self) -> None:
        """End all that waits."""
        self.tunnel.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _session(found: Workspace) -> WorkspaceSession:
    return WorkspaceSession(session_id=found.name, workspace=found)
