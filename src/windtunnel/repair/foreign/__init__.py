"""Fixes for JavaScript, TypeScript, Java, Go and Rust: by search in the tree, and out of the compilers' own words.

Nothing here runs anything. The grammars that search and the mending of syntax need are an extra,
``windtunnel[syntax]``; what is read from a compiler's words needs none of them.
"""

from __future__ import annotations

from windtunnel.repair.foreign.knowledge import RULES
from windtunnel.repair.foreign.said import rules
from windtunnel.repair.foreign.stream import search

__all__ = ["RULES", "rules", "search"]
