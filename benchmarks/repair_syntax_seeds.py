"""Single faults of syntax that people make, seeded into published packages: what the order of repairs is learned from.

``python -m benchmarks.repair_syntax_seeds`` counts by kind how often the first repair gives the tree back, in packages
that nothing was learned from. Seeds are fixed; the faults are those of the packages that are installed.
"""

from __future__ import annotations

import argparse
import bisect
import functools
import keyword
import random
import re
import statistics
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.repair_syntax import Broken, asked_first, same_tree
from windtunnel.repair.syntax.tokens import Token, tokens_of

LEARNED = (
    "_pytest", "attr", "charset_normalizer", "click", "coverage", "docker", "execnet", "grimp", "hatchling",
    "hypothesis", "importlinter", "jsonschema", "markdown_it", "packaging", "pathspec", "pip", "pluggy",
    "prompt_toolkit", "pycparser", "pygments", "referencing", "requests", "rich", "setuptools", "tomlkit", "yaml",
)
HELD_OUT = (
    "annotated_types", "elementpath", "iniconfig", "more_itertools", "parse", "psycopg", "sortedcontainers", "toolz",
    "typer", "urllib3", "wcwidth", "xdist", "xmlschema",
)
_SMALLEST, _LARGEST = 1_500, 14_000
_TABLES = re.compile(r"_mapping|unicode|lexers|styles/|emoji|_vendor|_codes|tests?/|builtins|table|__init__")
_BLOCKS = frozenset({"if", "for", "while", "def", "class", "with", "try", "else", "elif", "except", "finally"})
_SPELLED = tuple(word for word in keyword.kwlist if word.islower() and len(word) > 2)
_NEIGHBOURS = {"a": "s", "e": "r", "i": "o", "o": "p", "r": "t", "t": "y", "n": "m", "l": "k", "s": "d", "f": "g"}
_TWO_QUOTES = 2
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "//", "**", "|", "&", "="})
_KINDS_OF_WORDS = ("in", "import", "as", "for", "if", "else", "def", "class", "from", "is", "not", "and", "or", "with",
                   "except", "lambda", "elif", "while", "raise", "async")
_SIGNS = {
    ":": (";", ",", "=", "."), ",": (".", ";", ":"), "=": (":=", ":", "=>"), ".": (",", ";", ":"), ">=": ("=>",),
    "<=": ("=<",), "!=": ("=!", "<>", "!=="), "==": ("===", "= ="), "+=": ("+ =",), "->": ("=>", "-", ">"),
}
_FOREIGN = {
    "and": ("&&",), "or": ("||",), "not": ("!",), "elif": ("else if", "elseif", "elsif"), "def": ("function", "func"),
    "except": ("catch",), "raise": ("throw",), "is": ("===",), "lambda": ("function",),
    "import": ("include", "require"),
}
Edit = tuple[int, int, str]
Operator = Callable[[random.Random, "Source"], Edit]


@dataclass(frozen=True, slots=True)
class Source:
    """A text that parses, with what operators choose from."""

    text: str
    tokens: list[Token] = field(default_factory=list)

    def these(self, *texts: str) -> list[Token]:
        """All tokens of these texts."""
        return [token for token in self.tokens if token.text in texts]

    def line_of(self, at: int) -> tuple[int, int]:
        """The start and the end of the line of a place."""
        end = self.text.find("\n", at)
        return self.text.rfind("\n", 0, at) + 1, len(self.text) if end < 0 else end

    def matches(self, pattern: str) -> list[re.Match[str]]:
        """All places of a pattern that begin in code."""
        return [found for found in re.finditer(pattern, self.text, re.MULTILINE) if self.code(found.start())]

    def code(self, at: int) -> bool:
        """Whether a place is in no string and no comment."""
        start, _ = self.line_of(at)
        return "#" not in self.text[start:at] and not self.quoted(at)

    def quoted(self, at: int) -> bool:
        """Whether a place is in a string."""
        number = bisect.bisect_right(self.tokens, at, key=lambda token: token.start) - 1
        return number >= 0 and self.tokens[number].word == "S" and at < self.tokens[number].end


