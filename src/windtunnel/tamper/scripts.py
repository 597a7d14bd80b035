"""The scripts of a package.json, followed from ``test`` through the scripts that it calls and the hooks around it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from windtunnel.tamper.options import is_test_script
from windtunnel.tamper.paths import is_test

MOST_CALLS = 6
"""Scripts that call scripts are followed so deep."""
QUIET = re.compile(
    r"\|\|\s*(true|:|exit 0|echo)|;\s*(true|exit 0|:)\s*$|--passWithNoTests|--testNamePattern|--testPathIgnore|"
    r"--test-name-pattern|--test-skip-pattern|--test-only\b|--grep|--fgrep|--invert|--updateSnapshot|"
    r"(^|\s)(-t|-u|-g|-i)(\s|$)|--collect-only|--exit-zero|^echo\b|--listTests|--dry-run|--onlyChanged|&\s*$|2>&1\s*\|\|"
)
"""What keeps a command from failing, or tests from being run."""
RUNNER = re.compile(
    r"\b(jest|vitest|mocha|ava|tap|tape|jasmine|karma|pytest|unittest|nose|cargo|go test|mvn|gradle|react-scripts|"
    r"playwright|cypress|nyc|c8|tox|nox|uvu|lab|node\b.*--test|ng test|vue-cli-service|turbo|nx|lerna|make|deno|bun|"
    r"npm|yarn|pnpm|tsx|node)\b"
)
LOADED = re.compile(
    r"(--require|-r|--import|--loader|--experimental-loader|NODE_OPTIONS|--setupFiles|node -e|python -c)\b"
)
"""What brings code into the runner before any test."""
_CALL = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)|"
    r"\b(?:run-s|run-p|npm-run-all)\s+([\w:. -]+)"
)
_NOTHING = re.compile(r"^\s*(true|:|exit 0|echo\b[^;&|]*)?\s*$")
_OWN = re.compile(
    r"(?:^|[;&|(]\s*|\s--\s)(?:(?:node|sh|bash|python3?|tsx|ts-node|deno run|bun)\s+)?"
    r"((?:\./)?[\w./-]+\.(?:[cm]?[jt]s|sh|py))\b"
)
"""Code of the project's own that a command starts."""
_TAKING = re.compile(r"--test\b|\b(jest|vitest|mocha|ava|tap|tape|jasmine|uvu)\b")
_BETWEEN = re.compile(r"&&|\|\||[;&|]")


def _called(command: str, scripts: Mapping[str, str]) -> list[str]:
    """The scripts that a command calls by name."""
    names = [name for match in _CALL.finditer(command) for name in (match[1] or match[2] or "").split()]
    return [name for name in names if name in scripts]


def reached(scripts: Mapping[str, str], name: str = "test") -> list[str]:
    """A script with all that it calls and the hooks around them, in the order in which they are met."""
    found, waiting = list[str](), [name]
    for _ in range(len(scripts) + 1):
        if not waiting:
            break
        each = waiting.pop(0)
        if each in scripts and each not in found:
            found.append(each)
            waiting += [f"pre{each}", f"post{each}", *_called(scripts[each], scripts)]
    return found


def expanded(scripts: Mapping[str, str], name: str = "test", *, depth: int = 0) -> str:
    """What a script comes to, with the scripts that it calls in their places."""
    command = scripts.get(name, "")

    def put(match: re.Match[str]) -> str:
        names = [each for each in (match[1] or match[2] or "").split() if each in scripts and each != name]
        if not names or depth >= MOST_CALLS:
            return match[0]
        return " && ".join(expanded(scripts, each, depth=depth + 1) for each in names)

    return _CALL.sub(put, command)


def _operands(command: str) -> set[str]:
    """Tests that a command names, as files or patterns; the values of options are none."""
    found: set[str] = set()
    for part in _BETWEEN.split(command):
        try:
            words = shlex.split(part)
        except ValueError:
            words = part.split()
        for index, word in enumerate(words[1:], start=1):
            valued = words[index - 1].startswith("-") and "=" not in words[index - 1] and words[index - 1] != "--test"
            named = re.search(r"[/*.]|^tests?$|^spec$", word) and not word.startswith("-") and not valued
            if named and (_TAKING.search(part) or is_test(word) or is_test(f"{word}/a.js")):
                found.add(word.removeprefix("./").rstrip("/"))
    return found


def _narrowed(before: str, after: str) -> bool:
    """Whether fewer files are named than before, or some where all were meant."""
    old, new = _operands(before), _operands(after)
    if not old:
        return any(not re.fullmatch(r"tests?|spec|\.|\*\*?|.*\.config\..*", word) for word in new)
    roots = {word.split("*")[0].rpartition("/")[0] or word.split("*")[0] for word in new}
    return any(
        word not in new and not any(root == "" or word.startswith(root) for root in roots)
        for word in old
        if RUNNER.search(before)
    ) and bool(new)


def _weaker(before: str, after: str) -> str:
    """What a command lost or got that lets tests pass; empty when nothing is known."""
    if QUIET.search(after) and not QUIET.search(before):
        return "cannot fail, or leaves tests out"
    if RUNNER.search(before) and _NOTHING.match(after):
        return "runs nothing"
    if LOADED.search(after) and not LOADED.search(before):
        return "loads code into the runner"
    own = set(_OWN.findall(after)) - set(_OWN.findall(before)) - _operands_of_runner(after)
    if any(not is_test(path.removeprefix("./")) for path in own):
        return "runs code of the project's own"
    if before and RUNNER.search(before) and RUNNER.search(after) and _narrowed(before, after):
        return "names fewer tests"
    return ""


def _operands_of_runner(command: str) -> set[str]:
    """Files that a command hands to a runner, which are tests."""
    handed = [part for part in _BETWEEN.split(command) if _TAKING.search(part)]
    return {word for part in handed for word in (*part.split(), *_OWN.findall(part))}


def compare_scripts(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Names of scripts about tests that differ, what is wrong with each (nothing when it may be so), and its text."""
    before, after = expanded(old), expanded(new)
    counted = {*reached(old), *reached(new)}
    for name in sorted({*old, *new}):
        was, now = old.get(name, ""), new.get(name, "")
        if was == now or not (name in counted or is_test_script(name)):
            continue
        hook = re.match(r"^(pre|post)(.+)$", name)
        if name == "test":
            yield name, _weaker(before, after), now
        elif hook and hook[2] in counted:
            own = set(_OWN.findall(now)) - set(_OWN.findall(was))
            yield name, "runs code of the project's own around the tests" if own or LOADED.search(now) else "", now
        elif name in reached(new):
            yield name, _weaker(was, now) if was else "", now
        else:
            yield name, "", now
