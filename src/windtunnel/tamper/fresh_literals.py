"""The literals that a change brings into product code and its data."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from windtunnel.tamper.literals import TRIVIAL, script_literal
from windtunnel.tamper.novelty import Novelty
from windtunnel.tamper.script import SCRIPT, read_script
from windtunnel.tamper.stored_decisions import STORED, stored_decisions
from windtunnel.tamper.trees import parse


def fresh_literals(path: str, data: bytes, old: bytes | None) -> frozenset[str]:
    """Canonical texts of the literals that stand in a file more often than before; nothing that is met everywhere."""
    new, known = (Counter(_literals(path, each)) for each in (data, old or b""))
    found = {text for text, count in new.items() if count > known[text]} - TRIVIAL
    if path.endswith(STORED):
        rows = stored_decisions(data, Novelty(data, old))
        found |= {text for row in rows for text in (repr(row.value), row.answer or "") if text}
    return frozenset(found)


def _literals(path: str, data: bytes) -> Iterable[str]:
    if path.endswith(".py"):
        tree = parse(data)
        return () if tree is None else _python(tree)
    if not SCRIPT.search(path):
        return ()
    script = read_script(data)
    found = ((script_literal(script, index), word) for index, word in enumerate(script.words))
    return [text if text is not None else repr(word.text) for text, word in found
            if text is not None or word.kind == "pattern"]


def _python(tree: ast.Module) -> list[str]:
    documents = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    return [repr(each.value) for each in ast.walk(tree)
            if isinstance(each, ast.Constant) and id(each) not in documents and each.value is not Ellipsis]
