"""The audit log of one folder of state, on the shelf that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from windtunnel.core.address import DatabaseAddress
from windtunnel.store.audit.log import AuditLog

NAME = "audit.db"


def open_log(
    folder: Path, store: DatabaseAddress | None = None, *, reading: Callable[[str], object] | None = None,
) -> AuditLog:
    """Its rows in a file of the folder, or in a ``store``; what is under way is noted in the folder in either case.

    With ``reading``, a file that cannot be written is only read, which is told.
    """
    if store is None:
        return AuditLog(folder / NAME, reading=reading)
    from windtunnel.store.audit.postgres_shelf import PostgresShelf  # noqa: PLC0415 -- few have a server

    return AuditLog(folder / NAME, shelf=PostgresShelf(store))
