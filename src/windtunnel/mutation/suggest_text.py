"""A test made of texts: plain functions as people write them, several alike as one with parameters."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_MOST_LINE, _MOST_NAME = 100, 60
_SINGLE = ("True", "False", "None")
_SHAPES = {"plain": "{}", "list": "list({})", "few": "list(itertools.islice({}, 5))", "run": "asyncio.run({})"}
_WORDS = re.compile(r"[A-Za-z0-9]+")
_OPERATORS = re.compile(r" (==|!=|<|>|<=|>=|in|\+|-|\*|/|//|%|\||&|\^) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One check, in texts that were read and found harmless."""

    function: str
    call: str
    expected: str
    aspect: str
    """``value``, ``raises``, ``message``, ``.attribute``, or ``after name`` with an attribute."""
    shape: str = "plain"
    raises: str = ""
    given: tuple[tuple[str, str], ...] = ()
    """Names that stand for inputs which are looked at after the call."""
    named: str = ""
    """The call with the names of parameters for its inputs."""
    arguments: tuple[tuple[str, str], ...] = ()
    imports: tuple[str, ...] = ()
    kills: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A function of a test file."""

    __test__ = False

    name: str
    code: str
    imports: tuple[str, ...]
    kills: tuple[int, ...]
    function: str


def written(drafts: Sequence[Draft], taken: Collection[str], *, double: bool = True) -> list[Test]:
    """Tests under names that the file has not yet; those of one function that differ in their values alone are one.

    ``double`` is for quotes as the file has them.
    """
    used = set(taken)
    tests = []
    for group in _groups(drafts):
        name = _free(_name(group), used)
        used.add(name)
        lines = _parametrised(name, group) if group[1:] else _plain(name, group[0])
        needs_pytest = bool(group[1:]) or bool(group[0].raises)
        imports = {line for draft in group for line in draft.imports} | ({"import pytest"} if needs_pytest else set())
        kills = tuple(dict.fromkeys(number for draft in group for number in draft.kills))
        code = "\n".join(lines) + "\n"
        tests.append(Test(name=name, code=_double(code) if double else code, imports=tuple(sorted(imports)),
                          kills=kills, function=group[0].function))
    return tests


def _plain(name: str, draft: Draft) -> list[str]:
    return [f"def {name}():", *(f"    {line}" for line in _body(draft))]


def _groups(drafts: Sequence[Draft]) -> list[list[Draft]]:
    found: dict[tuple[object, ...], list[Draft]] = {}
    for number, draft in enumerate(drafts):
        alike = draft.named and draft.aspect == "value" and draft.expected not in _SINGLE
        key = (draft.named, draft.shape, tuple(name for name, _ in draft.arguments)) if alike else (number,)
        found.setdefault((draft.function, *key), []).append(draft)
    return list(found.values())


def _parametrised(name: str, group: Sequence[Draft]) -> list[str]:
    names = [name for name, _ in group[0].arguments]
    expected = "expected" if "expected" not in names else "wanted"
    words = ", ".join(f'"{word}"' for word in [*names, expected])
    rows = [", ".join([*(text for _, text in draft.arguments), draft.expected]) for draft in group]
    call = _SHAPES[group[0].shape].format(group[0].named)
    return [f"@pytest.mark.parametrize(({words}), [", *(f"    ({row})," for row in rows), "])",
            f"def {name}({', '.join([*names, expected])}):", f"    assert {call} == {expected}"]


def _body(draft: Draft) -> list[str]:
    given = [f"{name} = {text}" for name, text in draft.given]
    call = _SHAPES[draft.shape].format(draft.call) if draft.shape in _SHAPES else draft.call
    if draft.raises:
        caught = " as caught" if draft.aspect == "message" else ""
        after = [f"assert str(caught.value) == {draft.expected}"] if caught else []
        return [*given, f"with pytest.raises({draft.raises}){caught}:", f"    {call}", *after]
    if draft.aspect.startswith("after "):
        return [*given, call, *_assertion(draft.aspect.removeprefix("after "), draft.expected)]
    if draft.aspect.startswith("."):
        return _assertion(_closed(call) + draft.aspect, draft.expected)
    return _assertion(_simple(call), draft.expected)


def _simple(call: str) -> str:
    """Without saying twice that something is gone through."""
    return f"list({call[len('list(iter('):-1]}" if call.startswith("list(iter(") else call


def _assertion(what: str, expected: str) -> list[str]:
    sign = "is" if expected in _SINGLE else "=="
    line = f"assert {_closed(what)} {sign} {expected}"
    if len(line) <= _MOST_LINE or sign == "is":
        return [line]
    return [f"expected = {expected}", f"assert {_closed(what)} == expected"]


def _closed(text: str) -> str:
    """In parentheses where an operator stands outside of any."""
    depth, bare = 0, []
    for letter in text:
        depth -= letter in ")]}"
        bare.append(letter if not depth else "_")
        depth += letter in "([{"
    return f"({text})" if _OPERATORS.search("".join(bare)) else text


def _name(group: Sequence[Draft]) -> str:
    """Says which function, and with what where that is short."""
    draft = group[0]
    function = "_".join(part.strip("_") for part in draft.function.split(".")).lower() or "function"
    if group[1:]:
        return f"test_{function}_of_several_inputs"
    end = {"raises": "_raises", "message": "_says_why_it_fails"}.get(draft.aspect, "")
    if draft.aspect.startswith("after "):
        end = "_changes_" + draft.aspect.removeprefix("after ").replace(".", "_")
    values = "_and_".join(map(_words, _values(draft))).lower()
    name = f"test_{function}_of_{values}{end}" if values else f"test_{function}{end or '_as_it_is'}"
    return name if len(name) <= _MOST_NAME else f"test_{function}{end or '_of_one_more_input'}"


def _values(draft: Draft) -> list[str]:
    """What the function is called with."""
    call = ast.parse(draft.call, mode="eval").body
    given = [*call.args, *(keyword.value for keyword in call.keywords)] if isinstance(call, ast.Call) else []
    return [ast.unparse(value) for value in given if not isinstance(value, ast.Name)]


def _words(text: str) -> str:
    if text.startswith("lambda "):
        return "a_function"
    return ("minus_" if text.startswith("-") else "") + ("_".join(_WORDS.findall(text)) or "empty")


def _double(code: str) -> str:
    """With double quotes around texts that hold neither quotes nor backslashes before them."""
    lines = code.split("\n")
    found = [token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.STRING]
    for token in reversed(found):
        (line, start), (_, end) = token.start, token.end
        text = token.string
        plain = text.endswith("'") and not text.endswith("'''") and '"' not in text and "\\'" not in text
        if plain:
            before = lines[line - 1]
            lines[line - 1] = before[:start] + text.replace("'", '"') + before[end:]
    return "\n".join(lines)


def _free(name: str, taken: Collection[str]) -> str:
    name = re.sub(r"\W", "_", name)
    names = (name, *(f"{name}_{number}" for number in range(2, 10_000)))
    return next(one for one in names if one not in taken)
