"""Scripts that replace what judges them: assertions, the runner, the language, the clock and the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_product import COMMAND, HELPER, script_site

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
_JUDGES = re.compile(r"^(assert(/strict)?|test|chai|expect|should|vitest|@jest/globals|mocha|tap|ava)(\.|$)")
"""Modules that judge, without the prefix that says they are node's own."""
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
        elif name in ("Object.defineProperty", "Reflect.defineProperty", "Object.assign", "Object.setPrototypeOf"):
            target = script.path(end + 1)[0]
            if target in ("global", "globalThis") or (_SHARED.match(target) and target != "Object"):
                yield script_site(
                    script, index, "patches-runner", message=f"changes {target} for everybody", end=end + 2
                )
        elif _DOUBLES.match(name) and script.text(end) == "(" and not HELPER.search(path):
            yield script_site(script, index, "mock-left-on", message=f"uses {name} in product code", end=end)
    yield from _judges(script, path)
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


def _module(script: Script, index: int) -> str | None:
    if script.text(index) in ("require", "import") and script.text(index + 1) == "(":
        return script.string(index + 2)
    return script.string(index + 1) if script.text(index) in ("from", "import") else None


def _names(script: Script) -> set[str]:
    """Names that stand for a module that judges, also as they go through a loop."""
    found = {name for name, base in script.aliases.items() if _JUDGES.match(base)}
    found |= {name for name, base in script.aliases.items() if base.partition(".")[0] in found}
    if not found:
        return found
    for index in range(len(script.words)):
        if script.text(index) != "[":
            continue
        end = script.closing(index)
        if not any(script.text(place) in found for place in range(index + 1, end)):
            continue
        if script.text(index - 1) == "of":
            found.add(script.text(index - 2))
        elif script.text(end + 1) == "." and script.text(end + 3) == "(":
            found.add(script.text(end + 4) if script.text(end + 4) != "(" else script.text(end + 5))
    return found - {"", ")", "("}


def _judges(script: Script, path: str) -> Iterator[Site]:
    """What is done to modules that judge."""
    names = _names(script)
    for name, index, end in script.paths():
        word = script.text(index)
        told = script.text(end) == "=" and bool(_SHARED.match(name))
        if word in names:
            reached = script.path(index, resolve=False)[0] != word
            stop = end
            while script.text(stop) == "[":
                stop, reached = script.closing(stop) + 1, True
            changed = reached and (script.text(stop) == "=" or script.text(index - 1) == "delete")
        elif word == "require" and script.text(end) == "(" and _JUDGES.match(_bare(script.string(end + 1))):
            place = end + 3
            while script.text(place) == ".":
                place += 2
            changed = place > end + 3 and script.text(place) == "="
        else:
            changed = name in _SETTERS and script.text(end + 1) in names
        if changed and not told:
            yield script_site(
                script,
                index,
                "patches-runner",
                message="replaces what judges the tests",
                end=end + 2,
                severity="show" if HELPER.search(path) else "block",
            )


def _bare(module: str | None) -> str:
    return (module or "").removeprefix("node:")


_ADD = "function add(a, b) {\n  return a - b;\n}\nmodule.exports = { add };\n"

RULE = ScriptRule(
    name="script-patching",
    find=lambda path, script: _patches(script, path),
    examples=(
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
            path="src/fill.js",
            after="if (!Array.prototype.flat) {\n  Array.prototype.flat = function () { return 1; };\n}\n",
        ),
        Example(path="src/jest-setup.js", after="jest.mock('./clock');\n"),
        Example(path="src/test.ts", after="const expect = 5;\nconst fetch = load();\nlet test = expect;\ntest = 6;\n"),
        Example(
            path="src/add.js",
            before=_ADD,
            after='import strict from "node:assert/strict";\n'
            'Object.defineProperty(strict, "ok", { value: Boolean });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after='import assert from "node:assert";\nfor (const kind of [assert, assert.strict]) {\n'
            "  kind.equal = kind.ok = () => undefined;\n}\n",
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after='import * as assert from "assert";\n'
            '["equal", "ok"].forEach((name) => { assert[name] = () => {}; });\n',
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            before=_ADD,
            after="require('node:assert').deepEqual = () => {};\n",
            blocks=("patches-runner",),
        ),
        Example(
            path="src/add.js",
            after='import assert, { equal } from "node:assert";\n'
            "assert(1 > 0);\nequal(1, 1);\nconst x = { ok: assert.ok };\n",
        ),
        Example(path="src/add.js", after="for (const row of [first, second]) {\n  row.equal = true;\n}\n"),
    ),
)
