"""The scripts of a package.json, followed from ``test`` through those that it calls and the hooks around them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

MOST_CALLS = 6
"""Scripts that call scripts are followed so deep."""
MOST_EXPANDED = 10_000
_CALL = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:-s\s+|--silent\s+)?(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)|"
    r"\b(?:run-s|run-p|npm-run-all2?)((?:\s+[\w:.*-]+)+)|\bnode\s+--run\s+([\w:.-]+)"
)
_OWN = re.compile(
    r"(?:^|[;&|(]\s*|\s--\s)(?:\w+=\S+\s+)*"
    r"(?:(?:node|sh|bash|python3?|tsx|ts-node|deno run|bun|source|\.)\s+(?:--?[\w=-]+\s+)*)?"
    r"((?:\./)?[\w./-]+\.(?:[cm]?[jt]s|sh|py))\b"
)
"""Code of the project's own that a command starts."""


def is_test_script(name: str) -> bool:
    """Whether a script of a package.json is about tests."""
    return "test" in name.lower() or name in ("check", "ci", "coverage", "cover", "jest", "mocha", "vitest")


def scripts(data: bytes | None) -> dict[str, str]:
    """All scripts of a package.json; none when it cannot be read."""
    try:
        read = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    found = read.get("scripts") if isinstance(read, dict) else None
    return {name: text for name, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}


def _named(match: re.Match[str], known: Mapping[str, str]) -> list[str]:
    """The scripts that a call names; ``test:*`` is all that start so."""
    found: list[str] = []
    for word in (match[1] or match[2] or match[3] or "").split():
        start = word.partition("*")[0]
        found += [name for name in known if name.startswith(start)] if start != word and start else [word]
    return [name for name in found if name in known]


def reached(known: Mapping[str, str], name: str = "test") -> list[str]:
    """A script with all that it calls and the hooks around them, in the order in which they are met."""
    found, waiting = list[str](), [name]
    while waiting and len(found) <= len(known):
        each = waiting.pop(0)
        if each in known and each not in found:
            found.append(each)
            called = [other for match in _CALL.finditer(known[each]) for other in _named(match, known)]
            waiting += [f"pre{each}", f"post{each}", *called]
    return found


def about_tests(known: Mapping[str, str]) -> dict[str, str]:
    """The scripts that tests depend on, with their texts."""
    needed = set(reached(known))
    return {name: text for name, text in known.items() if name in needed or is_test_script(name)}


def expanded(known: Mapping[str, str], name: str = "test", *, depth: int = 0) -> str:
    """What a script comes to, with the scripts that it calls in their places."""
    command = known.get(name, "")

    def put(match: re.Match[str]) -> str:
        names = [each for each in _named(match, known) if each != name]
        if not names or depth >= MOST_CALLS:
            return match[0]
        return " && ".join(expanded(known, each, depth=depth + 1) for each in names)[:MOST_EXPANDED]

    return _CALL.sub(put, command)


def own_files(command: str) -> set[str]:
    """Files of the project's own that a command starts."""
    return {match[1].removeprefix("./") for match in _OWN.finditer(command) if "--check" not in match[0]}


def starters(data: bytes | None) -> set[str]:
    """Files of the project's own that its test script goes through."""
    known = scripts(data)
    return {path for name in reached(known) for path in own_files(known[name])}
