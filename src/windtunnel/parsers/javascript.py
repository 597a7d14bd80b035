"""JavaScript and TypeScript: node, deno, bun, tsx and tsc."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, chain, fatal_first, innermost, problem
from windtunnel.parsers.text import lines, location, number

_HEAD = re.compile(
    r" *(\[cause\]: |Caused by: |error: )?(?:Uncaught )?(?:\(in promise\) )?\[?"
    r"([A-Z][\w$.]*|error)(?: \[[A-Z_0-9]+\])?(?:: (.*))?"
)
_COMPILER = re.compile(r"([^(]+)\(([0-9]{1,9}),([0-9]{1,9})\): error (TS[0-9]+): (.*)")
_PRETTY_COMPILER = re.compile(r"([^ ]+) - error (TS[0-9]+): (.*)")
_BUNDLER = re.compile(r"([^ ]+): ERROR: (.*)")
_CARET = re.compile(r" *\^+ *")
_HINT = "(Use `node --trace-uncaught"


def parse(stderr: str, stdout: str) -> tuple[Problem, ...]:
    """Errors of the compilers first, then what was thrown."""
    written = lines(stderr)
    found = [error for line in (*written, *lines(stdout)) if (error := _diagnostic(line)) is not None]
    thrown = _traces(written) or _thrown_value(written)
    return (*found, *thrown) or _plain(written)


def _diagnostic(line: str) -> Problem | None:
    if ": error TS" in line and (found := _COMPILER.fullmatch(line)) is not None:
        place = Place(file=found[1], line=int(found[2]), column=int(found[3]))
        return problem(found[4], found[5], frames=(place,))
    if " - error TS" in line and (found := _PRETTY_COMPILER.fullmatch(line)) is not None:
        return _placed(found[2], found[3], found[1])
    if ": ERROR: " in line and (found := _BUNDLER.fullmatch(line)) is not None:
        return _placed("ERROR", found[2], found[1])
    return None


def _placed(kind: str, message: str, where: str) -> Problem | None:
    place = location(where)
    return None if place is None else problem(kind, message, frames=(place,))


def _traces(written: list[str]) -> tuple[Problem, ...]:
    """One error per stack: the words above it, then its frames."""
    chains: list[list[Problem]] = []
    above: list[str] = []
    frames: list[Place] = []
    thrown_at: Place | None = None
    for index, line in enumerate([*written, ""]):
        frame = _frame(line)
        if frame is not None or _left_out(line, within=frames):
            frames.extend([frame] if frame is not None else [])
            continue
        if frames:
            _add(chains, above=above, frames=frames, thrown_at=thrown_at)
            above, frames, thrown_at = [], [], None
        thrown_at = _thrown_at(written, index) or thrown_at
        if line.strip():
            above.append(line)
        else:
            above = []
    # A cause is printed below what it caused, so each chain is turned around.
    return fatal_first([chain(errors[::-1]) for errors in chains])


def _left_out(line: str, *, within: list[Place]) -> bool:
    return bool(within) and line.lstrip().startswith("... ") and line.endswith(" ...")


def _frame(line: str) -> Place | None:
    """A place from ``    at symbol (file:line:column)``; a frame without a file is named all the same."""
    text = line.strip()
    if not line.startswith(" ") or not text.startswith("at "):
        return None
    text = text.removeprefix("at ").removeprefix("async ").removesuffix(" {")
    symbol, _, where = text.rpartition(" (") if text.endswith(")") else ("", "", text)
    where = where.removesuffix(")")
    place = location(where, symbol=symbol or None)
    if place is None or place.file == "native":
        return Place(file=f"<{where.strip('<>')}>", symbol=symbol or None)
    return place


def _thrown_at(written: list[str], index: int) -> Place | None:
    """Node says first of all where it was: the place, the source line, a marker below it."""
    if index + 2 >= len(written) or not _CARET.fullmatch(written[index + 2]):
        return None
    file, _, line = written[index].rpartition(":")
    if not file.startswith(("/", "node:")) or number(line) is None:
        return None
    return Place(file=file, line=number(line), column=written[index + 2].index("^") + 1)


def _add(chains: list[list[Problem]], *, above: list[str], frames: list[Place], thrown_at: Place | None) -> None:
    start, head = next(
        ((at, found) for at, line in enumerate(above) if (found := _HEAD.fullmatch(line)) is not None), (0, None)
    )
    if head is None or (head[3] is None and not head[2].endswith("Error")):
        return
    inner_first = [*frames]
    if thrown_at is not None and innermost(frames) is None:
        inner_first.insert(0, thrown_at)
    message = "\n".join([head[3] or "", *_more(above[start + 1 :])])
    error = problem(head[2], message, frames=inner_first[::-1])
    if head[1] in ("[cause]: ", "Caused by: ") and chains:
        chains[-1].append(error)
    else:
        chains.append([error])


def _more(below: list[str]) -> list[str]:
    """Further lines of the message; none of a source line with its marker, which deno prints there."""
    return [] if any(not line.strip(" |^~") for line in below) else below


def _plain(written: list[str]) -> tuple[Problem, ...]:
    """What bun and deno say when there is no stack at all."""
    said = [line.removeprefix("error: ") for line in written if line.startswith("error: ")]
    return tuple(problem("error", words) for words in said[-1:])


def _thrown_value(written: list[str]) -> tuple[Problem, ...]:
    """What was thrown without being an error: node shows where, and the bare value."""
    for index in range(len(written) - 3):
        place = _thrown_at(written, index)
        if place is not None and any(line.startswith(_HINT) for line in written[index + 4 : index + 5]):
            return (problem("Uncaught", written[index + 3], frames=(place,)),)
    return ()


PARSER = Parser(
    name="javascript",
    languages=("javascript", "js", "node", "nodejs", "typescript", "ts", "tsx", "deno", "bun"),
    parse=parse,
    causes={
        "TypeError": ("a value that is undefined or null is used as an object", "fetch could not reach its target"),
        "ReferenceError": ("a misspelt name", "a missing import or require", "a browser's global used outside of one"),
        "RangeError": ("a recursion without end", "a length or a number out of range"),
        "SyntaxError": (
            "an unclosed bracket or quote near this line",
            "import in a file that is run as CommonJS, or TypeScript run as JavaScript",
            "text that is not JSON given to JSON.parse",
        ),
        "UnhandledPromiseRejection": ("a promise was rejected with something that is no Error, and nothing caught it",),
        "NotCapable": ("deno was not given this permission",),
        "Cannot find module": (
            "the package is not installed in the sandbox, and cannot be from inside the run while the network is off",
            "a misspelt path, or a file of the program that was not sent with it",
        ),
        "Cannot find package": ("the package is not installed in the sandbox, or the network is off",),
        "heap out of memory": ("the program needs more memory than its heap or memory_bytes allows",),
        "is not assignable": ("a value of another type than declared",),
        "Cannot find name": ("a misspelt name", "type definitions that are not installed"),
    },
    examples=(
        Example(
            stderr="""\
