"""Errors read from the output of programs: one file per language, one literal table."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.core.problem import Problem
from windtunnel.parsers import c, go, java, javascript, lua, perl, php, python, r, ruby, rust, shell
from windtunnel.parsers.base import MOST_PROBLEMS, Example, Parser
from windtunnel.parsers.text import last_line, tidy

__all__ = ["PARSERS", "Example", "Parser", "problems"]

PARSERS: tuple[Parser, ...] = (
    c.PARSER,
    go.PARSER,
    java.PARSER,
    javascript.PARSER,
    lua.PARSER,
    perl.PARSER,
    php.PARSER,
    python.PARSER,
    r.PARSER,
    ruby.PARSER,
    rust.PARSER,
    shell.PARSER,
)
_BY_LANGUAGE = {language: parser for parser in PARSERS for language in parser.languages}


def problems(language: str | None, *, stderr: str, stdout: str = "") -> tuple[Problem, ...]:
    """The errors in the output of a program that failed, root cause first.

    Never raises, whatever the text is, and reads a bounded part of it. A language without a parser,
    and output that a parser knows nothing of, give one problem of the kind ``error`` with the last
    line of standard error; silence gives none.
    """
    parser = _BY_LANGUAGE.get(language or "")
    stderr, stdout = tidy(stderr), tidy(stdout)
    found = parser.parse(stderr, stdout) if parser is not None else ()
    if parser is None or not found:
        return tuple(Problem(kind="error", message=line) for line in [last_line(stderr)] if line)
    if len(found) > MOST_PROBLEMS:
        found = found[: MOST_PROBLEMS // 2] + found[-MOST_PROBLEMS // 2 :]
    return _explained(found, parser)


def _explained(found: tuple[Problem, ...], parser: Parser) -> tuple[Problem, ...]:
    """The same problems with their likely causes, each still linked to the very one it came from."""
    done: dict[int, Problem] = {}
    for error in found:
        _explain(error, parser=parser, done=done)
    return tuple(done[id(error)] for error in found)


def _explain(error: Problem, *, parser: Parser, done: dict[int, Problem]) -> Problem:
    if id(error) not in done:
        cause = None if error.cause is None else _explain(error.cause, parser=parser, done=done)
        done[id(error)] = replace(error, causes=parser.likely(error), cause=cause)
    return done[id(error)]
