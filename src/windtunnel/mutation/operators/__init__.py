"""The operators, one file each, in one table."""

from windtunnel.mutation.operator import Operator
from windtunnel.mutation.operators import (
    arguments,
    arithmetic,
    assignments,
    awaiting,
    boolean,
    boundary,
    collections,
    comparison,
    condition,
    constants,
    contexts,
    decorators,
    defaults,
    deletion,
    exceptions,
    filters,
    loops,
    returns,
    slices,
    strings,
    unary,
)

OPERATORS: tuple[Operator, ...] = tuple(module.OPERATOR for module in (
    arithmetic, comparison, boundary, boolean, condition, constants, strings, returns, deletion, loops, exceptions,
    arguments, defaults, slices, decorators, filters, awaiting, contexts, unary, assignments, collections,
))
