"""A test file with tests and imports added, and nothing else changed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windtunnel.mutation.suggest_text import Test


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A test file, and the tests that are to be added to it."""

    path: str
    source: bytes | None
    """None where there is no such file yet."""
    tests: tuple[Test, ...]

    @property
    def content(self) -> bytes:
        """The file with them in it."""
        imports = [line for test in self.tests for line in test.imports]
        return placed(self.source, imports, [test.code for test in self.tests])

    def id_of(self, test: Test) -> str:
        """As pytest names it."""
        return f"{self.path}::{test.name}"


def placed(source: bytes | None, imports: Iterable[str], codes: Sequence[str]) -> bytes:
    """Imports after those that are there, tests at the end; before a last ``if __name__ == …``. None is a new file."""
    text = (source or b"").decode("utf-8-sig")
    mark = b"\xef\xbb\xbf" if (source or b"").startswith(b"\xef\xbb\xbf") else b""
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    body = ast.parse(text).body
    at, last = _after_imports(body), _end(body, len(lines))
    added = [line for code in codes for line in ("", "", *code.rstrip("\n").split("\n"))]
    wanted = sorted(set(imports) - set(lines), key=lambda line: (line.startswith("from "), line))
    before, between, after = lines[:at], lines[at:last], lines[last:]
    while between and not between[-1].strip():
        between.pop()
    gap = [""] if wanted and before and not _is_import(before[-1]) else []
    gap_after = [""] if wanted and between and between[0].strip() else []
    made = [*before, *gap, *wanted, *gap_after, *between, *added, *(["", "", *after] if after else [])]
    return mark + (ends.join(made).lstrip("\r\n") + ends).encode()


def _after_imports(body: Sequence[ast.stmt]) -> int:
    """The line behind the last import at the file's top, or behind its docstring."""
    at = 0
    for number, node in enumerate(body):
        docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        at = node.end_lineno or at
    return at


def _end(body: Sequence[ast.stmt], lines: int) -> int:
    if body and isinstance(body[-1], ast.If) and "__name__" in ast.unparse(body[-1].test):
        return body[-1].lineno - 1
    return lines


def _is_import(line: str) -> bool:
    return line.startswith(("import ", "from ", ")", " "))
