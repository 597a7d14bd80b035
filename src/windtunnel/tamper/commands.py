"""Commands that run tests: whether a failing test still fails them, and which tests they name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from windtunnel.tamper.paths import is_test

RUNNER = re.compile(
    r"\b(jest|vitest|mocha|ava|tap|tape|jasmine|karma|pytest|unittest|nose|cargo|go test|mvn|gradle|react-scripts|"
    r"playwright|cypress|nyc|c8|tox|nox|uvu|lab|node\b.*--test|ng test|vue-cli-service|turbo|nx|lerna|make|deno|bun|"
    r"npm|yarn|pnpm|tsx|node)\b"
)
TAKING = re.compile(r"--test\b|\b(jest|vitest|mocha|ava|tap|tape|jasmine|uvu|cypress|playwright|karma)\b")
"""Runners that are told which tests to run."""
_OPERATORS = frozenset(("&&", "||", ";", "|", "&", "|&", "\n"))
_VALUED = re.compile(r"^--?[\w-]+$")
_FLAGS = frozenset(
    ("--test", "--coverage", "--runInBand", "--ci", "--verbose", "--silent", "--bail", "--exit", "--watch")
)
_CODE = re.compile(r"\.[cm]?[jt]sx?$")
_NAMED = re.compile(r"[._-](test|spec)\.[cm]?[jt]sx?$")
_HELPING = re.compile(r"(^|/)(support|helpers?|fixtures?|__fixtures__|__mocks__|utils?|data)(/|\.)")
_GENERAL = re.compile(
    r"^(\./)?((tests?|spec|src|lib|__tests__|packages)(/|$))?(\*\*/?)?(\*(\.(test|spec))?(\.(\*|\{[\w,]+\}|[cm]?[jt]sx?))?)?$"
)
"""A pattern that means every test there is, as far as one can tell without knowing them."""


def segments(command: str) -> list[tuple[list[str], str]]:
    """The simple commands of a line, each with the sign that follows it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    try:
        words = list(lexer)
    except ValueError:
        words = command.split()
    found, current = list[tuple[list[str], str]](), list[str]()
    for word in words:
        if word in _OPERATORS:
            found.append((current, word))
            current = []
        elif not set(word) <= {"(", ")"}:
            current.append(word)
    return [each for each in (*found, (current, "")) if each[0] or each[1]]


def forgives(command: str) -> bool:
    """Whether a failing test does not make the command fail."""
    parts = segments(command)
    for place, (words, sign) in enumerate(parts):
        if not TAKING.search(" ".join(words)):
            continue
        after = next((each for each, _ in parts[place + 1 :] if each), [])
        fails = after[:1] == ["exit"] and after[1:2] not in (["0"], [])
        if (
            words[:1] == ["!"]
            or (sign == "||" and not fails)
            or (sign in (";", "|", "|&", "\n") and after)
            or sign == "&"
        ):
            return True
    return False


def _operands(words: Sequence[str]) -> list[str]:
    """What a runner is given that is no option and no value of one."""
    found, start = list[str](), next((at for at, word in enumerate(words) if TAKING.search(word)), 0)
    for index, word in enumerate(words[1:], start=1):
        before = words[index - 1]
        valued = _VALUED.match(before) and before not in _FLAGS and not _looks_like_tests(word)
        program = index <= start and word != words[start]
        if not word.startswith("-") and not valued and not program and "=" not in word and not TAKING.fullmatch(word):
            found.append(word.removeprefix("./").rstrip("/"))
    return [
        word for word in found if word not in ("run", "exec", "node", "npx", "watch") and "node_modules" not in word
    ]


def _looks_like_tests(word: str) -> bool:
    return is_test(word.removeprefix("./")) or is_test(f"{word.removeprefix('./').rstrip('/')}/a.js") or "*" in word


def _pattern(operand: str) -> re.Pattern[str]:
    """A pattern of files as an expression; a folder is all that lies in it."""
    text = re.escape(operand.removeprefix("./"))
    for sign, meaning in ((r"\*\*/", "(?:.*/)?"), (r"\*\*", ".*"), (r"\*", "[^/]*"), (r"\?", "[^/]")):
        text = text.replace(sign, meaning)
    text = re.sub(r"\\\{([^{}]*)\\\}", lambda match: f"(?:{match[1].replace(',', '|')})", text)
    return re.compile(rf"{text}(?:/.*)?")


def _files(tests: Iterable[str]) -> list[str]:
    """Those of the tests' files that a runner would start."""
    code = [path for path in tests if _CODE.search(path)]
    return [path for path in code if _NAMED.search(path)] or [path for path in code if not _HELPING.search(path)]


def _chosen(command: str, tests: list[str]) -> set[str]:
    """The tests that a command runs, as far as its words tell."""
    found: set[str] = set()
    for words, _ in segments(command):
        if not TAKING.search(" ".join(words)):
            continue
        operands = _operands(words)
        jest = any(re.search(r"\b(jest|vitest)$", word) for word in words)
        found.update(
            path
            for path in tests
            if not operands
            or any(_pattern(each).fullmatch(path) or (jest and "*" not in each and each in path) for each in operands)
        )
    return found


def narrows(before: str, after: str, *, tests: frozenset[str] | None) -> bool:
    """Whether a command runs fewer of the project's tests than the one before it did."""
    if not any(TAKING.search(" ".join(words)) for words, _ in segments(after)):
        return False
    if tests is not None and (known := _files(tests)):
        return bool(_chosen(before, known) - _chosen(after, known))
    old, new = ({each for words, _ in segments(text) if TAKING.search(" ".join(words)) for each in _operands(words)}
                for text in (before, after))  # fmt: skip
    if not old:
        return any(not _GENERAL.match(word) for word in new)
    roots = {word.split("*")[0].rpartition("/")[0] or word.split("*")[0] for word in new}
    return bool(new) and any(
        word not in new and not any(not root or word.startswith(root) for root in roots) for word in old
    )
