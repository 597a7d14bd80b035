"""Coroutines that nobody waits for, and waiting for what is none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, insert, last_name, replace
from windtunnel.repair.rules.module import Function, Module
from windtunnel.repair.rules.placing import imported

_COROUTINE = re.compile(r"'coroutine'|\bcoroutine '?(\w*)|<coroutine object (?:\w+\.)*(\w+)")
_AWAITED = re.compile(r"object (\w+) can't be used in 'await' expression")
_OUTSIDE = re.compile(
    r"'(?:await|async for|async with)' outside (?:async )?function|asynchronous comprehension outside"
)
_CONTEXT = re.compile(
    r"'(\w+)' object does not support the (asynchronous )?context manager protocol|"
    r"'async (?:with|for)' requires|__aenter__|__enter__"
)


def awaited(sight: Sight) -> Iterator[Fix]:
    """``await`` before a call whose coroutine is used as its result."""
    waiting = {
        one.name
        for module in sight.project.modules()
        for one in module.parents
        if isinstance(one, ast.AsyncFunctionDef)
    }
    told: set[tuple[str, int]] = set()
    places = [
        *sight.places(),
        *(
            (module, node.lineno)
            for module, function in sight.suspects()
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
        ),
    ]
    for module, line in places:
        for node in module.nodes(line):
            if (
                isinstance(node, ast.Call)
                and last_name(node.func) in waiting
                and not isinstance(module.parents.get(node), ast.Await)
            ):
                start = module.span(node)[0]
                if (module.path, start) in told or last_name(getattr(module.parents.get(node), "func", node)) in {
                    "run",
                    "gather",
                    "create_task",
                    "run_until_complete",
                }:
                    continue
                told.add((module.path, start))
                yield from _await(module, node)


def _await(module: Module, node: ast.Call) -> Iterator[Fix]:
    text, function = module.source(node), module.function(node)
    parent = module.parents.get(node)
    tight = isinstance(parent, (ast.Attribute, ast.Subscript, ast.BinOp, ast.Compare)) or (
        isinstance(parent, ast.Call) and parent.func is node
    )
    waited = f"(await {text})" if tight and not isinstance(parent, (ast.BinOp, ast.Compare)) else f"await {text}"
    if isinstance(function, ast.AsyncFunctionDef):
        yield Fix((replace(module, node, waited),), 0.94, f"{last_name(node.func)} is a coroutine: it must be awaited.")
    elif function is not None:
        parts = [replace(module, node, f"asyncio.run({text})")]
        if not re.search(r"^import asyncio\b", module.text, re.MULTILINE):
            parts.append(imported(module, "import asyncio"))
        yield Fix(tuple(parts), 0.7, f"{last_name(node.func)} is a coroutine: it must be run.")
        yield Fix(
            (replace(module, node, waited), *asynchronous(module, function)),
            0.4,
            f"{last_name(node.func)} is a coroutine: it must be awaited.",
        )


def asynchronous(module: Module, function: Function) -> list[tuple[str, int, int, str]]:
    """A function made one that can wait."""
    return (
        []
        if isinstance(function, ast.AsyncFunctionDef)
        else [insert(module, module.at(function.lineno, function.col_offset), "async ")]
    )


def not_awaitable(sight: Sight) -> Iterator[Fix]:
    """``await`` before what is no coroutine."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if isinstance(node, ast.Await):
                yield Fix((replace(module, node, module.source(node.value)),), 0.75, "What is awaited is no coroutine.")
                for where, function in sight.project.functions(last_name(getattr(node.value, "func", node.value)))[:2]:
                    yield Fix(
                        tuple(asynchronous(where, function)),
                        0.7,
                        f"{function.name} is awaited and must be a coroutine.",
                    )


def contexts(sight: Sight) -> Iterator[Fix]:
    """``with`` and ``async with`` mixed up."""
    for module, line in sight.places()[:1]:
        statement = module.statement(line)
        if isinstance(statement, (ast.AsyncWith, ast.AsyncFor)):
            start = module.span(statement)[0]
            yield Fix(((module.path, start, start + len("async "), ""),), 0.7, "This is entered without waiting.")
        elif isinstance(statement, ast.With) and isinstance(module.function(statement), ast.AsyncFunctionDef):
            yield Fix((insert(module, module.span(statement)[0], "async "),), 0.75, "This is entered by waiting.")
        elif isinstance(statement, ast.With):
            for item in statement.items:
                if isinstance(item.context_expr, ast.Call):
                    for where, function in sight.project.functions(last_name(item.context_expr.func)):
                        if not function.decorator_list and any(
                            isinstance(one, ast.Yield) for one in ast.walk(function)
                        ):
                            yield Fix(
                                (
                                    insert(
                                        where, where.line_start(function), f"{where.indent(function)}@contextmanager\n"
                                    ),
                                    imported(where, "from contextlib import contextmanager"),
                                ),
                                0.92,
                                f"{function.name} is a generator and no context.",
                            )
                elif isinstance(item.context_expr, (ast.Name, ast.Attribute)):
                    text = module.source(item.context_expr)
                    yield Fix((replace(module, item.context_expr, f"{text}()"),), 0.5, f"{text} is not called.")


RULES = (
    Rule(
        name="missing-await",
        what="A coroutine is used as its result.",
        before="return load() * 2",
        after="return await load() * 2",
        suggest=awaited,
        message=_COROUTINE,
    ),
    Rule(
        name="stray-await",
        what="What is awaited is no coroutine.",
        before="await add(1, 2)",
        after="add(1, 2)",
        suggest=not_awaitable,
        errors=("TypeError",),
        message=_AWAITED,
    ),
    Rule(
        name="with-protocol",
        what="A with statement on what cannot be entered so.",
        before="def opened():\n    yield 1",
        after="@contextmanager\ndef opened():\n    yield 1",
        suggest=contexts,
        errors=("TypeError", "AttributeError"),
        message=_CONTEXT,
    ),
)
