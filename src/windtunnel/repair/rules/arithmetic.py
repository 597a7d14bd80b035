"""Division by nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, before, replace
from windtunnel.repair.rules.indexes import wanted

_SAID = re.compile(
    r"division by zero|modulo by zero|division or modulo|float (?:floor )?division|"
    r"mean requires at least one|no mean for empty|integer modulo"
)


def divided(sight: Sight) -> Iterator[Fix]:
    """A divisor that may be nothing: a result without it."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))):
                continue
            divisor = module.source(node.right)
            test = divisor[4:-1] if re.fullmatch(r"len\(\w+\)", divisor) else divisor
            statement, function = module.statement_at(node), module.function(node)
            for at, result in enumerate(dict.fromkeys([*(wanted(sight) if function is not None else []), "0", "None"])):
                whole = f"{module.source(node)} if {test} else {result}"
                if isinstance(statement, ast.Return) and function is not None:
                    yield Fix(
                        (before(module, statement, [f"if not {test}:", f"    return {result}"]),),
                        max(0.8 - 0.25 * at, 0.05),
                        f"'{divisor}' may be zero.",
                    )
                yield Fix(
                    (replace(module, node, whole if module.parents.get(node) is statement else f"({whole})"),),
                    max(0.5 - 0.2 * at, 0.05),
                    f"'{divisor}' may be zero.",
                )


RULES = (
    Rule(
        name="division-by-zero",
        what="A divisor may be zero.",
        before="return total / count",
        after="if not count:\n    return 0\nreturn total / count",
        suggest=divided,
        errors=("ZeroDivisionError", "StatisticsError"),
        message=_SAID,
    ),
)