def _lost(token: Token) -> Edit:
    return token.start, token.end, ""


def _tidy(chance: random.Random, source: Source, token: Token) -> Edit:
    """A token gone, half of the time with one of the blanks beside it."""
    both = source.text[token.start - 1 : token.start] == " " and source.text[token.end : token.end + 1] == " "
    return token.start, token.end + (both and chance.random() < 0.5), ""


def missing_closer(chance: random.Random, source: Source) -> Edit:
    return _lost(chance.choice(source.these(*_CLOSERS)))


def missing_opener(chance: random.Random, source: Source) -> Edit:
    return _lost(chance.choice(source.these(*_OPENERS)))


def extra_bracket(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these(*_OPENERS, *_CLOSERS))
    return token.end, token.end, token.text


def stray_closer(chance: random.Random, source: Source) -> Edit:
    at = chance.choice([token.start for token in source.tokens if token.word == "NL"])
    return at, at, chance.choice(")))]}")


def wrong_bracket(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these(*_OPENERS, *_CLOSERS))
    alike = _OPENERS if token.text in _OPENERS else _CLOSERS
    return token.start, token.end, chance.choice(sorted(alike - {token.text}))


def both_brackets(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=\w)\((\w*)\)"))
    return found.start(), found.end(), f" {found[1]}" if found[1] else ""


def missing_colon(chance: random.Random, source: Source) -> Edit:
    ends = [token for token, after in zip(source.tokens, source.tokens[1:], strict=False)
            if token.text == ":" and after.word == "NL"]
    return _lost(chance.choice(ends))


def missing_inner_colon(chance: random.Random, source: Source) -> Edit:
    inner = [token for token, after in zip(source.tokens, source.tokens[1:], strict=False)
             if token.text == ":" and after.word != "NL"]
    return _lost(chance.choice(inner))


def missing_comma(chance: random.Random, source: Source) -> Edit:
    return _lost(chance.choice(source.these(",")))


def double_comma(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these(",", ":", "."))
    return token.end, token.end, token.text


def missing_operator(chance: random.Random, source: Source) -> Edit:
    return _tidy(chance, source, chance.choice(source.these(*_OPERATORS)))


def missing_dot(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these("."))
    return token.start, token.end, chance.choice(["", " "])


def missing_word(chance: random.Random, source: Source) -> Edit:
    word = chance.choice([word for word in _KINDS_OF_WORDS if source.these(word)])
    return _tidy(chance, source, chance.choice(source.these(word)))


def missing_in(chance: random.Random, source: Source) -> Edit:
    return _tidy(chance, source, chance.choice(source.these("in")))


def missing_def(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these("def", "class"))
    return token.start, token.end + 1, ""


def _short_strings(source: Source) -> list[Token]:
    return [token for token in source.tokens if token.word == "S" and len(token.text) > _TWO_QUOTES
            and "\n" not in token.text and token.text[-3:] not in {'"""', "'''"}]


