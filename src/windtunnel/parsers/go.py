"""Go: compile errors, panics and fatal errors of the runtime."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, chain, problem
from windtunnel.parsers.text import lines, location

_COMPILE = re.compile(r"([^\s:][^:]*\.go:[0-9]{1,9}(?::[0-9]{1,9})?): (.+)")
_PANIC = re.compile(r"\t*(panic|fatal error): (.*)")
_SYNTAX = "syntax error: "


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """What the compiler refused, or else the panic with the stack of its goroutine."""
    written = lines(stderr)
    return _compile_errors(written) or _panic(written)


def _compile_errors(written: list[str]) -> tuple[Problem, ...]:
    found: list[tuple[str, list[str]]] = []
    for line in written:
        if (match := _COMPILE.fullmatch(line)) is not None:
            found.append((match[1], [match[2]]))
        elif found and line.startswith("\t"):
            found[-1][1].append(line.strip())
    return tuple(_compile_error(where, "\n".join(words)) for where, words in found)


def _compile_error(where: str, message: str) -> Problem:
    place = location(where)
    kind = "syntax error" if message.startswith(_SYNTAX) else "compile error"
    return problem(kind, message.removeprefix(_SYNTAX), frames=() if place is None else (place,))


def _panic(written: list[str]) -> tuple[Problem, ...]:
    """The last panic; one raised while another unwound comes from that other."""
    said = [(index, found) for index, line in enumerate(written) if (found := _PANIC.fullmatch(line)) is not None]
    if not said:
        return ()
    first = max((at for at, (_, found) in enumerate(said) if not found[0].startswith("\t")), default=0)
    said = said[first:]
    frames = _stack(written[said[-1][0] + 1 :])
    *earlier, last = [(found[1], found[2].removesuffix(" [recovered]")) for _, found in said]
    return chain([*(problem(kind, words) for kind, words in earlier), problem(*last, frames=frames)])


def _stack(below: list[str]) -> list[Place]:
    """The frames of the first goroutine, which is the one that panicked."""
    frames: list[Place] = []
    symbol, inside = "", False
    for line in below:
        if inside and not line.strip():
            break
        if line.startswith("goroutine "):
            inside = True
        elif inside and line.startswith("\t"):
            place = location(line.strip().partition(" ")[0], symbol=symbol or None)
            frames.extend([] if place is None else [place])
        elif inside:
            symbol = _symbol(line)
    return frames[::-1]


def _symbol(line: str) -> str:
    if line.startswith("created by "):
        return line.removeprefix("created by ").partition(" in goroutine")[0]
    return line.rpartition("(")[0]


PARSER = Parser(
    name="go",
    languages=("go", "golang"),
    parse=parse,
    causes={
        "no required module provides": (
            "a package outside of the standard library: it is not in the sandbox, or the network is off",
        ),
        "imported and not used": ("an import that nothing uses, which Go refuses",),
        "declared but not used": ("a variable that nothing uses, which Go refuses",),
        "declared and not used": ("a variable that nothing uses, which Go refuses",),
        "undefined: ": ("a misspelt name", "a file of the package that was not sent with the program"),
        "cannot use ": ("a value of another type than expected",),
        "index out of range": ("a slice shorter than expected",),
        "nil pointer dereference": ("a pointer, map or interface that was never given a value",),
        "nil map": ("a map that was declared and not made",),
        "all goroutines are asleep": ("every goroutine waits: for a channel nobody writes to, or a lock nobody frees",),
        "out of memory": ("the program needs more memory than memory_bytes allows",),
    },
    examples=(
        Example(
            stderr="""\
# command-line-arguments
./compile.go:5:2: imported and not used: "os"
./compile.go:9:14: cannot use "x" (untyped string constant) as int value in variable declaration
./compile.go:10:17: undefined: missing
""",
            expected=(
                Problem(
                    kind="compile error",
                    message='imported and not used: "os"',
                    place=Place(file="compile.go", line=5, column=2),
                    frames=(Place(file="compile.go", line=5, column=2),),
                ),
                Problem(
                    kind="compile error",
                    message='cannot use "x" (untyped string constant) as int value in variable declaration',
                    place=Place(file="compile.go", line=9, column=14),
                    frames=(Place(file="compile.go", line=9, column=14),),
                ),
                Problem(
                    kind="compile error",
                    message="undefined: missing",
                    place=Place(file="compile.go", line=10, column=17),
                    frames=(Place(file="compile.go", line=10, column=17),),
                ),
            ),
        ),
        Example(
            stderr="""\
panic: runtime error: index out of range [3] with length 2

goroutine 1 [running]:
main.third(...)
\t/sandbox/panic.go:6
main.main()
\t/sandbox/panic.go:10 +0x1d
exit status 2
""",
            expected=(
                Problem(
                    kind="panic",
                    message="runtime error: index out of range [3] with length 2",
                    place=Place(file="/sandbox/panic.go", line=6, symbol="main.third"),
                    frames=(
                        Place(file="/sandbox/panic.go", line=10, symbol="main.main"),
                        Place(file="/sandbox/panic.go", line=6, symbol="main.third"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
panic: no good

goroutine 17 [running]:
main.work(0xc0000367b8?)
\t/sandbox/goroutine.go:10 +0x7f
created by main.main
\t/sandbox/goroutine.go:16 +0x76
exit status 2
""",
            expected=(
                Problem(
                    kind="panic",
                    message="no good",
                    place=Place(file="/sandbox/goroutine.go", line=10, symbol="main.work"),
                    frames=(
                        Place(file="/sandbox/goroutine.go", line=16, symbol="main.main"),
                        Place(file="/sandbox/goroutine.go", line=10, symbol="main.work"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
exit status 3
""",
        ),
    ),
)
