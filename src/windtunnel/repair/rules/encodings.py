"""Bytes that are not the text they are read as."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, last_name, replace

_SAID = re.compile(r"'([\w-]+)' codec can't (decode|encode)")
_READERS = frozenset({"open", "read_text", "write_text", "fdopen", "TextIOWrapper"})


def named(sight: Sight) -> Iterator[Fix]:
    """Another encoding at what opens, decodes or encodes."""
    codec = sight.said[1].lower()
    others = ["utf-8", "latin-1"] if codec not in {"utf-8", "utf8"} else ["latin-1", "cp1252", "utf-16"]
    for module, line in sight.places():
        statement = module.statement(line)
        near = (
            []
            if statement is None
            else [
                *module.nodes(line),
                *(
                    node
                    for one in module.up(statement)
                    if isinstance(one, (ast.With, ast.AsyncWith))
                    for item in one.items
                    for node in ast.walk(item)
                ),
            ]
        )
        for node in near:
            if not isinstance(node, ast.Call):
                continue
            name = last_name(node.func)
            given = next((one for one in node.keywords if one.arg == "encoding"), None)
            for at, other in enumerate(others):
                prior = 0.88 - 0.25 * at
                if given is not None:
                    yield Fix((replace(module, given.value, f'"{other}"'),), prior, f"The text is not {codec}.")
                elif name in {"decode", "encode"}:
                    text = module.source(node.func)
                    yield Fix((replace(module, node, f'{text}("{other}")'),), prior, f"The text is not {codec}.")
                elif name in _READERS:
                    end = module.span(node)[1] - 1
                    yield Fix(
                        ((module.path, end, end, f'{", " if node.args or node.keywords else ""}encoding="{other}"'),),
                        prior,
                        "The encoding is named instead of guessed.",
                    )
            if name in {*_READERS, "decode", "encode"} and not any(one.arg == "errors" for one in node.keywords):
                end = module.span(node)[1] - 1
                yield Fix(
                    ((module.path, end, end, f'{", " if node.args or node.keywords else ""}errors="replace"'),),
                    0.35,
                    "What is no text is marked instead of refused.",
                )


RULES = (
    Rule(
        name="named-encoding",
        what="Bytes are read in an encoding that they are not in.",
        before="open(path)",
        after='open(path, encoding="utf-8")',
        suggest=named,
        errors=("UnicodeDecodeError", "UnicodeEncodeError"),
        message=_SAID,
    ),
)
