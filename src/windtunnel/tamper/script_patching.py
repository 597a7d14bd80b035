"""Scripts that replace what judges them: assertions, the runner, the language, the clock and the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Severity, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_flow import Flow
from windtunnel.tamper.script_product import ADD, COMMAND, HELPER, script_site
from windtunnel.tamper.script_strings import texts, texts_in

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
    r"performance|crypto|Intl|EventEmitter|structuredClone|queueMicrotask|"
    r"process\.(exit|emit|on|once|nextTick|hrtime|kill|reallyExit|_fatalException|stdout\.write|stderr\.write))(\.|$)"
)
_JUDGES = re.compile(r"^(assert(/strict)?|test|chai|expect|should|vitest|@jest/globals|mocha|tap|ava)(\.|$)")
"""Modules that judge, without the prefix that says they are node's own."""
_BUILTIN = frozenset(
    {
        *("fs", "fs/promises", "events", "util", "http", "https", "net", "os", "path", "timers", "timers/promises"),
        *("child_process", "crypto", "stream", "url", "vm", "worker_threads", "perf_hooks", "async_hooks", "module"),
    }
)
_RUNNING = frozenset(("eval", "Function", "runInThisContext", "runInNewContext", "runInContext", "compileFunction"))
_DECODING = frozenset(("atob", "Buffer", "fromCharCode", "unescape", "decodeURIComponent", "inflateSync", "gunzipSync"))
_REPLACING = re.compile(
    r"\b(describe|it|test|expect|assert|process|Error|Object|Array|Promise|globalThis)\b(\.\w+)*\s*=(?![=>])"
)
MOST_RUN = 60
_PROTOTYPES = {"Object.getPrototypeOf", "Reflect.getPrototypeOf"}
_STUBS = {"spyOn", "stub", "replace", "method"}
_HOOKED = {"module.register", "module.registerHooks", "Module.register", "Module.registerHooks", "Module._initPaths"}
_LOADING = re.compile(
    r"^([Mm]odule\.(Module\.)?(_load|_resolveFilename|_extensions|_cache|_compile|prototype\.\w+|wrap|wrapper)|"
    r"require\.(cache|extensions|resolve))(\.|$)"
)
_SETTERS = {
    "Object.defineProperty",
    "Object.defineProperties",
    "Reflect.defineProperty",
    "Reflect.set",
    "Object.assign",
    "Object.setPrototypeOf",
    "Reflect.deleteProperty",
}


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
            yield script_site(
                script,
                index,
                "patches-runner",
                message=f"replaces {name} for everybody",
                end=end,
                severity="show" if guarded else "block",
            )
        elif name in _SETTERS and script.text(end) == "(":
            yield from _set(script, index, end)
        elif _DOUBLES.match(name) and script.text(end) == "(" and not HELPER.search(path):
            yield script_site(script, index, "mock-left-on", message=f"uses {name} in product code", end=end)
    yield from _judges(script, path)
    yield from _loaders(script, path)
    yield from _builtins(script)
    yield from _evaluated(script)
    for index in range(len(script.words)):
        module = _module(script, index)
        if module and _LIBRARIES.match(module):
            yield script_site(
                script,
                index,
                "imports-runner",
                message=f"product code imports {module}",
                end=index + 4,
                severity="show" if HELPER.search(path) or COMMAND.search(path) else "block",
            )


def _set(script: Script, index: int, end: int) -> Iterator[Site]:
    """Something that everybody shares, changed by a function; a new name for everybody is only shown."""
    target, after = script.path(end + 1)
    everybody = target in ("global", "globalThis", "window", "self")
    if everybody or (_SHARED.match(target) and target != "Object"):
        name = script.added(after + 1)[0] if script.string(after + 1) is not None else ""
        own = everybody and bool(name) and not _SHARED.match(name)
        severity: Severity = "show" if own else "block"
        message = f"changes {target} for everybody"
        yield script_site(script, index, "patches-runner", message=message, end=end + 2, severity=severity)


