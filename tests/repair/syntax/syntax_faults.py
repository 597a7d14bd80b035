"""Single faults in files of the standard library, seeded: half by operators that the repair's own table mirrors."""

from __future__ import annotations

import ast
import keyword
import os
import random
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel.repair.syntax.tokens import Token, tokens_of

Operator = Callable[[random.Random, str], str]
_WORDS = [word for word in keyword.kwlist if word.islower()]


@dataclass(frozen=True)
class Broken:
    """A text that no longer compiles, and the tree that it had."""

    operator: str
    file: str
    text: str
    tree: str


def _tokens(text: str, wanted: Callable[[Token], bool]) -> list[Token]:
    return [token for token in tokens_of(text) if token.text and wanted(token)]


def _put(text: str, token: Token, new: str) -> str:
    return text[: token.start] + new + text[token.end :]


def lost_sign(chance, text):
    return _put(text, chance.choice(_tokens(text, lambda one: one.text in {*"()[]{}:,=.+-*/%<>", "==", *_WORDS})), "")


def lost_bracket(chance, text):
    return _put(text, chance.choice(_tokens(text, lambda one: one.text in set("()[]{}"))), "")


def lost_colon(chance, text):
    return _put(text, chance.choice(_tokens(text, lambda one: one.text == ":")), "")


def other_bracket(chance, text):
    token = chance.choice(_tokens(text, lambda one: one.text in set("()[]{}")))
    alike = "([{" if token.text in "([{" else ")]}"
    return _put(text, token, chance.choice([one for one in alike if one != token.text]))


def misspelt_word(chance, text):
    token = chance.choice(_tokens(text, lambda one: one.text in _WORDS and len(one.text) > 2))
    at = chance.randrange(len(token.text) - 1)
    word = token.text
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return _put(text, token, chance.choice([swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]]))


def lost_quote(chance, text):
    token = chance.choice(_tokens(text, lambda one: one.word == "S" and len(one.text) > 2 and '"""' not in one.text))
    start = token.start + len(re.match("[a-zA-Z]*", token.text)[0])
    at = chance.choice([token.end - 1, start])
    return text[:at] + text[at + 1 :]


def moved_line(chance, text):
    lines = text.split("\n")
    at = chance.choice([number for number, line in enumerate(lines) if line.strip() and line.startswith("    ")])
    lines[at] = chance.choice([lines[at][4:], f"    {lines[at]}", f" {lines[at]}", lines[at][1:]])
    return "\n".join(lines)


def one_equals(chance, text):
    return _put(text, chance.choice(_tokens(text, lambda one: one.text == "==")), "=")


def stray_sign(chance, text):
    token = chance.choice(_tokens(text, lambda _: True))
    return text[: token.start] + chance.choice("()[]{}:,=") + text[token.start :]


def twice(chance, text):
    token = chance.choice(_tokens(text, lambda _: True))
    return text[: token.end] + " " + token.text + text[token.end :]


def swapped(chance, text):
    found = _tokens(text, lambda _: True)
    at = chance.randrange(len(found) - 1)
    one, two = found[at], found[at + 1]
    gap = text[one.end : two.start] or " "
    return text[: one.start].rstrip(" ") + " " + two.text + gap + one.text + " " + text[two.end :].lstrip(" ") if (
        text[: one.start].rsplit("\n", 1)[-1].strip()) else text[: one.start] + two.text + gap + one.text + " " + text[two.end :]


def split_line(chance, text):
    token = chance.choice(_tokens(text, lambda _: True))
    return text[: token.start].rstrip(" ") + "\n" + text[token.start :]


def joined_lines(chance, text):
    at = chance.choice([found.start() for found in re.finditer(r"\n(?=\s*\S)", text)])
    return text[:at] + " " + text[at:].lstrip()


def cut_line(chance, text):
    lines = text.split("\n")
    at = chance.choice([number for number, line in enumerate(lines) if len(line.strip()) > 5])
    lines[at] = lines[at][:-1]
    return "\n".join(lines)


def glued(chance, text):
    found = chance.choice(list(re.finditer(r"(?<=\w) (?=\w)", text)))
    return text[: found.start()] + text[found.end() :]


def capital_word(chance, text):
    token = chance.choice(_tokens(text, lambda one: one.text in _WORDS))
    return _put(text, token, token.text.capitalize())


def tabbed(chance, text):
    lines = text.split("\n")
    at = chance.choice([number for number, line in enumerate(lines) if line.startswith("    ")])
    lines[at] = "\t" + lines[at][4:]
    return "\n".join(lines)


def smart_quotes(chance, text):
    token = chance.choice(_tokens(text, lambda one: re.fullmatch(r"'[^'\\\n]+'|\"[^\"\\\n]+\"", one.text) is not None))
    return _put(text, token, f"\u201c{token.text[1:-1]}\u201d")


def semicolon(chance, text):
    return _put(text, chance.choice(_tokens(text, lambda one: one.text in {":", ","})), ";")


TABLE: tuple[Operator, ...] = (
    lost_sign, lost_bracket, lost_colon, other_bracket, misspelt_word, lost_quote, moved_line, one_equals, stray_sign)
OTHERS: tuple[Operator, ...] = (
    twice, swapped, split_line, joined_lines, cut_line, glued, capital_word, tabbed, smart_quotes, semicolon)


def broken(count: int, seed: int) -> Iterator[Broken]:
    """So many faults, every other one by an operator that is not of the repair's table."""
    chance = random.Random(seed)
    library = Path(os.__file__).parent
    files = sorted(path for path in library.glob("*.py") if 1500 < path.stat().st_size < 60_000)
    made = 0
    while made < count:
        path = chance.choice(files)
        text = path.read_text("utf-8", "replace")
        operator = chance.choice(OTHERS if made % 2 else TABLE)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.dump(ast.parse(text))
                changed = operator(chance, text)
                if _compiles(changed):
                    continue
        except (SyntaxError, ValueError, IndexError):
            continue
        made += 1
        yield Broken(operator.__name__, path.name, changed, tree)


def _compiles(text: str) -> bool:
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
