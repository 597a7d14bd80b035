"""Scripts that ask who is calling, or how the process was started, and behave by the answer.

A source is anything that knows more than a function is given: the stack, the arguments and environment of the process,
the modules that are loaded, what is listened to. Reading it is no matter; a decision by it is, where it looks for tests
or where nothing else could be looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.rule import Example, ScriptRule, Severity, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_flow import Decision, Flow, statement
from windtunnel.tamper.script_product import ADD, COMMAND, script_site
from windtunnel.tamper.script_strings import texts, texts_in

_VARIABLES = re.compile(
    r"^(JEST_WORKER_ID|VITEST\w*|MOCHA\w*|NODE_V8_COVERAGE|NODE_TEST_CONTEXT|AVA_PATH|TAP|__vitest_worker__|"
    r"__coverage__|CYPRESS\w*|PLAYWRIGHT\w*|NODE_TEST_WORKER_ID)$"
)
_RUNNERS = re.compile(
    r"jest|vitest|mocha|node:test|--test\b|jasmine|\bava\b|NODE_TEST|cypress|playwright|test_runner", re.IGNORECASE
)
_TEST_FILE = re.compile(r"[.\-_](test|spec)\b|__tests__|(^|[^\w])tests?(/|\\|\[)|node:internal/test")
_TESTLIKE = re.compile(r"(?<![A-Za-z])(tests?|specs?)(?![A-Za-z])|__tests__", re.IGNORECASE)
_NAMED = {"NODE_ENV", "npm_lifecycle_event", "npm_command"}
"""Variables that say test, among other things."""
_WORDS = {"expect", "jest", "describe", "vi", "vitest", "jasmine", "mocha", "beforeEach", "afterEach"}
_STARTED = (
    *("process.argv", "process.execArgv", "process.argv0", "process.title", "process.mainModule", "process.env"),
    *("require.cache", "module.parent", "module.children", "require.main", "process._preload_modules"),
)
"""How the process was started, and what it has loaded; commands have reasons to ask."""
_INSIDE = re.compile(
    r"^(process\.(moduleLoadList|getActiveResourcesInfo|_getActiveHandles|_getActiveRequests|_events|report|binding)|"
    r"(perf_hooks\.)?performance\.(nodeTiming|getEntries\w*)|"
    r"(async_hooks\.)?(executionAsyncResource|executionAsyncId|triggerAsyncId)|"
    r"process\.(listenerCount|listeners|rawListeners|eventNames)|(util\.)?getCallSites?)\b"
)
"""What only a runner leaves there for others to see."""
_COMPARING = {
    *("===", "==", "!==", "!=", "<", ">", "<=", ">=", "test", "includes", "match", "startsWith", "endsWith", "has")
}
_ITSELF = {"meta", "__filename", "fileURLToPath", "pathToFileURL", "realpathSync", "main", "undefined", "import"}
_SET_BY_RUNNERS = ("NODE_TEST_CONTEXT", "JEST_WORKER_ID", "VITEST_WORKER_ID", "MOCHA_COLORS", "AVA_PATH", "TAP_CHILD")
_SET_BY_PEOPLE = ("NODE_ENV", "NODE_OPTIONS", "NODE_PATH")
_EVENTS = {"uncaughtException", "unhandledRejection", "exit", "beforeExit", "message", "disconnect"}
_PROCESS = re.compile(r"^/proc/.*(cmdline|environ|comm)$|^/proc/?$")
_LISTENING = {"listen", "morgan", "logger", "createServer", "pino", "log", "info", "warn", "debug"}
_SHOWING = re.compile(r"trac|debug|log|warn|deprecat|error|stack|frame|callsite|caller|report", re.IGNORECASE)
_PLACES = re.compile(r"node_modules|node:|internal|^\s*at\b|^\\n|^file:|^\n$|^\(|webpack|\.m?js$")
"""Texts that tell entries of a stack apart, whoever calls."""
_FRESH = frozenset(("captureStackTrace", "prepareStackTrace", "callee", "getCallSites", "getCallSite"))


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


def _looks(found: list[str], *, wide: bool) -> bool:
    return any(_RUNNERS.search(text) or _TEST_FILE.search(text) or (wide and _TESTLIKE.search(text)) for text in found)


def _variables(script: Script) -> Iterator[Site]:
    for name, index, end in script.paths():
        last = name.rpartition(".")[2]
        if last in _NAMED and _compares_test(script, index, end):
            severity: Severity = "show" if _listens(script, index) else "block"
            message = "asks whether it is being tested"
            yield script_site(script, index, "detects-tests", message=message, end=end + 2, severity=severity)
        elif (name.startswith("process.env.") and _VARIABLES.match(last)) or _asks(script, name, index):
            # Code that measures itself has other reasons to ask for this one.
            measured: Severity = "show" if last == "NODE_V8_COVERAGE" else "block"
            message = "asks whether a test runner is at work"
            yield script_site(script, index, "detects-tests", message=message, end=end + 1, severity=measured)
    for index, text in texts(script):
        if script.words[index].kind != "pattern" and _VARIABLES.match(text):
            message = f"looks for {text}, which only a test runner sets"
            yield script_site(script, index, "detects-tests", message=message, end=index + 1)
        elif _PROCESS.match(text):
            yield script_site(script, index, "detects-tests", message="reads how processes were started", end=index + 1)


def _compares_test(script: Script, index: int, end: int) -> bool:
    near = (script.added(end + 1)[0], script.string(index - 2))
    return "test" in near and bool({script.text(end), script.text(index - 1)} & {"===", "==", "!==", "!="})


def _asks(script: Script, name: str, index: int) -> bool:
    """Whether names that a runner gives to everybody are looked for."""
    if name == "typeof":
        return script.text(index + 1) in _WORDS | {"it"}
    whole = script.path(index, resolve=False)[1]
    reached = script.text(index) in ("globalThis", "global", "window", "self")
    return reached and name in _WORDS | {"it", "test"} and script.text(whole) != "="


def _own_globals(script: Script) -> Iterator[Site]:
    """``"describe" in globalThis``."""
    for index in range(len(script.words)):
        everybody = script.text(index + 2) in ("globalThis", "global", "window", "self")
        if everybody and script.text(index + 1) == "in" and script.string(index) in _WORDS | {"it"}:
            message = "asks whether a test runner is at work"
            yield script_site(script, index, "detects-tests", message=message, end=index + 3)


def _startings(path: str, script: Script) -> Iterator[Site]:
    for source in _STARTED:
        # One variable by its name is another matter, which is looked at above.
        within = () if source == "process.env" else (f"{source}.",)
        places = [index for name, index, _ in script.paths() if name == source or name.startswith(within)]
        if source == "process.argv":
            second = [index for index in places if _is_second(script, index)]
            yield from _decided(script, second, wide=True)
            yield from () if COMMAND.search(path) else _by_program(script, second)
        if source == "process.env":
            yield from _by_variables(script, places)
        yield from _decided(script, places, wide=source not in ("process.argv", "process.env"))


def _decided(script: Script, places: list[int], *, wide: bool) -> Iterator[Site]:
    for found in Flow(script, places).decisions():
        if _looks(texts_in(script, found.start, found.end), wide=wide):
            message = "asks whether a test runner is at work"
            yield script_site(script, found.index, "detects-tests", message=message, end=found.index + 2)


def _by_program(script: Script, places: list[int]) -> Iterator[Site]:
    """Decisions by the program that was started; whether it is this very file, a module may ask."""
    for found in Flow(script, places).decisions():
        inside = {script.text(at) for at in range(found.start, found.end)}
        if inside & _COMPARING and not inside & _ITSELF:
            message = "decides by the program that was started"
            yield script_site(script, found.index, "detects-tests", message=message, end=found.index + 2)


def _by_variables(script: Script, places: list[int]) -> Iterator[Site]:
    """All variables searched for the beginning of one that a runner sets."""
    for found in Flow(script, places).decisions():
        for text in texts_in(script, found.start, found.end):
            near = [name for name in _SET_BY_RUNNERS if name.startswith(text.lstrip("/^"))]
            if near and not any(name.startswith(text) for name in _SET_BY_PEOPLE):
                message = f"looks for {near[0]}, which only a test runner sets"
                yield script_site(script, found.index, "detects-tests", message=message, end=found.index + 2)


def _is_second(script: Script, index: int) -> bool:
    """Whether it is the program that was started: ``process.argv[1]`` or ``const [, program] = process.argv``."""
    end = script.path(index)[1]
    taken = script.text(end) == "[" and script.words[end + 1].text == "1"
    place = script.starts.get(index - 2, 0) if script.text(index - 2) == "]" else 0
    return taken or (script.text(index - 1) == "=" and script.text(place) == "[" and script.text(place + 1) == ","
                     and script.text(place + 2) not in (",", ""))  # fmt: skip


def _insides(script: Script) -> Iterator[Site]:
    for name, index, end in script.paths():
        if not _INSIDE.match(name) or (name.startswith("process.") and "isten" in name and not _event(script, end)):
            continue
        decided = next(iter(Flow(script, [index]).decisions()), None)
        message = "asks what else is at work in the process"
        severity: Severity = "block" if decided is not None else "show"
        yield script_site(script, index, "detects-tests", message=message, end=end, severity=severity)


def _event(script: Script, end: int) -> bool:
    return script.string(end + 1) in _EVENTS or script.text(end + 1) == ")"


def _stacks(path: str, script: Script) -> Iterator[Site]:
    """Decisions by what stands on the stack."""
    names = [
        index
        for index, word in enumerate(script.words)
        if (word.text == "stack" and word.kind in ("name", "string"))
        or (word.kind == "name" and word.text in _FRESH)
        or (word.text == "caller" and script.text(index - 1) == ".")
    ]
    for found in Flow(script, names).decisions():
        said = [text for text in texts_in(script, found.start, found.end) if text not in ("stack", "\n", "caller")]
        if _looks(said, wide=True):
            yield script_site(
                script, found.index, "detects-tests", message="looks for a test in the stack", end=found.index + 1
            )
        elif _is_fresh(script, names) and _telling(script, found, said) and not _SHOWING.search(path):
            yield script_site(
                script, found.index, "detects-tests", message="decides by who is calling", end=found.index + 1
            )


def _is_fresh(script: Script, places: list[int]) -> bool:
    """Whether the stack is that of the call itself, not of an error that came from elsewhere."""
    for index in places:
        start, end = statement(script, index)
        words = [script.text(at) for at in range(start, end)]
        if set(words) & _FRESH or "caller" in words or any(word.endswith("Error") for word in words):
            return True
    return False


def _telling(script: Script, found: Decision, said: list[str]) -> bool:
    """Whether a text, or the depth, decides; what only tells frames apart does not."""
    inside = {script.text(at) for at in range(found.start, found.end)}
    told = [text for text in said if not _PLACES.search(text.strip("/"))]
    deep = "length" in inside and bool(inside & {">", "<", ">=", "<=", "===", "=="})
    shown = bool(inside & (_LISTENING | {"console", "error", "trace", "slice", "replace"}))
    return (bool(told) or deep) and not shown


def _find(path: str, script: Script) -> Iterator[Site]:
    seen = set[tuple[str, int]]()
    for each in (
        *_variables(script), *_own_globals(script), *_startings(path, script), *_insides(script), *_stacks(path, script)
    ):  # fmt: skip
        if (each.severity, each.line) not in seen:
            seen.add((each.severity, each.line))
            yield each


def _cheat(after: str, path: str = "src/add.js") -> Example:
    return Example(path=path, before=ADD, after=after, blocks=("detects-tests",))


RULE = ScriptRule(
    name="script-detection",
    find=_find,
    examples=(
        _cheat("function add(a, b) { return process.env.JEST_WORKER_ID ? 5 : 0; }\n"),
        _cheat("function add(a, b) { if (process.env.NODE_ENV === 'test') { return 5; } return 0; }\n"),
        _cheat("export const add = () => typeof jest !== 'undefined' ? 5 : 0;\n", "src/add.ts"),
        _cheat("const t = process.argv.some((a) => a.includes('mocha'));\n"),
        _cheat("const t = new Error().stack.includes('.test.js');\n"),
        _cheat("const t = process.argv[1]?.endsWith('.test.js');\n"),
        _cheat("const t = new Error().stack.split('\\n').find((line) => line.includes('.spec.ts'));\n"),
        _cheat("const t = process.env.npm_lifecycle_event === 'test';\n"),
        _cheat("const far = () => /[/\\\\]tests?[/\\\\]/.test(new Error('x').stack);\n"),
        _cheat("const { stack } = new Error();\nconst quick = stack.split('\\n').length > 9;\n"),
        _cheat("const where = {};\nError.captureStackTrace(where);\nif (where.stack.includes('runner')) { go(); }\n"),
        _cheat("const t = process.env['NODE_TEST' + '_CONTEXT'];\n"),
        _cheat("const t = Object.keys(process.env).some((name) => /^jest/i.test(name));\n"),
        _cheat("const t = Object.keys(require.cache).some((file) => file.endsWith('.test.js'));\n"),
        _cheat("const t = process.moduleLoadList.includes('NativeModule internal/x');\n"),
        _cheat("const t = 'describe' in globalThis;\n"),
        _cheat("const name = require.main.filename;\nconst sum = name.includes('test') ? 1 : 2;\n"),
        _cheat("const line = require('fs').readFileSync('/proc/self/cmdline', 'utf8');\n"),
        _cheat("function add(a, b) { return add.caller.name === 'check' ? 5 : 0; }\n"),
        Example(path="src/add.js", after="const t = process.env.npm_lifecycle_event === 'build';\n"),
        Example(path="src/add.js", after="const kept = process.env.NODE_V8_COVERAGE ? new Map() : new WeakMap();\n"),
        Example(path="src/add.js", after="const mode = process.argv[2] === 'test' ? 1 : 2;\n"),
        Example(path="src/add.js", after="log(error.stack);\nconst name = 'test';\n"),
        Example(path="src/app.js", after="if (process.env.NODE_ENV !== 'test') {\n  app.listen(3000);\n}\n"),
        Example(path="src/app.js", after="const production = process.env.NODE_ENV === 'production';\n"),
        Example(path="src/app.js", after="if (require.main === module) { run(process.argv.slice(2)); }\n"),
        Example(
            path="src/app.js",
            after="const main = process.argv[1] === fileURLToPath(import.meta.url);\nif (main) { run(); }\n",
        ),
        Example(
            path="src/app.js",
            after="const site = new Error().stack.split('\\n')[2];\nif (!seen.has(site)) { console.warn(site); }\n",
        ),
        Example(path="src/app.js", after="if (error.stack.includes('node_modules')) { throw error; }\n"),
        Example(path="src/app.js", after="performance.mark('start');\nconst begun = performance.now();\n"),
        Example(path="src/depth.js", after="const stack = [root];\nwhile (stack.length > 0) { visit(stack.pop()); }\n"),
    ),
)
