"""One file for each language, and one table of them by the ends of file names."""

from __future__ import annotations

from windtunnel.repair.foreign.languages import go, java, javascript, rust, typescript
from windtunnel.repair.foreign.table import Table

_BY_END = {
    "js": javascript.TABLE,
    "mjs": javascript.TABLE,
    "cjs": javascript.TABLE,
    "jsx": javascript.TABLE,
    "ts": typescript.TABLE,
    "mts": typescript.TABLE,
    "cts": typescript.TABLE,
    "tsx": typescript.WITH_ELEMENTS,
    "java": java.TABLE,
    "go": go.TABLE,
    "rs": rust.TABLE,
}
TABLES: tuple[Table, ...] = (javascript.TABLE, typescript.TABLE, java.TABLE, go.TABLE, rust.TABLE)


def table_of(path: str) -> Table | None:
    """The language of a file by its name; None where there is none here, or it is only declarations."""
    return None if path.endswith(".d.ts") else _BY_END.get(path.rpartition(".")[2])
