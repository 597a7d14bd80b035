"""A text that is made longer in every round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, after, before, replaced
from windtunnel.speedups.source import Source, block_of


def find(source: Source) -> Iterator[Edit]:
    """``text += part`` in a loop that does nothing else with the text: parts that are joined after it."""
    for loop in source.nodes(ast.For, ast.While):
        assert isinstance(loop, ast.For | ast.While)
        if source.loops(loop) or loop.orelse:
            continue
        for name in _begun_empty(source, loop):
            edit = _edit(source, loop, name)
            if edit is not None:
                yield edit


def _begun_empty(source: Source, loop: ast.stmt) -> Iterator[str]:
    block = block_of(source, loop)
    for one in block[:block.index(loop)]:
        if (isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name)
                and isinstance(one.value, ast.Constant) and one.value.value == ""):
            yield one.targets[0].id


def _edit(source: Source, loop: ast.For | ast.While, name: str) -> Edit | None:
    longer = {one: added for one in ast.walk(loop) if isinstance(one, ast.stmt) and (added := _added(one, name))}
    uses = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == name]
    own = sum(1 if isinstance(one, ast.AugAssign) else 2 for one in longer)
    if not longer or len(uses) != own or not all(source.alone(one) for one in longer):
        return None
    parts = source.fresh(f"{name}_parts", loop)
    return Edit(
        parts=(before(source, loop, f"{parts} = [{name}]"),
               *(replaced(source, one, f"{parts}.append({source.text[begin:source.span(one)[1]]})")
                 for one, begin in ((one, source.span(first)[0]) for one, first in longer.items())),
               after(source, loop, f'{name} = "".join({parts})')),
        node=loop, confidence=0.6, reason=f"{name} is copied in every round: its parts are joined once.")


def _added(statement: ast.stmt, name: str) -> ast.expr | None:
    """The first part that a statement adds at the end of the text; all that follows it is added too."""
    if isinstance(statement, ast.AugAssign):
        same = isinstance(statement.target, ast.Name) and statement.target.id == name
        return statement.value if same and isinstance(statement.op, ast.Add) else None
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == name):
        return None
    value: ast.expr = statement.value
    first: ast.expr | None = None
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        first = value.right
        value = value.left
    return first if isinstance(value, ast.Name) and value.id == name else None


RULE = Rule(
    name="texts", find=find,
    what="`text += part` in a loop that does not read the text keeps the parts in a list and joins them after it.",
    examples=(
        Example('def f(rows):\n    text = ""\n    for row in rows:\n        text += row\n    return text\n',
                'def f(rows):\n    text = ""\n    text_parts = [text]\n    for row in rows:\n'
                '        text_parts.append(row)\n    text = "".join(text_parts)\n    return text\n'),
        Example('def f(rows):\n    text = ""\n    for row in rows:\n        text = text + row + ";"\n    return text\n',
                'def f(rows):\n    text = ""\n    text_parts = [text]\n    for row in rows:\n'
                '        text_parts.append(row + ";")\n    text = "".join(text_parts)\n    return text\n'),
        Example('def f(rows):\n    text = ""\n    for row in rows:\n        if len(text) < 9:\n'
                '            text += row\n'
                '    return text\n', None),
        Example("def f(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n", None),
    ))