def _builtins(script: Script) -> Iterator[Site]:
    """Functions of node's own modules that are replaced for everybody; a setting of theirs may be set."""
    for name, index, end in script.paths():
        base = script.aliases.get(script.text(index), "").partition(".")[0]
        if base in _BUILTIN and script.text(end) == "=" and script.path(index, resolve=False)[0] != script.text(index):
            made = script.text(end + 1) in ("function", "async", "(") or script.text(end + 2) == "=>"
            severity: Severity = "block" if made else "show"
            message = f"replaces {name} for everybody"
            yield script_site(script, index, "patches-runner", message=message, end=end, severity=severity)


def _evaluated(script: Script) -> Iterator[Site]:
    """Code in a text that is run: what it replaces, and that it was decoded first."""
    for index, word in enumerate(script.words):
        if word.kind != "name" or word.text not in _RUNNING or script.text(index + 1) != "(":
            continue
        end = script.closing(index + 1)
        decoded = any(script.text(at) in _DECODING for at in range(index, min(end, index + MOST_RUN)))
        found = next((text for text in texts_in(script, index, end) if _REPLACING.search(text)), "")
        if found or decoded:
            message = "runs code that replaces what everybody uses" if found else "runs code that is not written here"
            rule = "patches-runner" if found else "hides-code"
            yield script_site(script, index, rule, message=message, end=end)


def _module(script: Script, index: int) -> str | None:
    if script.text(index) in ("require", "import") and script.text(index + 1) == "(":
        return script.string(index + 2)
    return script.string(index + 1) if script.text(index) in ("from", "import") else None


def _bare(module: str) -> str:
    return module.removeprefix("node:")


def _sources(script: Script) -> list[int]:
    """Where a module that judges comes into the file: imported, required, got from the loader, or as a prototype."""
    found = [
        index
        for index, word in enumerate(script.words)
        if word.kind == "name" and _JUDGES.match(script.aliases.get(word.text, "")) and script.text(index - 1) != "."
    ]
    found += [
        index
        for index, text in texts(script)
        if script.text(index - 1) == "(" and script.words[index].kind != "pattern" and _JUDGES.match(_bare(text))
    ]
    return found + [index for name, index, _ in script.paths() if name in _PROTOTYPES or ".__proto__" in name]


def _chain(script: Script, index: int) -> tuple[int, bool]:
    """Where what is taken out of a value ends, and whether something is."""
    place, reached = index + 1, "." in script.path(index, resolve=False)[0]
    while place < len(script.words):
        if script.text(place) == "." and script.text(place + 1):
            place, reached = place + 2, True
        elif script.text(place) == "[":
            place, reached = script.closing(place) + 1, True
        elif script.text(place) == ")":
            place += 1
        elif script.text(place) == "(" and place == index + 1:
            place = script.closing(place) + 1
        else:
            break
    return place, reached


def _judges(script: Script, path: str) -> Iterator[Site]:
    """What is done to modules that judge, and to whatever was made of them."""
    sources = _sources(script)
    for index in sorted(Flow(script, sources).places) if sources else ():
        end, reached = _chain(script, index)
        start = index
        while script.text(start - 1) in ("(", "await"):
            start -= 1
        name, stop = script.path(index)
        told = stop == end and bool(_SHARED.match(name))
        written = reached and script.text(end) == "=" and not told
        deleted = reached and script.text(start - 1) == "delete"
        called = script.text(start - 2) if script.text(start) == "(" else script.text(start - 1)
        handed = any(
            script.path(at)[0] in _SETTERS and script.path(at)[1] == start for at in range(max(0, start - 6), start)
        )
        if written or deleted or handed or (called in _STUBS and script.text(start) == "("):
            yield script_site(
                script,
                index,
                "patches-runner",
                message="replaces what judges the tests",
                end=end + 2,
                severity="show" if HELPER.search(path) else "block",
            )