/sandbox/cause.js:5
    throw new Error("settings unreadable", { cause: error });
    ^

Error: settings unreadable
    at read (/sandbox/cause.js:5:11)
    at Object.<anonymous> (/sandbox/cause.js:8:1)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/run_main_module:28:49 {
  [cause]: SyntaxError: Expected property name or '}' in JSON at position 1
      at JSON.parse (<anonymous>)
      at read (/sandbox/cause.js:3:10)
      at Object.<anonymous> (/sandbox/cause.js:8:1)
      at Module._compile (node:internal/modules/cjs/loader:1521:14)
      at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)
      at Module.load (node:internal/modules/cjs/loader:1266:32)
      at Module._load (node:internal/modules/cjs/loader:1091:12)
      at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)
      at node:internal/main/run_main_module:28:49
}

Node.js v20.20.2
""",
            expected=chain(
                (
                    Problem(
                        kind="SyntaxError",
                        message="Expected property name or '}' in JSON at position 1",
                        place=Place(file="/sandbox/cause.js", line=3, column=10, symbol="read"),
                        frames=(
                            Place(file="node:internal/main/run_main_module", line=28, column=49),
                            Place(
                                file="node:internal/modules/run_main",
                                line=164,
                                column=12,
                                symbol="Function.executeUserEntryPoint [as runMain]",
                            ),
                            Place(file="node:internal/modules/cjs/loader", line=1091, column=12, symbol="Module._load"),
                            Place(file="node:internal/modules/cjs/loader", line=1266, column=32, symbol="Module.load"),
                            Place(
                                file="node:internal/modules/cjs/loader",
                                line=1623,
                                column=10,
                                symbol="Module._extensions..js",
                            ),
                            Place(
                                file="node:internal/modules/cjs/loader", line=1521, column=14, symbol="Module._compile"
                            ),
                            Place(file="/sandbox/cause.js", line=8, column=1, symbol="Object.<anonymous>"),
                            Place(file="/sandbox/cause.js", line=3, column=10, symbol="read"),
                            Place(file="<anonymous>", symbol="JSON.parse"),
                        ),
                    ),
                    Problem(
                        kind="Error",
                        message="settings unreadable",
                        place=Place(file="/sandbox/cause.js", line=5, column=11, symbol="read"),
                        frames=(
                            Place(file="node:internal/main/run_main_module", line=28, column=49),
                            Place(file="/sandbox/cause.js", line=8, column=1, symbol="Object.<anonymous>"),
                            Place(file="/sandbox/cause.js", line=5, column=11, symbol="read"),
                        ),
                    ),
                )
            ),
        ),
        Example(
            stderr="""\