def missing_last_quote(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(_short_strings(source))
    return token.end - 1, token.end, ""


def missing_first_quote(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(_short_strings(source))
    start = token.start + re.match("[a-zA-Z]*", token.text).end()  # type: ignore[union-attr]  # matches nothing at least
    return start, start + 1, ""


def mixed_quotes(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(_short_strings(source))
    at = chance.choice([token.end - 1, token.start + re.match("[a-zA-Z]*", token.text).end()])  # type: ignore[union-attr]
    return at, at + 1, "'" if token.text[-1] == '"' else '"'


def apostrophe(chance: random.Random, source: Source) -> Edit:
    found = chance.choice([token for token in _short_strings(source) if re.search(r"\w\\?'\w", token.text)])
    inner = re.sub(r"\\'", "'", found.text[1:-1])
    if found.text[0] not in "'\"" or '"' in inner:
        raise IndexError
    return found.start, found.end, f"'{inner}'"


def nested_quotes(chance: random.Random, source: Source) -> Edit:
    """The quote of a text used inside it, around a word."""
    found = chance.choice([token for token in _short_strings(source)
                           if len(re.findall(r"'\w+'" if token.text[-1] == '"' else r'"\w+"', token.text)) == 1])
    own, other = found.text[-1], "'" if found.text[-1] == '"' else '"'
    return found.start, found.end, found.text.replace(other, own)


def lost_triple(chance: random.Random, source: Source) -> Edit:
    token = chance.choice([token for token in source.tokens if token.text[-3:] == '"""'])
    at = chance.choice([token.start + token.text.index('"'), token.end - 1, token.end - 1])
    long = chance.choice([1, 1, 3])
    return (at, at + long, "") if at < token.end - 1 else (token.end - long, token.end, "")


def smart_quotes(chance: random.Random, source: Source) -> Edit:
    token = chance.choice([one for one in _short_strings(source) if re.fullmatch(r"(['\"])[^'\"\\]+\1", one.text)])
    return token.start, token.end, f"\u201c{token.text[1:-1]}\u201d"


def moved_line(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( {4,})(?=[^\s#)\]}])"))
    width = len(found[1])
    return found.start(), found.end(), " " * max(0, width + chance.choice([-4, 4, -1, 1, -2, 2, -4, 4]))


def body_not_indented(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)[^\s#].*:\n( +)(?=\S)"))
    return found.start(2), found.end(2), found[1]


def moved_word(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)(?=(?:else|elif|except|finally)\b)"))
    return found.start(), found.end(), chance.choice([f"{found[1]}    ", found[1][4:] or " ", f"{found[1]} "])


def tabbed(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^(    )+(?=[^\s#)\]}])"))
    return found.start(), found.start() + 4, "\t"


def one_equals(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these("=="))
    return token.start, token.end, "="


def sign_for_sign(chance: random.Random, source: Source) -> Edit:
    sign = chance.choice([sign for sign in _SIGNS if source.these(sign)])
    token = chance.choice(source.these(sign))
    return token.start, token.end, chance.choice(_SIGNS[sign])


def foreign_word(chance: random.Random, source: Source) -> Edit:
    word = chance.choice([word for word in _FOREIGN if source.these(word)])
    token = chance.choice(source.these(word))
    new = chance.choice(_FOREIGN[word])
    return token.start, token.end + (new == "!" and chance.random() < 0.7), new


def misspelt_word(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these(*_SPELLED))
    word = token.text
    at = chance.randrange(len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    slips = [swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:], word[:-1],
             word[:at] + _NEIGHBOURS.get(word[at], "x") + word[at + 1 :]]
    return token.start, token.end, chance.choice(slips)


def capital_word(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these(*_SPELLED, "if", "in", "or", "is", "as"))
    return token.start, token.end, chance.choice([token.text.capitalize(), token.text.upper()])


def glued(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=\w) (?=\w)"))
    return found.start(), found.end(), ""


def doubled(chance: random.Random, source: Source) -> Edit:
    token = chance.choice([one for one in source.tokens if one.text and one.word != "S"])
    return token.end, token.end, f" {token.text}" if token.text[0].isalnum() else token.text


def swapped(chance: random.Random, source: Source) -> Edit:
    at = chance.choice([at for at in range(len(source.tokens) - 1)
                        if source.tokens[at].text and source.tokens[at + 1].text and source.tokens[at].word != "S"])
    one, two = source.tokens[at], source.tokens[at + 1]
    return one.start, two.end, two.text + source.text[one.end : two.start] + one.text


def split_line(chance: random.Random, source: Source) -> Edit:
    token = chance.choice([one for one in source.tokens if one.text])
    blank = len(source.text[: token.start]) - len(source.text[: token.start].rstrip(" "))
    start, _ = source.line_of(token.start)
    indent = re.match(" *", source.text[start:])[0]  # type: ignore[index]  # matches nothing at least
    return token.start - blank, token.start, "\n" + chance.choice(["", indent, f"{indent}    "])


def joined_lines(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"\n\s*(?=[^\s#])"))
    return found.start(), found.end(), chance.choice([" ", ""])


def lost_backslash(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r" ?\\$"))
    return found.start(), found.end(), ""


def cut_line(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"[^\s\w]$"))
    return found.start(), found.end(), ""


def lost_hash(chance: random.Random, source: Source) -> Edit:
    found = chance.choice([one for one in re.finditer(r"# ?(?=\w)", source.text)
                           if not source.quoted(one.start())])
    return found.start(), found.end(), ""


def other_comment(chance: random.Random, source: Source) -> Edit:
    start, end, _ = lost_hash(chance, source)
    return start, end, "// "


def printed(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)(print|exec)\((?=\S)(.*)\)$"))
    return found.start(), found.end(), f"{found[1]}{found[2]} {found[3]}"


def raised(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)raise (\w+)\((.+)\)$"))
    return found.start(), found.end(), f"{found[1]}raise {found[2]}, {found[3]}"


def caught(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=except )([\w.]+) as (\w+)(?=:)|(?<=except )\(([\w., ]+)\)(?=:)"))
    return found.start(), found.end(), f"{found[1]}, {found[2]}" if found[1] else found[3]


def unnamed(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=\w) as(?= \w)"))
    return found.start(), found.end(), ""


def reversed_import(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)from ([\w.]+) import (\w+)$"))
    return found.start(), found.end(), f"{found[1]}import {found[3]} from {found[2]}"


def counted_up(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r" (\+|-)= 1$"))
    return found.start(), found.end(), found[1] * 2


def declared(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"^( *)(?=\w+ = )"))
    return found.end(), found.end(), chance.choice(["var ", "let ", "const ", "int ", "auto "])


def stray_end(chance: random.Random, source: Source) -> Edit:
    at = chance.choice([token.start for token in source.tokens if token.word == "NL"])
    return at, at, chance.choice([":", ",", ".", " \\", "=", ";:", " {"])


def opened_block(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r":$"))
    return found.start(), found.end(), chance.choice([" {", ";", " then", " do:", " ->", " =>", ": {"])


def stray_letter(chance: random.Random, source: Source) -> Edit:
    token = chance.choice([one for one in source.tokens if one.text and one.word != "S"])
    return token.start, token.start, chance.choice(["x ", "\\", "? ", "$", "` ", "; ", "l"])


def lost_body(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"\n *pass(?=\n)"))
    return found.start(), found.end(), ""


def ternary(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=[=n] )([\w.'\"]+(?:\([\w., ]*\))?) if ([^()\n]+?) else (\S+)$"))
    return found.start(), found.end(), f"{found[2]} ? {found[1]} : {found[3]}"


def old_number(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<![\w.])([1-9]\d*)(?![\w.])"))
    return found.start(), found.end(), chance.choice([f"0{found[1]}", f"{found[1]}L"])


def parted_name(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=[a-z])_(?=[a-z])"))
    return found.start(), found.end(), chance.choice([" ", "-"]) if chance.random() < 0.5 else " "


def lost_async(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"async (?=def|with|for)"))
    return found.start(), found.end(), ""


def parted_equals(chance: random.Random, source: Source) -> Edit:
    token = chance.choice(source.these("==", "!=", "<=", ">=", "+=", "-=", "**", "//", "->"))
    return token.start, token.end, " ".join(token.text)


def lost_brace_in_text(chance: random.Random, source: Source) -> Edit:
    filled = [one for one in _short_strings(source) if re.match(r"[rR]?[fF]['\"]", one.text) and "}" in one.text]
    token = chance.choice(filled)
    at = token.start + chance.choice([found.start() for found in re.finditer(r"[{}]", token.text)])
    return at, at + 1, ""


def missing_value(chance: random.Random, source: Source) -> Edit:
    """Nothing between a keyword's two parts is left to guess but the sign: ``for x in y`` without its ``for``."""
    found = chance.choice(source.matches(r"(?<=\w )(for|if|else|in|and|or|not in|is not|is) (?=\w)"))
    return found.start(), found.end(), ""


def equals_for_colon(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=['\"]): (?=[^\n])"))
    return found.start(), found.end(), chance.choice([" = ", "=", " => "])


def colon_for_equals(chance: random.Random, source: Source) -> Edit:
    found = chance.choice(source.matches(r"(?<=[(,\s]\w{3})=(?=[\w'\"])|(?<=\w{2}) = (?=[\w'\"])"))
    return found.start(), found.end(), chance.choice([": ", ":"])


OPERATORS: dict[Operator, int] = {
    equals_for_colon: 1, colon_for_equals: 1, missing_closer: 6, missing_opener: 4, extra_bracket: 3, stray_closer: 2,
    wrong_bracket: 3, both_brackets: 1, missing_colon: 4, missing_inner_colon: 2, missing_comma: 5, double_comma: 1,
    missing_operator: 3, missing_dot: 1, missing_word: 3, missing_in: 1, missing_def: 1, missing_last_quote: 3,
    missing_first_quote: 3, mixed_quotes: 2, apostrophe: 1, nested_quotes: 1, lost_triple: 1, smart_quotes: 1,
    moved_line: 4, body_not_indented: 2, moved_word: 1, tabbed: 1, one_equals: 2, sign_for_sign: 3, foreign_word: 3,
    misspelt_word: 4, capital_word: 1, glued: 1, doubled: 2, swapped: 1, split_line: 2, joined_lines: 1,
    lost_backslash: 1, cut_line: 2, lost_hash: 1, other_comment: 1, printed: 2, raised: 1, caught: 1, unnamed: 1,
    reversed_import: 1, counted_up: 1, declared: 1, stray_end: 1, opened_block: 2, stray_letter: 1, lost_body: 1,
    ternary: 1, old_number: 1, parted_name: 1, lost_async: 1, parted_equals: 1, lost_brace_in_text: 1, missing_value:
    1,
}
"""Each with how often people make it, roughly, beside the others."""


def faults(packages: tuple[str, ...], *, count: int, seed: int) -> Iterator[tuple[Broken, Edit]]:
    """So many faults in files of some packages; each with the edit that made it."""
    chance = random.Random(seed)
    files = _files(packages)
    operators, often = list(OPERATORS), list(OPERATORS.values())
    while count:
        operator = chance.choices(operators, often)[0]
        made = next(filter(None, (_made(chance, operator, chance.choice(files)) for _ in range(30))), None)
        if made is not None:
            count -= 1
            yield made


def _made(chance: random.Random, operator: Operator, file: Path) -> tuple[Broken, Edit] | None:
    source = _source(file)
    try:
        start, end, new = operator(chance, source)
    except IndexError:
        return None
    text = source.text[:start] + new + source.text[end:]
    if _compiles(text):
        return None
    return Broken(file=file.name, kind=operator.__name__, good=source.text, broken=text), (start, end, new)


def _files(packages: tuple[str, ...]) -> list[Path]:
    folder = Path(sysconfig.get_path("purelib"))
    found = [path for name in packages for path in (*(folder / name).rglob("*.py"), folder / f"{name}.py")
             if path.is_file()]
    return sorted(path for path in found if _SMALLEST < path.stat().st_size < _LARGEST
                  and not _TABLES.search(str(path.relative_to(folder))))


@functools.lru_cache(maxsize=2000)
def _source(file: Path) -> Source:
    text = file.read_text("utf-8", "replace")
    return Source(text, tokens_of(text)) if _compiles(text) else Source("")


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def main() -> None:
    """The counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=600)
    parser.add_argument("--seed", type=int, default=20)
    asked = parser.parse_args()
    from windtunnel.repair.syntax import propose  # noqa: PLC0415 -- who only learns does not load it

    right, every, times = Counter[str](), Counter[str](), []
    for number, (one, _) in enumerate(faults(HELD_OUT, count=asked.faults, seed=asked.seed)):
        if not number:
            asked_first(propose, one)
        text, seconds = asked_first(propose, one)
        every[one.kind] += 1
        right[one.kind] += same_tree(one.good, text)
        times.append(1000 * seconds)
    for kind in sorted(every):
        print(f"{kind:22} {right[kind]:4} of {every[kind]:4}")
    print(f"{'all':22} {right.total():4} of {every.total():4}  {100 * right.total() / every.total():.1f} %")
    print(f"processor time: median {statistics.median(times):.0f} ms, {sum(one > 50 for one in times)} above 50 ms")


if __name__ == "__main__":
    main()
