"""Small projects on disk for the tests of checks."""

from __future__ import annotations

from pathlib import Path

from windtunnel.checks.project import Folder


def project(root: Path, files: dict[str, str] | None = None, *, programs: tuple[str, ...] = ()) -> Folder:
    """A project of these files that finds these programs and no others."""
    for name, text in (files or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Folder(root, search=lambda name: f"/bin/{name}" if name in programs else None, environ={}, own="/nonexistent")


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
