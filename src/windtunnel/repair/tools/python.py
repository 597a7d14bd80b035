"""Fixers of Python, as the project's own interpreter has them."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind
from windtunnel.repair.tools.tool import Tool

_SUFFIXES, _LANGUAGES = (".py",), ("python",)
_NAMES = frozenset({ProblemKind.NAME, ProblemKind.IMPORT, ProblemKind.UNUSED, ProblemKind.STYLE})

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="ruff",
        command=("python", "-m", "ruff", "check", "--fix", "--unsafe-fixes", "--quiet", "--exit-zero", "--no-cache",
                 "--isolated", "--select", "F,E7,B,PLE,UP"),
        suffixes=_SUFFIXES,
        languages=_LANGUAGES,
        kinds=_NAMES | {ProblemKind.TYPE, ProblemKind.ASSERTION},
        prior=0.15,
        reason="ruff mends what it finds by itself: comparisons with None, shared defaults, names that are gone.",
        before="if value == None:",
        after="if value is None:",
    ),
    Tool(
        name="autoflake",
        command=("python", "-m", "autoflake", "--in-place", "--remove-all-unused-imports"),
        suffixes=_SUFFIXES,
        languages=_LANGUAGES,
        kinds=frozenset({ProblemKind.UNUSED, ProblemKind.IMPORT}),
        prior=0.05,
        reason="autoflake takes out imports that nothing uses.",
        before="import os, sys",
        after="import sys",
    ),
    Tool(
        name="pyupgrade",
        command=("python", "-m", "pyupgrade", "--py311-plus", "--exit-zero-even-if-changed"),
        suffixes=_SUFFIXES,
        languages=_LANGUAGES,
        kinds=frozenset({ProblemKind.SYNTAX, ProblemKind.NAME, ProblemKind.ATTRIBUTE}),
        prior=0.05,
        reason="pyupgrade writes what an older version wrote in the newer way.",
        before="from collections import Mapping",
        after="from collections.abc import Mapping",
    ),
)
