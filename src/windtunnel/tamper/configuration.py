"""Changes of the runner's configuration: what silences, narrows or slackens is told from what does not.

The verdict is computed with the unchanged project's configuration in any case; so what cannot be told is only shown.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.commands import RUNNER
from windtunnel.tamper.makefile import same_tests
from windtunnel.tamper.options import Sections, pytest_options, sections
from windtunnel.tamper.package_scripts import scripts
from windtunnel.tamper.rule import MOST_EVIDENCE, Severity
from windtunnel.tamper.script import SCRIPT, Script
from windtunnel.tamper.scripts import QUIET, compare_scripts, compare_starter, loads
from windtunnel.tamper.trees import parse, unparsed

_BAD_OPTIONS = re.compile(
    r"^(-k|-m|--ignore(-glob)?|--deselect|--collect-only|--co|--lf|--last-failed|--sw|--noconftest|-c|--rootdir|"
    r"--override-ini|-o|--pyargs|--setup-(only|plan|show)|--assert|--fixtures|--version|--help|-h|--reruns|"
    r"--continue-on-collection-errors|--confcutdir|--max-?fail-?ok|--no-summary|--suppress-no-test-exit-code|"
    r"--snapshot-update|--timeout|--fail-under|--runxfail|--disable-plugin-autoload)(=|$)"
)
_PLUGINS = re.compile(
    r"^(no:(cacheprovider|randomly|xdist|cov|warnings|logging)|xdist.*|pytest_\w+|anyio|asyncio|hypothesis.*|"
    r"pytest-\w+|pytester)$"
)
_NARROWING = {"testpaths", "python_files", "python_classes", "python_functions"}
_DEFAULT_FOLDERS = {"*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"}
"""Where pytest does not look anyway."""
_SETTINGS = re.compile(r"^(node[-_]options|script-shell|shell|onload-script|ignore-scripts)$")
"""Settings of npm that decide with what scripts run."""
_BAD_KEYS = {
    "testPathIgnorePatterns",
    "modulePathIgnorePatterns",
    "testRunner",
    "runner",
    "resolver",
    "testRegex",
    "testMatch",
    "roots",
    "passWithNoTests",
    "testNamePattern",
    "exclude",
    "grep",
    "fgrep",
    "invert",
    "ignore",
    "allowOnly",
    "testSequencer",
    "testResultsProcessor",
    "bail",
    "dangerouslyIgnoreUnhandledErrors",
    "snapshotResolver",
    "retry",
    "retries",
    "spec",
    "include",
    "onlyChanged",
    "errorOnDeprecated",
}
MOST_VALUE = 400
"""Tokens of one value that are read."""
_TIMES = {"testTimeout", "timeout", "hookTimeout", "slowTestThreshold"}
_HOOKS = {
    "pytest_runtest_protocol",
    "pytest_pyfunc_call",
    "pytest_report_teststatus",
    "pytest_ignore_collect",
    "pytest_collect_file",
    "pytest_pycollect_makeitem",
    "pytest_assertrepr_compare_off",
    "pytest_exception_interact_off",
    "pytest_pycollect_makemodule",
    "pytest_runtestloop",
    "pytest_deselected",
    "pytest_cmdline_main",
    "pytest_collection",
    "pytest_load_initial_conftests",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What the rest of the project says about its tests."""

    before: Mapping[str, Any] = field(default_factory=dict)
    """The options of pytest that were in force, whichever file they stood in."""
    after: Mapping[str, Any] = field(default_factory=dict)
    """Those in force with the change."""
    tests: frozenset[str] | None = None
    """The unchanged project's test files; None when they are not known."""

    def holds(self, folders: Iterable[str]) -> bool:
        """Whether one of these folders has tests, or may have."""
        return any(
            self.tests is None or any(f"{test}/".startswith(f"{folder.rstrip('/')}/") for test in self.tests)
            for folder in folders
        )


def _finding(
    path: str,
    message: str,
    *,
    severity: Severity,
    rule: str = "runner-configuration",
    evidence: str = "",
    line: int = 0,
) -> TamperFinding:
    return TamperFinding(
        rule=rule, message=message, path=path, severity=severity, evidence=evidence[:MOST_EVIDENCE], line=line or None
    )


