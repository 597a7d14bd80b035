"""The languages, one file each, in one table."""

from __future__ import annotations

from pathlib import PurePosixPath

from windtunnel.mutation.grammars.grammar import Grammar
from windtunnel.mutation.grammars.languages import go, java, javascript, rust, typescript

LANGUAGES: tuple[Grammar, ...] = (
    javascript.GRAMMAR, typescript.GRAMMAR, typescript.WITH_ELEMENTS, go.GRAMMAR, java.GRAMMAR, rust.GRAMMAR,
)
_SUFFIXES = {
    ".js": javascript.GRAMMAR, ".mjs": javascript.GRAMMAR, ".cjs": javascript.GRAMMAR, ".jsx": javascript.GRAMMAR,
    ".ts": typescript.GRAMMAR, ".mts": typescript.GRAMMAR, ".cts": typescript.GRAMMAR,
    ".tsx": typescript.WITH_ELEMENTS, ".go": go.GRAMMAR, ".java": java.GRAMMAR, ".rs": rust.GRAMMAR,
}


def grammar_of(path: str) -> Grammar | None:
    """The language of a file by its name; none for declarations of types alone."""
    if path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return None
    return _SUFFIXES.get(PurePosixPath(path).suffix)
