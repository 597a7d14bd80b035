"""All sorts of edits, one literal table."""

from __future__ import annotations

from windtunnel.repair.foreign.edits import (
    calls,
    flow,
    guards,
    insertions,
    naming,
    operators,
    patterns,
    statements,
    values,
)
from windtunnel.repair.foreign.edits.base import Sort

SORTS: tuple[Sort, ...] = (
    operators.COMPARISON,
    operators.ARITHMETIC,
    operators.GROUPING,
    operators.LOGIC,
    operators.NEGATION,
    values.NUMBER,
    values.TEXT,
    values.FLAG,
    values.OFFSET,
    values.START,
    values.FACTOR,
    naming.VARIABLE,
    naming.MEMBER,
    naming.METHOD,
    naming.INDEX,
    calls.SWAPPED,
    calls.ARGUMENT,
    calls.WRAPPED,
    calls.UNWRAPPED,
    calls.CHOICE,
    flow.ASSIGNMENT,
    flow.JUMP,
    flow.WALK,
    flow.CONDITION,
    flow.RESULT,
    statements.DELETED,
    statements.UNGUARDED,
    statements.MOVED,
    insertions.INSERTED,
    guards.BASE_CASE,
    guards.GUARD,
    patterns.ANALOGY,
    patterns.TRACKED,
    patterns.WRAPPED_INDEX,
    patterns.CROSSED,
)
