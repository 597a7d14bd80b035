"""Errors that tests expect: of another type, with another text, or none at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, last_name, replace
from windtunnel.repair.rules.module import Module
from windtunnel.repair.rules.texts import literal_fixes

_ANY = re.compile("")
_MATCH = re.compile(
    r"Regex pattern did not match\.\s*(?:Expected r|R)egex: (.+)\s*(?:Actual message|Input): (.+)|"
    r"Pattern '(.+)' does not match '(.+)'|\"(.+)\" does not match \"(.+)\""
)


def expected_error(sight: Sight) -> str:
    """The error that the test around the failing line waits for; empty where it waits for none."""
    test = sight.test()
    if test is None:
        return ""
    module, line = test
    statement = module.statement(line)
    around = (
        [] if statement is None else [one for one in (statement, *module.up(statement)) if isinstance(one, ast.With)]
    )
    for node in (part for one in around for item in one.items for part in [item.context_expr]):
        if (
            isinstance(node, ast.Call)
            and last_name(node.func) in {"raises", "assertRaises", "assertRaisesRegex"}
            and node.args
        ):
            return last_name(node.args[0])
    for part in module.nodes(line):
        if isinstance(part, ast.Call) and last_name(part.func) in {"raises", "assertRaises"} and part.args:
            return last_name(part.args[0])
    return ""


def other_type(sight: Sight) -> Iterator[Fix]:
    """An error raised by the project where the test waits for another."""
    wanted, got = expected_error(sight), sight.problem.name.rpartition(".")[2]
    if not wanted or wanted == got:
        return
    for module, line in sight.places()[:1]:
        statement = module.statement(line)
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            target = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            yield Fix(
                (replace(module, target, wanted),),
                0.9,
                f"The test waits for {wanted}, and {last_name(target)} is raised.",
            )
        else:
            yield from _translated(module, statement, wanted=wanted, got=got)
        for handler in _handlers(module, line):
            if handler.type is not None and last_name(handler.type) not in {got, "Exception"}:
                yield Fix((replace(module, handler.type, got),), 0.5, f"{got} is raised here and is not caught.")


def _handlers(module: Module, line: int) -> list[ast.ExceptHandler]:
    statement = module.statement(line)
    return (
        []
        if statement is None
        else [one for part in module.up(statement) if isinstance(part, ast.Try) for one in part.handlers]
    )


def _translated(module: Module, statement: ast.stmt | None, *, wanted: str, got: str) -> Iterator[Fix]:
    """The error of a statement raised again as the one that is waited for."""
    if statement is None or isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef)):
        return
    indent = module.indent(statement)
    text = module.source(statement)
    body = (
        f"try:\n{indent}    {text}\n{indent}except {got} as error:\n{indent}    raise {wanted}(str(error)) from error"
    )
    if "\n" not in text:
        yield Fix(
            (replace(module, statement, body),), 0.75, f"{got} is given on as {wanted}, which the test waits for."
        )


def uncaught(sight: Sight) -> Iterator[Fix]:
    """A handler nearby that catches another error than the one that came."""
    got = sight.problem.name.rpartition(".")[2]
    if not re.fullmatch(r"\w*(?:Error|Exception)", got) or got in {
        "AssertionError",
        "NameError",
        "ImportError",
        "ModuleNotFoundError",
        "SyntaxError",
    }:
        return
    if expected_error(sight):
        return
    for module, line in sight.places()[:3]:
        for handler in _handlers(module, line):
            if handler.type is not None:
                text = module.source(handler.type)
                if got not in text and "Exception" not in text.split("."):
                    inner = text.strip("()") if isinstance(handler.type, ast.Tuple) else text
                    yield Fix(
                        (replace(module, handler.type, f"({inner}, {got})"),),
                        0.78,
                        f"{got} is raised inside and is not caught.",
                    )
                    yield Fix((replace(module, handler.type, got),), 0.5, f"{got} is raised inside and is not caught.")


def other_text(sight: Sight) -> Iterator[Fix]:
    """A message that nearly is the one that the test waits for."""
    groups = [one for one in sight.said.groups() if one]
    wanted, got = (_bare(one) for one in groups[:2])
    if sight.said[5]:
        wanted, got = got, wanted
    if len(got) > 2 and got[:1] == got[-1:] == "'":  # noqa: PLR2004 -- a measure that is this place's own
        got = got[1:-1]
    plain = re.sub(r"\\(.)", r"\1", wanted).strip("^$")
    yield from literal_fixes(sight, expected=plain, actual=got, prior=0.9)


def _bare(text: str) -> str:
    text = text.strip().removeprefix("r")
    return text[1:-1] if text[:1] in "'\"" and text[-1:] == text[:1] else text


RULES = (
    Rule(
        name="error-type",
        what="The test waits for another error than is raised.",
        before="raise ValueError(name)",
        after="raise KeyError(name)",
        suggest=other_type,
        message=_ANY,
    ),
    Rule(
        name="error-not-caught",
        what="A handler catches another error than comes.",
        before="except KeyError:",
        after="except (KeyError, IndexError):",
        suggest=uncaught,
        message=_ANY,
    ),
    Rule(
        name="error-text",
        what="The message of an error is nearly the one that is waited for.",
        before="raise ValueError('postive')",
        after="raise ValueError('positive')",
        suggest=other_text,
        message=_MATCH,
    ),
)