/sandbox/syntax.js:2
function add(a, b {
                  ^

SyntaxError: Unexpected token '{'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at Module._compile (node:internal/modules/cjs/loader:1495:20)
    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)
    at Module.load (node:internal/modules/cjs/loader:1266:32)
    at Module._load (node:internal/modules/cjs/loader:1091:12)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2
""",
            expected=(
                Problem(
                    kind="SyntaxError",
                    message="Unexpected token '{'",
                    place=Place(file="/sandbox/syntax.js", line=2, column=19),
                    frames=(
                        Place(file="node:internal/main/run_main_module", line=28, column=49),
                        Place(
                            file="node:internal/modules/run_main",
                            line=164,
                            column=12,
                            symbol="Function.executeUserEntryPoint [as runMain]",
                        ),
                        Place(file="node:internal/modules/cjs/loader", line=1091, column=12, symbol="Module._load"),
                        Place(file="node:internal/modules/cjs/loader", line=1266, column=32, symbol="Module.load"),
                        Place(
                            file="node:internal/modules/cjs/loader",
                            line=1623,
                            column=10,
                            symbol="Module._extensions..js",
                        ),
                        Place(file="node:internal/modules/cjs/loader", line=1495, column=20, symbol="Module._compile"),
                        Place(file="node:internal/modules/cjs/loader", line=1464, column=18, symbol="wrapSafe"),
                        Place(file="/sandbox/syntax.js", line=2, column=19),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\

/sandbox/throwvalue.js:1
throw "just text";
^
just text
(Use `node --trace-uncaught ...` to show where the exception was thrown)

Node.js v20.20.2
""",
            expected=(
                Problem(
                    kind="Uncaught",
                    message="just text",
                    place=Place(file="/sandbox/throwvalue.js", line=1, column=1),
                    frames=(Place(file="/sandbox/throwvalue.js", line=1, column=1),),
                ),
            ),
        ),
        Example(
            stderr="""\
error: Uncaught (in promise) TypeError: Cannot read properties of undefined (reading 'toFixed')
  return item.cost.toFixed(2);
                   ^
    at price (file:///sandbox/run.ts:2:20)
    at file:///sandbox/run.ts:4:13
""",
            expected=(
                Problem(
                    kind="TypeError",
                    message="Cannot read properties of undefined (reading 'toFixed')",
                    place=Place(file="/sandbox/run.ts", line=2, column=20, symbol="price"),
                    frames=(
                        Place(file="/sandbox/run.ts", line=4, column=13),
                        Place(file="/sandbox/run.ts", line=2, column=20, symbol="price"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
1 | const a: number = ;
                      ^
error: Unexpected ;
    at /sandbox/syntax.ts:1:19

Bun v1.4.4 (Linux x64)
""",
            expected=(
                Problem(
                    kind="error",
                    message="Unexpected ;",
                    place=Place(file="/sandbox/syntax.ts", line=1, column=19),
                    frames=(Place(file="/sandbox/syntax.ts", line=1, column=19),),
                ),
            ),
        ),
        Example(
            stdout="""\
type.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.
""",
            expected=(
                Problem(
                    kind="TS2322",
                    message="Type 'string' is not assignable to type 'number'.",
                    place=Place(file="type.ts", line=4, column=7),
                    frames=(Place(file="type.ts", line=4, column=7),),
                ),
            ),
        ),
        Example(
            stderr="""\
(node:590) Warning: careful
(Use `node --trace-warnings ...` to show where the warning was created)
""",
        ),
    ),
)
