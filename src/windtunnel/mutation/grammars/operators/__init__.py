"""The operators of other languages, one file each, in one table."""

from windtunnel.mutation.grammars.operators import (
    arguments,
    arithmetic,
    assignments,
    awaiting,
    boolean,
    boundary,
    chaining,
    collections,
    comparison,
    condition,
    constants,
    deletion,
    exceptions,
    loops,
    returns,
    slices,
    strings,
    unary,
)
from windtunnel.mutation.grammars.place import Operator

OPERATORS: tuple[Operator, ...] = tuple(module.OPERATOR for module in (
    arithmetic, comparison, boundary, boolean, condition, constants, strings, returns, deletion, loops, exceptions,
    arguments, slices, awaiting, unary, assignments, collections, chaining,
))
