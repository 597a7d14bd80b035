"""Folders that a run of ours made, known by a file in them, so that nobody takes what is below for the project's."""

from __future__ import annotations

from pathlib import Path

MARK = ".windtunnel-run"


def mark(folder: Path) -> None:
    """Say that this folder, with all below it, is ours."""
    (folder / MARK).touch(mode=0o600)


def is_ours(folder: Path) -> bool:
    """Whether it was marked."""
    return (folder / MARK).is_file()
