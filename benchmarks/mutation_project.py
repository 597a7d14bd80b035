"""A project of many lines, written by program, with a change of some thirty of them."""

from __future__ import annotations

from pathlib import Path

from windtunnel.core.change import ChangeSet, FileChange

_FUNCTIONS = 6
_CHANGED = 5
CHANGED_LINES = 6 * _CHANGED
_PLAIN = '''\
def step_{number}(values, limit):
    """What goes beyond the limit counts for, anything else against."""
    total = {number}
    for value in values:
        if value > limit:
            total += value - limit
        else:
            total -= {number}
    return total
'''
_WIDENED = '''\
def step_{number}(values, limit, *, scale=1, least=None):
    """What goes beyond the limit counts for, anything else against."""
    total = {number}
    for value in values:
        beyond = value - limit
        if beyond > 0:
            total += beyond * scale
        else:
            total -= {number}
    if least is not None and total < least:
        return least
    return total
'''
_TEST = """\
def test_step_{number}():
    assert step_{number}([1, 5], 2) == 3
    assert step_{number}([2, 3, 9], 2) == 8
    assert step_{number}([], 2) == {number}
"""
_MORE = """\
def test_wider_step_{number}():
    assert step_{number}([1, 5], 2, scale=3) == 9
    assert step_{number}([1, 2], 2, least=-1) == max(-1, -{number})
    assert step_{number}([1, 5], 2, least=3) == 3
"""


def make_large(folder: Path, *, modules: int) -> Path:
    """Modules that import one another in pairs, each with a file of tests."""
    for name in ("product", "tests"):
        (folder / name).mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\ntestpaths = ["tests"]\n')
    (folder / "product/__init__.py").touch()
    for module in range(modules):
        (folder / _path(module)).write_text(_module(module, changed=0))
        (folder / _tests(module)).write_text(_test_file(module, changed=0))
    return folder


def widened() -> ChangeSet:
    """Some functions of one module take more arguments, and have tests for them."""
    return ChangeSet(changes=(FileChange(_path(1), "modify", _module(1, changed=_CHANGED)),
                              FileChange(_tests(1), "modify", _test_file(1, changed=_CHANGED))))


def _module(module: int, *, changed: int) -> str:
    head = f'"""Part {module} of the product."""\n'
    if module % 2:
        head += f"\nfrom product.part_{module - 1:03} import step_1 as earlier  # noqa: F401\n"
    parts = [(_WIDENED if number <= changed else _PLAIN).format(number=number) for number in range(1, _FUNCTIONS + 1)]
    return "\n\n".join([head, *parts])


def _test_file(module: int, *, changed: int) -> str:
    names = ", ".join(f"step_{number}" for number in range(1, _FUNCTIONS + 1))
    parts = [_TEST.format(number=number) for number in range(1, _FUNCTIONS + 1)]
    parts += [_MORE.format(number=number) for number in range(1, changed + 1)]
    return "\n\n".join([f"from product.part_{module:03} import {names}\n", *parts])


def _path(module: int) -> str:
    return f"product/part_{module:03}.py"


def _tests(module: int) -> str:
    return f"tests/test_part_{module:03}.py"