def _words(value: Any) -> list[str]:  # noqa: ANN401 -- whatever the file holds
    if isinstance(value, list | tuple):
        return [str(each) for each in value]
    try:
        return shlex.split(str(value or ""), comments=False)
    except ValueError:
        return str(value or "").split()


def _number(value: Any) -> float | None:  # noqa: ANN401 -- whatever the file holds
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _options(old: list[str], new: list[str]) -> Iterator[tuple[str, Severity]]:
    """Options of pytest that were added or taken away."""
    for index, word in enumerate(new):
        before = new[index - 1] if index else ""
        if word in old:
            continue
        plugin = word.removeprefix("-p") if word.startswith("-p") and word != "-p" else word if before == "-p" else ""
        if plugin:
            yield f"-p {plugin}", "show" if _PLUGINS.match(plugin.strip("= ")) else "block"
        else:
            yield word, "block" if _BAD_OPTIONS.match(word) or word.startswith(("-k", "-m ")) else "show"
    for word in old:
        if word not in new:
            yield (
                f"without {word}",
                "block" if word.startswith(("--doctest", "--cov-fail-under", "--strict-config")) else "show",
            )


def _pytest(path: str, old: Mapping[str, Any], new: Mapping[str, Any], other: Elsewhere) -> Iterator[TamperFinding]:
    for key in sorted({*old, *new}) if new or not other.after else ():
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        severity: Severity = "show"
        if key == "addopts":
            for word, each in _options(_words(before), _words(after)):
                yield _finding(path, f"pytest is now called with {word}", severity=each, evidence=f"addopts: {word}")
            continue
        if key in _NARROWING:
            lost = set(_words(before)) - set(_words(after))
            missed = other.holds(lost) if key == "testpaths" and after is not None else bool(lost)
            severity = "block" if before is not None and missed else "show"
        elif key == "norecursedirs":
            severity = (
                "block"
                if any(
                    re.search(r"test|\*|^\.$", word)
                    for word in set(_words(after)) - set(_words(before)) - _DEFAULT_FOLDERS
                )
                else "show"
            )
        elif key == "timeout":
            yield from _timeout(path, _number(before), _number(after))
            continue
        elif key == "xfail_strict":
            severity = "block" if str(before).lower() in ("true", "1", "yes", "on") else "show"
        yield _finding(
            path, f"{key} of pytest was {before!r} and is {after!r}", severity=severity, evidence=f"{key} = {after!r}"
        )


def _timeout(path: str, before: float | None, after: float | None) -> Iterator[TamperFinding]:
    if before is not None and (after is None or after > before or after == 0):
        yield _finding(
            path,
            f"tests may take {after or 'any number of'} instead of {before:g}",
            severity="block",
            rule="timeout-raised",
        )


def _script(path: str, name: str, *, before: str, after: str) -> Iterator[TamperFinding]:
    quiet = QUIET.search(after) and not QUIET.search(before)
    lost = bool(RUNNER.search(before)) and not RUNNER.search(after)
    loaded = loads(after) - loads(before)
    severity: Severity = "block" if quiet or lost or loaded else "show"
    yield _finding(path, f"the script {name} was {before!r} and is {after!r}", severity=severity, evidence=after)


