"""Two versions of a package.json's scripts: what the test script lost, however it gets to the runner."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from windtunnel.tamper.commands import RUNNER, forgives, narrows, segments
from windtunnel.tamper.package_scripts import expanded, is_test_script, own_files, reached
from windtunnel.tamper.paths import is_test

QUIET = re.compile(
    r"\|\|\s*(true|:|exit 0|echo)|;\s*(true|exit 0|:)\s*$|--passWithNoTests|--testNamePattern|--testPathIgnore|"
    r"--test-name-pattern|--test-skip-pattern|--test-only\b|--grep|--fgrep|--invert|--updateSnapshot|--update-snapshots?\b|"
    r"(^|\s)(-t|-u|-g)(\s|$)|\bmocha\b.*\s-i(\s|$)|--collect-only|--exit-zero|^echo\b|--listTests|--dry-run|--onlyChanged|"
    r"--changed\b|--(test-)?shard\b|--findRelatedTests|--lastCommit|--onlyFailures|&\s*$|2>&1\s*\|\||--test-update-snapshots|"
    r"--(exclude|retry|retries|jobs-fail-ok|suppress-exit-code|silent-exit)\b|\bset \+e\b"
)
"""What keeps a command from failing, or tests from being run."""
LOADED = re.compile(
    r"(?:--require|-r|--import|--loader|--experimental-loader|--setupFiles\w*|--config|-c|--test-reporter)[= ]+"
    r"(\.{0,2}/?[\w./@-]+)|(NODE_OPTIONS|node -e\b|node --eval\b|node -p\b|python -c\b|data:)"
)
"""What brings code into the runner before any test."""
_NOTHING = re.compile(r"^\s*(true|:|exit 0|echo\b[^;&|]*)?\s*$")
_ENDING_WELL = re.compile(
    r"process\.exit\(\s*0?\s*\)|exitCode\s*=\s*0|\bexit 0\b|\|\| (true|:)|\bset \+e\b|sys\.exit\(0?\)|"
    r"\.catch\(\(\w*\) => \{?\s*\}?\)"
)
_BUILDING = re.compile(r"^(prepare|build|compile|bundle|lint|format|types|clean)\b")
"""Scripts that tests may need and that have hooks of their own."""
_HANDING = re.compile(r"\b(for|while|xargs|parallel)\b|-exec\b|\$\(|`")
_MOVING = re.compile(r"^(rm|mv|cp|sed|tee|truncate|git|find|chmod|ln|perl|awk|patch|dd|rimraf|del|shx|touch|unlink)$")


def loads(command: str) -> set[str]:
    """Code that a command brings into the runner: the project's own, or written into the command."""
    found: set[str] = set()
    for match in LOADED.finditer(command):
        path = match[1] or ""
        own = path.startswith((".", "/")) or bool(re.search(r"/.*\.\w+$|^[\w-]+\.[cm]?[jt]s$", path))
        if match[2] or own:
            found.add(path or match[0])
    return found


def _tampers(command: str) -> bool:
    """Whether a command moves files of the tests, or what is installed, out of the way."""
    parts = [words for words, _ in segments(command)]
    # What a loop or another program hands on is not in the words of the command that moves it.
    handed = [[word for words in parts for word in words]] if _HANDING.search(command) else []
    return any(_moves(words) and any(map(_is_of_tests, words)) for words in (*parts, *handed))


def _moves(words: Sequence[str]) -> bool:
    return any(_MOVING.match(word.rpartition("/")[2]) for word in words)


def _is_of_tests(word: str) -> bool:
    path = word.removeprefix("./").rstrip("/")
    return is_test(path) or is_test(f"{path}/a.js") or "node_modules" in path


def weaker(before: str, after: str, *, tests: frozenset[str] | None = None) -> str:
    """What a command lost or got that lets tests pass; empty when nothing is known."""
    handed = {word for words, _ in segments(after) if "--test" in words for word in words}
    own = own_files(after) - own_files(before) - {word.removeprefix("./") for word in handed}
    runs = bool(RUNNER.search(before)) and bool(RUNNER.search(after))
    wrongs = {
        "cannot fail, or leaves tests out": (QUIET.search(after) and not QUIET.search(before))
        or (forgives(after) and not forgives(before)),
        "runs nothing": RUNNER.search(before) and (_NOTHING.match(after) or not RUNNER.search(after)),
        "loads code into the runner": loads(after) - loads(before),
        "changes files of the tests before they run": _tampers(after) and not _tampers(before),
        "runs code of the project's own": any(not is_test(path) for path in own),
        "names fewer tests": (runs and narrows(before, after, tests=tests))
        or (own and _runs_tests(before) and not _runs_tests(after)),
    }
    return next((message for message, wrong in wrongs.items() if wrong), "")


def _runs_tests(command: str) -> bool:
    return not narrows("--test", command, tests=None) and bool(
        re.search(r"--test\b|jest|vitest|mocha|ava|tap", command)
    )


def compare_scripts(
    old: Mapping[str, str], new: Mapping[str, str], *, tests: frozenset[str] | None = None
) -> Iterator[tuple[str, str, str]]:
    """Names of scripts about tests that differ, what is wrong with each (nothing when it may be so), and its text."""
    counted = {*reached(old), *reached(new)}
    whole = weaker(expanded(old), expanded(new), tests=tests) if "test" in {*old, *new} else ""
    told = False
    for name in sorted({*old, *new}, key=lambda each: (each != "test", each)):
        was, now = old.get(name, ""), new.get(name, "")
        if was == now or not (name in counted or is_test_script(name)):
            continue
        hook = re.match(r"^(pre|post)(.+)$", name)
        if name == "test":
            told = True
            yield name, whole, now
        elif hook and hook[2] in counted:
            own = own_files(now) - own_files(was)
            built = bool(_BUILDING.match(hook[2]))
            wrong = (bool(own) and not built) or bool(loads(now) - loads(was)) or (_tampers(now) and not _tampers(was))
            yield name, "runs code of the project's own around the tests" if wrong else "", now
        elif name in reached(new) and name in reached(old):
            yield name, "" if told and whole else weaker(was, now, tests=tests) or whole, now
        else:
            yield name, "", now
    if whole and not told and not any(old.get(name) != new.get(name) for name in reached(old)):
        yield "test", whole, new.get("test", "")


def compare_starter(before: str, after: str) -> str:
    """What a file that the test script goes through lost; empty when nothing is known."""
    if len(_ENDING_WELL.findall(after)) > len(_ENDING_WELL.findall(before)):
        return "ends well whatever the tests say"
    if RUNNER.search(before) and not RUNNER.search(after):
        return "no longer starts the runner"
    if (QUIET.search(after) and not QUIET.search(before)) or loads(after) - loads(before):
        return "leaves tests out, or brings code into the runner"
    return ""
