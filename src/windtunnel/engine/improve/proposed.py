"""What a model answered about one function, as an edit of it: a diff of its file, or the whole function.

An answer is hostile. What holds: the edit changes this one function and adds imports, and nothing else of the file;
its parameters stay; it brings no name that nobody defines, and reaches beyond its values in no way in which it did not
before (``reach``). What does not hold: that it is right, or faster, is for the trial to say.
"""

from __future__ import annotations

import ast
import textwrap

from windtunnel.core.errors import UsageError
from windtunnel.engine.fix.answered import FENCE, diff_in, texts_of
from windtunnel.engine.fix.names import undefined
from windtunnel.engine.improve.reach import imports_of, reach_of, reach_of_imports
from windtunnel.engine.improve.subjects import Subject, outermost
from windtunnel.speedups.propose import Speedup, edited
from windtunnel.speedups.rule import Edit
from windtunnel.speedups.source import Function, Source, parse

RULE = "model"
CONFIDENCE = 0.5
_MOST_ANSWER = 65_536
_IMPORTS = (ast.Import, ast.ImportFrom)


def read_answer(text: str, subject: Subject) -> Speedup:
    """The edit; ``UsageError`` says why the answer is none."""
    if len(text) > _MOST_ANSWER:
        raise UsageError(f"its answer is longer than {_MOST_ANSWER} letters")
    try:
        return _read(text, subject)
    except RecursionError as failure:
        raise UsageError("its answer is nested too deep") from failure


def _read(text: str, subject: Subject) -> Speedup:
    before = _parsed(subject.text, "the file")
    body = diff_in(text)
    after = _of_diff(body, subject) if body is not None else _of_function(text, subject, before)
    if after == subject.text:
        raise UsageError("its answer changes nothing")
    _check(before, _parsed(after, "the file with its answer"), subject)
    return Speedup(path=subject.path, text=after, rule=RULE, reason="a model proposes this", confidence=CONFIDENCE,
                   function=subject.function, first_line=subject.first_line, last_line=subject.last_line)


def _parsed(text: str, what: str) -> Source:
    source = parse(text)
    if source is None:
        raise UsageError(f"{what} does not parse")
    return source


def _of_diff(body: str, subject: Subject) -> str:
    return texts_of(body, paths=(subject.path,), read={subject.path: subject.text}.get)[subject.path]


def _of_function(text: str, subject: Subject, before: Source) -> str:
    """The file with the function in the place of the one that is there, its imports at the top."""
    source = _answered(text)
    name = subject.function.rpartition(".")[2]
    made = [one for one in source.tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    rest = [one for one in source.tree.body if one not in made and not isinstance(one, _IMPORTS)]
    if [one.name for one in made] != [name] or rest:
        raise UsageError(f"its answer is neither a diff nor the whole of {name} and its imports")
    old = _named(before, subject.function)
    first = before.line_start(old) if made[0].decorator_list else before.starts[old.lineno - 1]
    last = min(before.starts[old.end_lineno or old.lineno], len(before.text))
    lines = source.text[source.line_start(made[0]):source.span(made[0])[1]]
    new = textwrap.indent(lines, before.indent(old)) + "\n"
    imports = tuple(ast.unparse(one) for one in source.tree.body if isinstance(one, _IMPORTS))
    whole = edited(before, Edit(parts=((first, last, new),), node=old, reason="", confidence=CONFIDENCE,
                                imports=imports))
    if whole is None:
        raise UsageError("the file with its answer does not parse")
    return whole


def _answered(text: str) -> Source:
    """The code of an answer: what its only fence has, else all of it."""
    parts = FENCE.split(text)
    code = parts[1] if len(parts) == 3 else text  # noqa: PLR2004 -- before a fence, in it, after it
    source = parse(textwrap.dedent(code).strip("\n") + "\n")
    if source is None:
        raise UsageError("its answer is neither a diff nor code that parses")
    return source


def _named(source: Source, function: str) -> Function:
    found = [one for one in outermost(source) if source.name_of(one) == function]
    if len(found) != 1:
        raise UsageError(f"{function} is there {len(found)} times with its answer")
    return found[0]


def _check(before: Source, after: Source, subject: Subject) -> None:
    old, new = _named(before, subject.function), _named(after, subject.function)
    if type(old) is not type(new) or _parameters(old) != _parameters(new):
        raise UsageError(f"its answer gives {subject.function} other parameters")
    if not _imported(before.tree.body) <= _imported(after.tree.body) or _rest(before, old) != _rest(after, new):
        raise UsageError(f"its answer changes more than {subject.function} and its imports")
    if unknown := undefined(after.text, path=subject.path) - undefined(before.text, path=subject.path):
        raise UsageError(f"its answer has a name that nobody defines: {min(unknown)[:60]}")
    known, brought = imports_of(before.tree), imports_of(after.tree)
    fresh = {name: what for name, what in brought.items() if known.get(name) != what}
    if reaching := sorted((reach_of(new, brought) | reach_of_imports(fresh)) - reach_of(old, known)):
        raise UsageError(f"its answer reaches beyond its values: {', '.join(reaching[:3])[:200]}")


def _parameters(function: Function) -> str:
    """Names, kinds and defaults; what they are said to be is no part of it."""
    args = function.args
    shape = [[one.arg for one in some] for some in (args.posonlyargs, args.args, args.kwonlyargs)]
    rest = [one.arg if one is not None else "" for one in (args.vararg, args.kwarg)]
    defaults = [ast.dump(one) if one is not None else "" for one in (*args.defaults, None, *args.kw_defaults)]
    return f"{shape} {rest} {defaults}"


def _imported(body: list[ast.stmt]) -> set[str]:
    return {ast.dump(one) for one in body if isinstance(one, _IMPORTS)}


def _rest(source: Source, function: Function) -> list[str]:
    """All of the file but the function and the imports at the top, as trees."""
    held = [(one, one.body) for one in source.up(function) if isinstance(one, ast.ClassDef)]
    mark = ast.Expr(ast.Constant(f"the place of {function.name}"))
    body = [mark if one is function else one for one in source.tree.body if not isinstance(one, _IMPORTS)]
    for one, statements in held:
        one.body = [mark if each is function else each for each in statements]
    told = [ast.dump(one) for one in body]
    for one, statements in held:
        one.body = statements
    return told
