"""Whether a project is any business of languages other than Python; asked of every run, so it loads next to nothing."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.trial import Kind

TOOLS = ("jest", "vitest", "mocha", "node:test", "go test", "cargo test", "maven", "gradle")
"""Test commands that judge them."""
SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".java", ".rs")
_MANIFESTS = ("package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle",
              "settings.gradle.kts")


def concerns(folder: Folder, test: str | Sequence[str] | None) -> bool:
    """Whether tests of another language may judge something there; ``test`` is the command that was given."""
    if test is None:
        return any(map(folder.exists, _MANIFESTS))
    return any(check.tool in TOOLS for check in discover(folder, build="", lint="", test=test).of(Kind.TEST))
