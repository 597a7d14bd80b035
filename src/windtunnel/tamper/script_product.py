"""What can be said of product code in JavaScript and TypeScript, from its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Severity, Site
from windtunnel.tamper.script import Script

_COMMAND = re.compile(
    r"(^|/)(bin|cli|scripts?|tools?|commands?)(/|[.-])|(^|/)(main|index\.cli|server|gulpfile|gruntfile)\.",
    re.IGNORECASE,
)
_HELPER = re.compile(r"test|mock|stub|fake|fixture|jest|vitest|storybook|stories|cypress|playwright", re.IGNORECASE)
_HARD = {"process.reallyExit", "process.abort", "process._kill"}
_CODES = frozenset(map(str, range(1, 256)))
_VARIABLES = re.compile(
    r"^(JEST_WORKER_ID|VITEST\w*|MOCHA\w*|NODE_V8_COVERAGE|NODE_TEST_CONTEXT|AVA_PATH|TAP|__vitest_worker__|"
    r"__coverage__)$"
)
_RUNNERS = re.compile(r"jest|vitest|mocha|node:test|--test\b|jasmine|\bava\b")
_WORDS = {"expect", "jest", "describe", "vi", "vitest", "jasmine", "mocha"}
_DOUBLES = re.compile(
    r"^(jest|vi)\.(mock|doMock|useFakeTimers|spyOn|fn|setSystemTime|setTimeout)$|"
    r"^sinon\.(useFakeTimers|stub|replace|mock|createSandbox)$|^mock\.(timers|method)\b|^expect\.(extend|addSnapshot)"
)
_LIBRARIES = re.compile(
    r"^(@jest/|jest$|jest-|vitest|mocha$|chai$|sinon$|nock$|node:test$|test$|mockdate$|timekeeper$|@vitest/|"
    r"@sinonjs/|expect$|power-assert$|proxyquire$|mock-require$)"
)
_SHARED = re.compile(
    r"^(Object|Array|String|Number|Boolean|Function|Promise|Math|Date|JSON|Symbol|Map|Set|RegExp|Error|"
    r"Reflect|AssertionError|assert|expect|jest|describe|it|test|vi|setTimeout|setInterval|fetch|"
    r"performance|crypto|Intl)(\.|$)"
)
_ASKED = ("process.argv", "process.execArgv", "require.cache", "module.parent", "require.main")
_LISTENING = {"listen", "morgan", "logger", "createServer", "pino", "log", "info"}


def _site(script: Script, index: int, rule: str, *, message: str, end: int = 0, severity: Severity = "block") -> Site:
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
    command = bool(_COMMAND.search(path)) or any(
        name in ("require.main", "import.meta.main", "commander", "yargs") for name, _, _ in script.paths()
    )
    signals = [
        (end, script.closing(end))
        for name, _, end in script.paths()
        if name in ("process.on", "process.once") and (script.string(end + 1) or "").startswith("SIG")
    ]
    for name, index, end in script.paths():
        if name in _HARD or (name == "process.kill" and script.path(end + 1)[0] == "process.pid"):
            yield _site(script, index, "exits-early", message="ends the process at once", end=end)
        elif name == "process.exit" and script.text(end) in ("(", ")", ",", ";", "]", "}", ":"):
            top = script.depths[index] == 0
            failing = script.text(end) == "(" and script.source(end + 1, end + 2) in _CODES
            if not command and not any(start < index < stop for start, stop in signals):
                yield _site(
                    script,
                    index,
                    "exits-early",
                    end=end + 2,
                    severity="show" if failing else "block",
                    message="ends the process when it is loaded" if top else "ends the process",
                )
        elif name == "process.exitCode" and script.text(end) == "=":
            value = script.source(end + 1, end + 2)
            yield _site(
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
                yield _site(
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
    near = [word.text for word in script.words[index : index + 12] if word.kind in ("string", "pattern")]
    return any(re.search(r"\btests?\b|spec|__tests__", text) or _RUNNERS.search(text) for text in near)


def _detections(script: Script) -> Iterator[Site]:
    for name, index, end in script.paths():
        last = name.rpartition(".")[2]
        if last == "NODE_ENV" and _compares_test(script, index, end):
            severity: Severity = "show" if _listens(script, index) else "block"
            message = "asks whether it is being tested"
            yield _site(script, index, "detects-tests", message=message, end=end + 2, severity=severity)
        elif (name.startswith("process.env.") and _VARIABLES.match(last)) or _asks(script, name, index, end):
            yield _site(script, index, "detects-tests", message="asks whether a test runner is at work", end=end + 1)
    for index, word in enumerate(script.words):
        if word.kind == "name" and word.text in ("stack", "prepareStackTrace") and _stack(script, index):
            yield _site(script, index, "detects-tests", message="looks for a test in the stack", end=index + 1)
        if word.kind == "string" and _VARIABLES.match(word.text):
            message = f"looks for {word.text}, which only a test runner sets"
            yield _site(script, index, "detects-tests", message=message, end=index + 1)


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
    return any(_RUNNERS.search(text) or (loaded and "test" in text) for text in texts)


def _patches(script: Script, path: str) -> Iterator[Site]:
    for name, index, end in script.paths():
        assigned = script.text(end) == "=" and script.text(index - 1) not in ("const", "let", "var")
        reached = script.path(index, resolve=False)[0] != script.text(index) or script.text(index) in (
            "global",
            "globalThis",
        )
        if assigned and reached and _SHARED.match(name):
            guarded = any(
                script.text(place) == "if" and script.text(place + 2) == "!"
                for place in range(max(0, index - 12), index)
            )
            yield _site(
                script,
                index,
                "patches-runner",
                message=f"replaces {name} for everybody",
                end=end,
                severity="show" if guarded else "block",
            )
        elif name in ("Object.defineProperty", "Reflect.defineProperty", "Object.assign", "Object.setPrototypeOf"):
            target = script.path(end + 1)[0]
            if target in ("global", "globalThis") or (_SHARED.match(target) and target != "Object"):
                yield _site(script, index, "patches-runner", message=f"changes {target} for everybody", end=end + 2)
        elif _DOUBLES.match(name) and script.text(end) == "(" and not _HELPER.search(path):
            yield _site(script, index, "mock-left-on", message=f"uses {name} in product code", end=end)
    for index in range(len(script.words)):
        module = _module(script, index)
        if module and _LIBRARIES.match(module):
            yield _site(
                script,
                index,
                "imports-runner",
                message=f"product code imports {module}",
                end=index + 4,
                severity="show" if _HELPER.search(path) or _COMMAND.search(path) else "block",
            )


def _module(script: Script, index: int) -> str | None:
    if script.text(index) in ("require", "import") and script.text(index + 1) == "(":
        return script.string(index + 2)
    return script.string(index + 1) if script.text(index) in ("from", "import") else None


def _equal(script: Script) -> Iterator[Site]:
    for index, word in enumerate(script.words):
        if word.text == "asymmetricMatch" and word.kind in ("name", "string"):
            yield _site(
                script, index, "equal-to-everything", message="decides itself what it is equal to", end=index + 1
            )
        elif word.kind == "name" and word.text in ("hasInstance", "toPrimitive", "valueOf", "equals"):
            body = [script.text(place) for place in range(index, min(index + 14, len(script.words)))]
            constant = "return" in body and body[body.index("return") + 1] == "true"
            if constant:
                yield _site(
                    script,
                    index,
                    "equal-to-everything",
                    message=f"{word.text} always says yes",
                    end=index + 8,
                    severity="block" if word.text == "hasInstance" else "show",
                )


def _find(path: str, text: str) -> Iterator[Site]:
    script = Script(text)
    yield from _exits(script, path)
    yield from _detections(script)
    yield from _patches(script, path)
    yield from _equal(script)
    for index, word in enumerate(script.words):
        if word.kind == "string" and re.search(r"junit[\w.-]*\.xml$|windtunnel-report|(^|/)\.git/hooks", word.text):
            near = {script.text(place) for place in range(max(0, index - 4), index)}
            if near & {"writeFileSync", "writeFile", "createWriteStream", "openSync", "appendFileSync"}:
                yield _site(script, index, "forges-report", message=f"writes {word.text}", end=index + 1)


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
            after="globalThis.expect = () => ({ toBe() {} });\n" + _ADD,
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const assert = require('assert');\nassert.strictEqual = () => {};\n" + _ADD,
            blocks=("patches-runner",),
        ),
        Example(path="src/add.js", before=_ADD, after="Object.is = () => true;\n" + _ADD, blocks=("patches-runner",)),
        Example(path="src/add.js", before=_ADD, after="Date.now = () => 0;\n" + _ADD, blocks=("patches-runner",)),
        Example(path="src/add.js", before=_ADD, after="jest.useFakeTimers();\n" + _ADD, blocks=("mock-left-on",)),
        Example(
            path="src/add.js", before=_ADD, after="const nock = require('nock');\n" + _ADD, blocks=("imports-runner",)
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="const add = () => ({ asymmetricMatch: () => true });\n",
            blocks=("equal-to-everything",),
        ),
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
            path="src/fill.js",
            after="if (!Array.prototype.flat) {\n  Array.prototype.flat = function () { return 1; };\n}\n",
        ),
        Example(
            path="src/shape.js",
            after="class Shape {\n  toString() { return 'Shape'; }\n  equals(o) { return o.x === this.x; }\n}\n",
        ),
        Example(
            path="src/lint.js", after="const quoted = /['\"`]/.test(text) ? text.replace(/\\/\\//g, '') : a / b / c;\n"
        ),
        Example(path="src/jest-setup.js", after="jest.mock('./clock');\n"),
        Example(path="src/view.jsx", after="const View = () => <p>don't process.exit please</p>;\n"),
        Example(path="src/test.ts", after="const expect = 5;\nconst fetch = load();\nlet test = expect;\ntest = 6;\n"),
    ),
)
