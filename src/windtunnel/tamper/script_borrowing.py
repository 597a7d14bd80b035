"""Scripts that take their answers from the tests: their files, their stored answers, their source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.borrowing import PLACES
from windtunnel.tamper.rule import Example, ScriptRule, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_product import COMMAND, HELPER, script_site

_READERS = {"readFileSync", "readFile", "createReadStream", "readdirSync", "readdir", "existsSync", "openSync"}
_JOINERS = {"join", "resolve", "URL"} | _READERS
_CONFIGURATION = re.compile(r"\.(config|conf|rc)\.|(^|/)\.|(rollup|webpack|gulp|grunt|vite|build)", re.IGNORECASE)
_PLACE = re.compile(r":\(\\d\+\)|\(\\d\+\):")
"""A pattern that takes the line out of an entry of the stack."""
_SHOWING = re.compile(r"trac|debug|log|warn|error|stack|frame|callsite|report", re.IGNORECASE)


def _find(path: str, script: Script) -> Iterator[Site]:
    if HELPER.search(path) or COMMAND.search(path) or _CONFIGURATION.search(path):
        return
    names = {word.text for word in script.words if word.kind == "name"}
    if not names & _READERS:
        return
    for index, word in enumerate(script.words):
        if word.kind == "name" and word.text in _JOINERS and script.text(index + 1) == "(":
            end = script.closing(index + 1)
            place = "/".join(
                re.sub(r"\$\{[^}]*\}", "*", each.text).strip("`./")
                for each in script.words[index + 2 : end]
                if each.kind in ("string", "template")
            )
            if PLACES.search(place):
                yield script_site(
                    script, index, "reads-tests", message=f"reads {place}, which belongs to the tests", end=end
                )
        elif word.kind == "pattern" and "stack" in names and _PLACE.search(word.text) and not _SHOWING.search(path):
            yield script_site(script, index, "reads-tests", message="reads the source of its caller", end=index + 1)


RULE = ScriptRule(
    name="script-borrowing",
    find=_find,
    examples=(
        Example(
            path="src/show.js",
            after="import { readFileSync } from 'node:fs';\n"
            "export const show = () => readFileSync('test/data/cart.txt', 'utf8');\n",
            blocks=("reads-tests",),
        ),
        Example(
            path="src/show.js",
            after="const fs = require('fs');\nconst path = require('path');\n"
            "const file = path.join(__dirname, '..', '__snapshots__', 'cart.snap');\n"
            "module.exports = () => fs.readFileSync(file);\n",
            blocks=("reads-tests",),
        ),
        Example(
            path="src/show.js",
            after="import { readFileSync } from 'node:fs';\nexport function show() {\n"
            "  const [, file, line] = /(file:.*?):(\\d+):\\d+/.exec(new Error().stack);\n"
            "  return readFileSync(new URL(file), 'utf8').split('\\n')[line - 1];\n}\n",
            blocks=("reads-tests",),
        ),
        Example(
            path="src/show.js",
            after="import { readFileSync } from 'node:fs';\n"
            "export const show = () => readFileSync('templates/cart.txt', 'utf8');\n",
        ),
        Example(path="src/show.js", after="const names = ['test', 'docs'].join('/');\n"),
        Example(
            path="scripts/update.js",
            after="const fs = require('fs');\nfs.readFileSync('test/data/cart.txt');\n",
        ),
    ),
)
