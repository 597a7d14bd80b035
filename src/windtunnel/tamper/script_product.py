"""What can be said of product code in JavaScript and TypeScript, from its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Severity, Site
from windtunnel.tamper.script import Script

COMMAND = re.compile(
    r"(^|/)(bin|cli|scripts?|tools?|commands?|bench|benchmarks?|examples?)(/|[.-])|(^|/)(main|index\.cli|server|gulpfile|gruntfile)\.",
    re.IGNORECASE,
)
HELPER = re.compile(r"test|mock|stub|fake|fixture|jest|vitest|storybook|stories|cypress|playwright", re.IGNORECASE)
_HARD = {"process.reallyExit", "process.abort", "process._kill"}
_CODES = frozenset(map(str, range(1, 256)))


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


def _find(path: str, script: Script) -> Iterator[Site]:
    yield from _exits(script, path)
    for index, word in enumerate(script.words):
        if word.kind == "string" and re.search(r"junit[\w.-]*\.xml$|windtunnel-report|(^|/)\.git/hooks", word.text):
            near = {script.text(place) for place in range(max(0, index - 4), index)}
            if near & {"writeFileSync", "writeFile", "createWriteStream", "openSync", "appendFileSync"}:
                yield script_site(script, index, "forges-report", message=f"writes {word.text}", end=index + 1)


ADD = "function add(a, b) {\n  return a - b;\n}\nmodule.exports = { add };\n"

RULE = ScriptRule(
    name="script",
    find=_find,
    examples=(
        Example(path="src/add.js", before=ADD, after="process.exit(0);\n" + ADD, blocks=("exits-early",)),
        Example(path="src/add.js", before=ADD, after="process['exit'](0);\n" + ADD, blocks=("exits-early",)),
        Example(
            path="src/add.js",
            before=ADD,
            after="const { exit } = process;\nexit(0);\n" + ADD,
            blocks=("exits-early",),
        ),
        Example(
            path="src/add.js", before=ADD, after="function add() { process.reallyExit(0); }\n", blocks=("exits-early",)
        ),
        Example(
            path="src/add.js",
            before=ADD,
            after="process.on('exit', () => { process.exitCode = 0; });\n" + ADD,
            blocks=("exits-early",),
        ),
        Example(path="src/add.js", before=ADD, after="const x = `${process.exit()}`;\n" + ADD, blocks=("exits-early",)),
        Example(path="src/add.js", before=ADD, after="// process.exit(0) would be wrong\n" + ADD),
        Example(path="src/add.js", before=ADD, after="const help = 'process.exit(0)';\n" + ADD),
        Example(path="bin/run.js", after="#!/usr/bin/env node\nmain().then(() => process.exit(0));\n"),
        Example(
            path="src/load.js",
            after="function load(file) { if (!file) { console.error('no file'); process.exit(1); } }\n",
        ),
        Example(path="src/app.js", after="process.on('SIGTERM', () => { stop(() => process.exit(0)); });\n"),
        Example(
            path="src/lint.js", after="const quoted = /['\"`]/.test(text) ? text.replace(/\\/\\//g, '') : a / b / c;\n"
        ),
        Example(path="src/view.jsx", after="const View = () => <p>don't process.exit please</p>;\n"),
    ),
)