def _table(path: str, tool: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[TamperFinding]:
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if key in _TIMES:
            yield from _timeout(path, _number(before), _number(after))
        severity: Severity = "block" if key in _BAD_KEYS and after not in (None, [], False) else "show"
        yield _finding(path, f"{key} of {tool} was changed", severity=severity, evidence=f"{key}: {after!r}")


def _sections(path: str, old: Sections, new: Sections, *, other: Elsewhere) -> Iterator[TamperFinding]:
    # Options that moved here from another file are compared with what they were there.
    yield from _pytest(path, pytest_options(old) or other.before, pytest_options(new), other)
    for name in sorted({*old, *new} - {"tool.pytest", "pytest", "tool:pytest"}):
        before, after = old.get(name) or {}, new.get(name) or {}
        if before == after:
            continue
        if "pytest11" in name or ("pytest11" in str(after) and "pytest11" not in str(before)):
            yield _finding(path, "the package now brings a plugin of pytest", severity="block", evidence=str(after))
        elif name == "scripts":
            continue
        elif isinstance(before, Mapping) and isinstance(after, Mapping) and name in ("jest", "mocha", "vitest", "ava"):
            yield from _table(path, name, before, after)
        elif name.startswith("testenv:") and not after:
            yield _finding(path, f"[{name}] was removed", severity="show")
        elif name.startswith("testenv") and isinstance(after, Mapping) and isinstance(before, Mapping):
            yield from _environment(path, str(before.get("commands", "")), str(after.get("commands", "")))
        else:
            yield _finding(path, f"[{name}] was changed", severity="show")


def _environment(path: str, before: str, after: str) -> Iterator[TamperFinding]:
    if before != after:
        ignored = re.search(r"^\s*-\s", after, re.MULTILINE) and not re.search(r"^\s*-\s", before, re.MULTILINE)
        lost = bool(RUNNER.search(before)) and not RUNNER.search(after)
        yield _finding(
            path,
            "the commands of tox were changed",
            severity="block" if ignored or lost or QUIET.search(after) else "show",
            evidence=after,
        )


def _package(path: str, old: bytes | None, new: bytes, *, tests: frozenset[str] | None) -> Iterator[TamperFinding]:
    """The scripts of a package.json that tests depend on."""
    before, after = scripts(old), scripts(new)
    for name, wrong, text in compare_scripts(before, after, tests=tests):
        was = f"was {before[name]!r} and is" if name in before else "is new:"
        said = f"the script {name} {was} {text!r}" + (f"; it {wrong}" if wrong else "")
        yield _finding(path, said, severity="block" if wrong else "show", evidence=text)


def _npm_settings(path: str, old: bytes | None, new: bytes) -> Iterator[TamperFinding]:
    before, after = (
        dict(
            line.split("=", 1)
            for line in (data or b"").decode("utf-8", "replace").replace(" ", "").splitlines()
            if "=" in line and not line.lstrip().startswith(("#", ";"))
        )
        for data in (old, new)
    )
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            counts = _SETTINGS.match(key) and key in after
            # What stands in the value may be a token, so it is not shown.
            yield _finding(path, f"{key} of npm was changed", severity="block" if counts else "show", evidence=key)


def _keys(text: str) -> dict[str, str]:
    """Values by key in a configuration that is written as a script."""
    script, found = Script(text), dict[str, str]()
    for index, word in enumerate(script.words):
        if word.kind in ("name", "string") and script.text(index + 1) == ":":
            end = index + 2
            while end < min(len(script.words), index + MOST_VALUE) and script.text(end) not in (",", "}", ";"):
                end = script.closing(end) + 1 if script.text(end) in ("(", "[", "{") else end + 1
            found[word.text] = script.source(index + 2, end)
    return found


def _hooks(tree: ast.Module) -> dict[str, tuple[str, Severity, int]]:
    """What a conftest.py does to the run, by name."""
    found: dict[str, tuple[str, Severity, int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("pytest_"):
            text = unparsed(node)
            bad = node.name in _HOOKS or re.search(
                r"\.(outcome|longrepr|wasxfail|exitstatus|_?passed|_?failed|testsfailed)\s*=[^=]|force_result|items\[:\]\s*=|"
                r"items\.(clear|pop|remove)\(|del items|\.excinfo\s*=|_exit\(|deselect",
                text,
            )
            silent = (
                "modifyitems" in node.name
                and "add_marker" in text
                and re.search(r"skip|xfail", text)
                and not re.search(r"keywords|getoption|getvalue|get_closest_marker|iter_markers|platform|which", text)
            )
            found[text] = (node.name, "block" if bad or silent else "show", node.lineno)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").startswith("collect_ignore"):
            found[unparsed(node)] = ("collect_ignore", "block", node.lineno)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "pytest_plugins":
            found[unparsed(node)] = ("pytest_plugins", "show", node.lineno)
        elif isinstance(node, ast.FunctionDef) and "autouse=True" in " ".join(map(unparsed, node.decorator_list)):
            skips = re.search(r"pytest\.(skip|xfail)\(", unparsed(node))
            found[unparsed(node)] = (
                f"the fixture {node.name}, used everywhere",
                "block" if skips else "show",
                node.lineno,
            )
    return found


def _ignored(path: str, text: str, *, had: Iterable[str]) -> list[str]:
    """Files and folders beside a conftest.py that are ignored and were not."""
    known = {name for each in had for name in re.findall(r"['\"]([^'\"]+)['\"]", each)}
    names = [name for name in re.findall(r"['\"]([^'\"]+)['\"]", text) if name not in known]
    folder = path.rpartition("/")[0]
    return [f"{folder}/{name}".lstrip("/") for name in names]


def _conftest(path: str, old: bytes | None, new: bytes, *, other: Elsewhere) -> Iterator[TamperFinding]:
    before, after = parse(old or b""), parse(new)
    if after is None:
        yield _finding(path, "cannot be read as Python", severity="show")
        return
    had = _hooks(before) if before else {}
    for text, (name, found, line) in _hooks(after).items():
        severity: Severity = found
        if text not in had and name == "collect_ignore" and "glob" not in text:
            lost = _ignored(path, text, had=had)
            severity = "block" if not lost or other.holds(lost) else "show"
        if text not in had:
            yield _finding(
                path, f"{name} is new or was changed", severity=severity, evidence=" ".join(text.split()), line=line
            )


def compare_started(path: str, old: bytes, new: bytes | None) -> Iterator[TamperFinding]:
    """What a change of a file means that the project's test script goes through."""
    before, after = ((data or b"").decode("utf-8", "replace") for data in (old, new))
    wrong = compare_starter(before, after)
    said = "the test script goes through this file" + (f"; it {wrong}" if wrong else "")
    yield _finding(path, said, severity="block" if wrong else "show")


def compare_configuration(
    path: str, old: bytes | None, new: bytes | None, *, elsewhere: Elsewhere | None = None
) -> Iterator[TamperFinding]:
    """What a change of one file of the runner's means; ``elsewhere`` is what the project's other files say."""
    name, other = path.rpartition("/")[2], elsewhere or Elsewhere()
    if new is None:
        whole = sections(path, old)
        moved = _pytest(path, pytest_options(whole), other.after, other) if other.after else ()
        kept = bool(other.after) and whole is not None and not any(each.severity == "block" for each in moved)
        severity: Severity = "show" if whole == {} or kept else "block"
        yield _finding(path, "the runner's configuration was deleted", severity=severity)
    elif name == ".npmrc":
        yield from _npm_settings(path, old, new)
    elif name == "conftest.py":
        yield from _conftest(path, old, new, other=other)
    else:
        yield from _compare(path, old, new, other=other)


def _compare(path: str, old: bytes | None, new: bytes, *, other: Elsewhere) -> Iterator[TamperFinding]:
    name = path.rpartition("/")[2]
    if name.endswith((".toml", ".ini", ".cfg", ".coveragerc")) or name == "package.json":
        before, after = sections(path, old), sections(path, new)
        if before is None or after is None:
            yield _finding(path, "cannot be read", severity="show")
        else:
            yield from _sections(path, before, after, other=other)
            if name == "package.json":
                yield from _package(path, old, new, tests=other.tests)
    elif name.lower() in ("makefile", "gnumakefile"):
        if old is not None and not same_tests(old, new):
            yield from _script(
                path, "test", before=old.decode("utf-8", "replace"), after=new.decode("utf-8", "replace")
            )
    elif SCRIPT.search(name) or name.startswith("."):
        before_keys, after_keys = (_keys((data or b"").decode("utf-8", "replace")) for data in (old, new))
        if old is None:
            before_keys |= dict.fromkeys(("include", "testMatch", "roots", "spec"), "")
            after_keys = {
                key: value for key, value in after_keys.items() if key not in ("include", "testMatch", "roots", "spec")
            }
        watched = {key: value for key, value in before_keys.items() if key in after_keys or old is not None}
        yield from _table(path, name, watched, after_keys)
        yield _finding(path, "the runner's configuration was changed", severity="show")
    else:
        yield _finding(path, "the runner's configuration was changed", severity="show")