def _loaders(script: Script, path: str) -> Iterator[Site]:
    """Hands on how modules are found, with which anything can be put in the place of anything."""
    for name, index, end in script.paths():
        hooked = name in _HOOKED and script.text(end) == "("
        put = _LOADING.match(name) and (script.text(end) == "=" or script.text(_chain(script, end - 1)[0]) == "=")
        if (hooked or put) and script.text(index - 1) not in ("import", "{", ","):
            severity: Severity = "show" if COMMAND.search(path) else "block"
            message = "changes how modules are found"
            yield script_site(script, index, "patches-runner", message=message, end=end + 1, severity=severity)


RULE = ScriptRule(
    name="script-patching",
    find=lambda path, script: _patches(script, path),
    examples=(
        Example(
            path="src/add.js",
            before=ADD,
            after="globalThis.expect = () => ({ toBe() {} });\n" + ADD,
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after="const assert = require('assert');\nassert.strictEqual = () => {};\n" + ADD,
            blocks=("patches-runner",),
        ),
        Example(path="src/add.js", before=ADD, after="Object.is = () => true;\n" + ADD, blocks=("patches-runner",)),
        Example(path="src/add.js", before=ADD, after="Date.now = () => 0;\n" + ADD, blocks=("patches-runner",)),
        Example(path="src/add.js", before=ADD, after="jest.useFakeTimers();\n" + ADD, blocks=("mock-left-on",)),
        Example(
            path="src/add.js", before=ADD, after="const nock = require('nock');\n" + ADD, blocks=("imports-runner",)
        ),
        Example(
            path="src/fill.js",
            after="if (!Array.prototype.flat) {\n  Array.prototype.flat = function () { return 1; };\n}\n",
        ),
        Example(path="src/jest-setup.js", after="jest.mock('./clock');\n"),
        Example(path="src/test.ts", after="const expect = 5;\nconst fetch = load();\nlet test = expect;\ntest = 6;\n"),
        Example(
            path="src/add.js",
            before=ADD,
            after='import strict from "node:assert/strict";\n'
            'Object.defineProperty(strict, "ok", { value: Boolean });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='import assert from "node:assert";\nfor (const kind of [assert, assert.strict]) {\n'
            "  kind.equal = kind.ok = () => undefined;\n}\n",
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='import * as assert from "assert";\n'
            '["equal", "ok"].forEach((name) => { assert[name] = () => {}; });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after="require('node:assert').deepEqual = () => {};\n",
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            after='import assert, { equal } from "node:assert";\n'
            "assert(1 > 0);\nequal(1, 1);\nconst x = { ok: assert.ok };\n",
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='(await import("node:assert")).default.equal = () => {};\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='import("node:assert").then((found) => { found.default.ok = () => {}; });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\n'
            'const { strict } = load("node:" + "assert");\nReflect.set(strict, "equal", () => {});\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='const judge = process.getBuiltinModule("assert");\n'
            'for (const name of ["ok"]) { judge[name] = Boolean; }\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='import { register } from "node:module";\nregister("./hooks.js", import.meta.url);\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after='const Module = require("module");\nModule._load = (name) => ({ name });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after="const shape = Object.getPrototypeOf([]);\nshape.includes = () => true;\n",
            blocks=("patches-runner",),
        ),
        Example(path="src/add.js", after='Object.defineProperty(globalThis, "sums", { value: new Map() });\n'),
        Example(path="src/add.js", after="const kind = Object.getPrototypeOf(value) === Object.prototype;\n"),
        Example(
            path="src/add.js",
            before=ADD,
            after="const events = require('events');\n"
            "events.EventEmitter.prototype.emit = function () { return true; };\n",
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after="require('vm').runInThisContext('describe = (name, body) => {}');\n",
            blocks=("patches-runner",),
        ),
        Example(path="src/add.js", before=ADD, after="eval(atob('cHJvY2Vzcw=='));\n", blocks=("hides-code",)),
        Example(
            path="src/add.js",
            after="const http = require('node:http');\nhttp.globalAgent.maxSockets = 50;\n"
            "const sum = new Function('a', 'b', 'return a + b');\n",
        ),
        Example(path="src/add.js", after="for (const row of [first, second]) {\n  row.equal = true;\n}\n"),
    ),
)
