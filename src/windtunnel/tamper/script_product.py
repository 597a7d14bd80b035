"""What can be said of product code in JavaScript and TypeScript, from its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Severity, Site
from windtunnel.tamper.script import Script

COMMAND = re.compile(
    r"(^|/)(bin|cli|scripts?|tools?|commands?)(/|[.-])|(^|/)(main|index\.cli|server|gulpfile|gruntfile)\.",
    re.IGNORECASE,
)
HELPER = re.compile(r"test|mock|stub|fake|fixture|jest|vitest|storybook|stories|cypress|playwright", re.IGNORECASE)
_HARD = {"process.reallyExit", "process.abort", "process._kill"}
_CODES = frozenset(map(str, range(1, 256)))
_VARIABLES = re.compile(
    r"^(JEST_WORKER_ID|VITEST\w*|MOCHA\w*|NODE_V8_COVERAGE|NODE_TEST_CONTEXT|AVA_PATH|TAP|__vitest_worker__|"
    r"__coverage__)$"
)
_RUNNERS = re.compile(r"jest|vitest|mocha|node:test|--test\b|jasmine|\bava\b")
_TEST_FILE = re.compile(r"\.(test|spec)\b|__tests__|(^|/)tests?/")
MOST_STATEMENT = 60
"""Tokens of a statement that are read."""
_NAMED = {"NODE_ENV", "npm_lifecycle_event", "npm_command"}
"""Variables that say test, among other things."""
_WORDS = {"expect", "jest", "describe", "vi", "vitest", "jasmine", "mocha"}
_ASKED = ("process.argv", "process.execArgv", "require.cache", "module.parent", "require.main")
_LISTENING = {"listen", "morgan", "logger", "createServer", "pino", "log", "info"}


def script_site(
    script: Script, index: int, rule: str, *, message: str, end: int = 0, severity: Severity = "block"
) -> Site:
    """A site from one token to before another."""
    text = script.source(index, max(end, index + 6))
    return Site(
        rule=rule,
        message=message,
        key=f"{rule} {severity} {script.source(index, end or index + 3)}",
        line=script.words[index].line,
        severity=severity,
        evidence=text,
    )


def _exits(script: Script, path: str) -> Iterator[Site]:
    command = bool(COMMAND.search(path)) or any(
        name in ("require.main", "import.meta.main", "commander", "yargs") for name, _, _ in script.paths()
    )
    signals = [
        (end, script.closing(end))
        for name, _, end in script.paths()
        if name in ("process.on", "process.once") and (script.string(end + 1) or "").startswith("SIG")
    ]
    for name, index, end in script.paths():
        if name in _HARD or (name == "process.kill" and script.path(end + 1)[0] == "process.pid"):
            yield script_site(script, index, "exits-early", message="ends the process at once", end=end)
        elif name == "process.exit" and script.text(end) in ("(", ")", ",", ";", "]", "}", ":"):
            top = script.depths[index] == 0
            failing = script.text(end) == "(" and script.source(end + 1, end + 2) in _CODES
            if not command and not any(start < index < stop for start, stop in signals):
                yield script_site(
                    script,
                    index,
                    "exits-early",
                    end=end + 2,
                    severity="show" if failing else "block",
                    message="ends the process when it is loaded" if top else "ends the process",
                )
        elif name == "process.exitCode" and script.text(end) == "=":
            value = script.source(end + 1, end + 2)
            yield script_site(
                script,
                index,
                "exits-early",
                message=f"sets the exit code to {value}",
                end=end + 2,
                severity="block" if value in ("0", "undefined", "null") else "show",
            )
        elif name in ("process.on", "process.once") and script.string(end + 1) in ("exit", "beforeExit"):
            stop = script.closing(end)
            inside = {script.path(place)[0] for place in range(end, stop)}
            if inside & {"process.exit", "process.exitCode", "process.reallyExit"}:
                yield script_site(
                    script, index, "exits-early", message="changes the exit code when the process ends", end=stop
                )


def _listens(script: Script, index: int) -> bool:
    """Whether the condition around an index only keeps a server or a log quiet under test."""
    start = index
    while start > 0 and script.text(start) != "if" and index - start < 12:  # noqa: PLR2004 -- a short condition
        start -= 1
    if script.text(start) != "if":
        return False
    end = script.closing(start + 1)
    stop = script.closing(end + 1) if script.text(end + 1) == "{" else end + 12
    body = [script.text(place) for place in range(end + 1, min(stop, len(script.words)))]
    return bool(_LISTENING & set(body)) and "return" not in body


def _stack(script: Script, index: int) -> bool:
    near: list[str] = []
    for word in script.words[index : index + MOST_STATEMENT]:
        if word.kind == "mark" and word.text == ";":
            break
        near += [word.text] if word.kind in ("string", "pattern") else []
    return any(re.search(r"\btests?\b|spec|__tests__", text) or _RUNNERS.search(text) for text in near)


def _detections(script: Script) -> Iterator[Site]:
    for name, index, end in script.paths():
        last = name.rpartition(".")[2]
        if last in _NAMED and _compares_test(script, index, end):
            severity: Severity = "show" if _listens(script, index) else "block"
            message = "asks whether it is being tested"
            yield script_site(script, index, "detects-tests", message=message, end=end + 2, severity=severity)
        elif (name.startswith("process.env.") and _VARIABLES.match(last)) or _asks(script, name, index, end):
            # Code that measures itself has other reasons to ask for this one.
            measured: Severity = "show" if last == "NODE_V8_COVERAGE" else "block"
            message = "asks whether a test runner is at work"
            yield script_site(script, index, "detects-tests", message=message, end=end + 1, severity=measured)
    for index, word in enumerate(script.words):
        if word.kind == "name" and word.text in ("stack", "prepareStackTrace") and _stack(script, index):
            yield script_site(script, index, "detects-tests", message="looks for a test in the stack", end=index + 1)
        if word.kind == "string" and _VARIABLES.match(word.text):
            message = f"looks for {word.text}, which only a test runner sets"
            yield script_site(script, index, "detects-tests", message=message, end=index + 1)


def _compares_test(script: Script, index: int, end: int) -> bool:
    near = (script.string(end + 1), script.string(index - 2))
    return "test" in near and bool({script.text(end), script.text(index - 1)} & {"===", "==", "!==", "!="})


def _asks(script: Script, name: str, index: int, end: int) -> bool:
    if name == "typeof":
        return script.text(index + 1) in _WORDS | {"it"}
    if not name.startswith(_ASKED):
        return False
    texts = [word.text for word in script.words[end : end + 14] if word.kind == "string"]
    loaded = name.startswith(("require", "module"))
    return any(_RUNNERS.search(text) or _TEST_FILE.search(text) or (loaded and "test" in text) for text in texts)


def _find(path: str, script: Script) -> Iterator[Site]:
    yield from _exits(script, path)
    yield from _detections(script)
    for index, word in enumerate(script.words):
        if word.kind == "string" and re.search(r"junit[\w.-]*\.xml$|windtunnel-report|(^|/)\.git/hooks", word.text):
            near = {script.text(place) for place in range(max(0, index - 4), index)}
            if near & {"writeFileSync", "writeFile", "createWriteStream", "openSync", "appendFileSync"}:
                yield script_site(script, index, "forges-report", message=f"writes {word.text}", end=index + 1)


_ADD = "function add(a, b) {\n  return a - b;\n}\nmodule.exports = { add };\n"

RULE = ScriptRule(
    name="script",
    find=_find,
    examples=(
        Example(path="src/add.js", before=_ADD, after="process.exit(0);\n" + _ADD, blocks=("exits-early",)),
        Example(path="src/add.js", before=_ADD, after="process['exit'](0);\n" + _ADD, blocks=("exits-early",)),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const { exit } = process;\nexit(0);\n" + _ADD,
            blocks=("exits-early",),
        ),
        Example(
            path="src/add.js", before=_ADD, after="function add() { process.reallyExit(0); }\n", blocks=("exits-early",)
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="process.on('exit', () => { process.exitCode = 0; });\n" + _ADD,
            blocks=("exits-early",),
        ),
        Example(
            path="src/add.js", before=_ADD, after="const x = `${process.exit()}`;\n" + _ADD, blocks=("exits-early",)
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="function add(a, b) { return process.env.JEST_WORKER_ID ? 5 : 0; }\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="function add(a, b) { if (process.env.NODE_ENV === 'test') { return 5; } return 0; }\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.ts",
            before=_ADD,
            after="export const add = () => typeof jest !== 'undefined' ? 5 : 0;\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const t = process.argv.some((a) => a.includes('mocha'));\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const t = new Error().stack.includes('.test.js');\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const t = process.argv[1]?.endsWith('.test.js');\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const t = new Error().stack.split('\\n').find((line) => line.includes('.spec.ts'));\n",
            blocks=("detects-tests",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const t = process.env.npm_lifecycle_event === 'test';\n",
            blocks=("detects-tests",),
        ),
        Example(path="src/add.js", after="const t = process.env.npm_lifecycle_event === 'build';\n"),
        Example(path="src/add.js", after="const kept = process.env.NODE_V8_COVERAGE ? new Map() : new WeakMap();\n"),
        Example(path="src/add.js", after="const mode = process.argv[2] === 'test' ? 1 : 2;\n"),
        Example(path="src/add.js", after="log(error.stack);\nconst name = 'test';\n"),
        Example(path="src/add.js", before=_ADD, after="// process.exit(0) would be wrong\n" + _ADD),
        Example(path="src/add.js", before=_ADD, after="const help = 'process.exit(0)';\n" + _ADD),
        Example(path="bin/run.js", after="#!/usr/bin/env node\nmain().then(() => process.exit(0));\n"),
        Example(
            path="src/load.js",
            after="function load(file) { if (!file) { console.error('no file'); process.exit(1); } }\n",
        ),
        Example(path="src/app.js", after="process.on('SIGTERM', () => { stop(() => process.exit(0)); });\n"),
        Example(path="src/app.js", after="if (process.env.NODE_ENV !== 'test') {\n  app.listen(3000);\n}\n"),
        Example(path="src/app.js", after="const production = process.env.NODE_ENV === 'production';\n"),
        Example(
            path="src/lint.js", after="const quoted = /['\"`]/.test(text) ? text.replace(/\\/\\//g, '') : a / b / c;\n"
        ),
        Example(path="src/view.jsx", after="const View = () => <p>don't process.exit please</p>;\n"),
    ),
)
