"""Java: errors of the compiler, exceptions and what they were caused by.

A stack names files without folders; a frame counts as the program's own when it is in no module of the JDK.
"""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, chain, fatal_first, problem
from windtunnel.parsers.text import lines, number

_COMPILE = re.compile(r"([^:]+\.java):([0-9]{1,9}): error: (.*)")
_THROWN = re.compile(r'(?:Exception in thread "[^"]*" )([\w.$]+)(?:: (.*))?')
_BARE = re.compile(r"((?:[\w$]+\.)+[\w$]*(?:Exception|Error))(?:: (.*))?")
_CAUSED = re.compile(r"Caused by: ([\w.$]+)(?:: (.*))?")
_FRAME = re.compile(r"\s+at ([^()]+)\(([^()]*)\)")
_DETAIL = re.compile(r"  [a-z]+: +.*")
_LIBRARY = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """What the compiler refused, or else every exception, the one that ended the program first."""
    written = lines(stderr)
    return _compile_errors(written) or _exceptions(written)


def _compile_errors(written: list[str]) -> tuple[Problem, ...]:
    found: list[Problem] = []
    for index, line in enumerate(written):
        if (error := _COMPILE.fullmatch(line)) is not None:
            below = written[index + 1 : index + 6]
            place = Place(file=error[1], line=int(error[2]), column=_column(below))
            words = [error[3], *(part.strip() for part in below if _DETAIL.fullmatch(part))]
            found.append(problem("error", "\n".join(words), frames=(place,)))
    return tuple(found)


def _column(below: list[str]) -> int | None:
    return below[1].index("^") + 1 if len(below) > 1 and below[1].strip() == "^" else None


def _exceptions(written: list[str]) -> tuple[Problem, ...]:
    chains: list[list[tuple[str, list[str], list[Place]]]] = []
    skipping = False
    for line in written:
        thrown = _THROWN.fullmatch(line) or _BARE.fullmatch(line)
        caused = _CAUSED.fullmatch(line) if chains else None
        if thrown is not None:
            chains.append([(thrown[1], [thrown[2] or ""], [])])
        elif caused is not None:
            chains[-1].append((caused[1], [caused[2] or ""], []))
        elif chains and not skipping:
            skipping = line.lstrip().startswith("Suppressed: ") or _take(line, chains[-1][-1])
        skipping = skipping and thrown is None and caused is None
    return fatal_first([chain([_problem(*error) for error in errors[::-1]]) for errors in chains])


def _take(line: str, error: tuple[str, list[str], list[Place]]) -> bool:
    """Add a line to the error it belongs to; True when the error's own lines are over."""
    _, words, frames = error
    if (frame := _FRAME.fullmatch(line)) is not None:
        frames.append(_place(frame[1], frame[2]))
    elif not frames and line:
        words.append(line)
    return bool(frames) and not line.startswith(("\t", " "))


def _place(symbol: str, where: str) -> Place:
    file, _, line = where.rpartition(":")
    return Place(file=file or where, line=number(line), symbol=symbol)


def _problem(kind: str, words: list[str], frames: list[Place]) -> Problem:
    mine = next((frame for frame in frames if not _of_library(frame.symbol or "")), None)
    # The helper would take a bare file name for the program's own, so the place is given.
    found = problem(kind, "\n".join(words), frames=frames[::-1], place=mine)
    return found if mine is not None else Problem(kind=found.kind, message=found.message, frames=found.frames)


def _of_library(symbol: str) -> bool:
    module, slash, _ = symbol.partition("/")
    return symbol.startswith(_LIBRARY) or (bool(slash) and module.startswith(("java.", "jdk.")))


PARSER = Parser(
    name="java",
    languages=("java",),
    parse=parse,
    causes={
        "NullPointerException": ("a value that was never given is used",),
        "ArrayIndexOutOfBoundsException": ("the array is shorter than expected",),
        "IndexOutOfBoundsException": ("the list is shorter than expected",),
        "ClassCastException": ("a value of another type than expected",),
        "NumberFormatException": ("text that is not a number",),
        "ClassNotFoundException": ("a library that is not in the sandbox", "a misspelt class"),
        "NoClassDefFoundError": ("a library that was there for the compiler and is not for the run",),
        "StackOverflowError": ("a recursion without end",),
        "OutOfMemoryError": ("the program needs more memory than its heap or memory_bytes allows",),
        "UnknownHostException": ("the network is off", "a misspelt host"),
        "NoSuchFileException": ("the file was not sent with the program",),
        "cannot find symbol": ("a misspelt name", "a missing import"),
        "does not exist": ("a library that is not in the sandbox", "a missing import"),
        "incompatible types": ("a value of another type than declared",),
    },
    examples=(
        Example(
            stderr="""\
/sandbox/Broken.java:3: error: incompatible types: String cannot be converted to int
        int n = "x";
                ^
/sandbox/Broken.java:4: error: cannot find symbol
        System.out.println(missing);
                           ^
  symbol:   variable missing
  location: class Broken
2 errors
""",
            expected=(
                Problem(
                    kind="error",
                    message="incompatible types: String cannot be converted to int",
                    place=Place(file="/sandbox/Broken.java", line=3, column=17),
                    frames=(Place(file="/sandbox/Broken.java", line=3, column=17),),
                ),
                Problem(
                    kind="error",
                    message="cannot find symbol\nsymbol:   variable missing\nlocation: class Broken",
                    place=Place(file="/sandbox/Broken.java", line=4, column=28),
                    frames=(Place(file="/sandbox/Broken.java", line=4, column=28),),
                ),
            ),
        ),
        Example(
            stderr="""\
Exception in thread "main" java.lang.IllegalStateException: no port in the settings
\tat Chained.port(Chained.java:8)
\tat Chained.main(Chained.java:13)
Caused by: java.lang.NumberFormatException: For input string: "eighty"
\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)
\tat java.base/java.lang.Integer.parseInt(Integer.java:668)
\tat java.base/java.lang.Integer.parseInt(Integer.java:786)
\tat Chained.port(Chained.java:6)
\t... 1 more
""",
            expected=chain(
                (
                    Problem(
                        kind="java.lang.NumberFormatException",
                        message='For input string: "eighty"',
                        place=Place(file="Chained.java", line=6, symbol="Chained.port"),
                        frames=(
                            Place(file="Chained.java", line=6, symbol="Chained.port"),
                            Place(file="Integer.java", line=786, symbol="java.base/java.lang.Integer.parseInt"),
                            Place(file="Integer.java", line=668, symbol="java.base/java.lang.Integer.parseInt"),
                            Place(
                                file="NumberFormatException.java",
                                line=67,
                                symbol="java.base/java.lang.NumberFormatException.forInputString",
                            ),
                        ),
                    ),
                    Problem(
                        kind="java.lang.IllegalStateException",
                        message="no port in the settings",
                        place=Place(file="Chained.java", line=8, symbol="Chained.port"),
                        frames=(
                            Place(file="Chained.java", line=13, symbol="Chained.main"),
                            Place(file="Chained.java", line=8, symbol="Chained.port"),
                        ),
                    ),
                )
            ),
        ),
        Example(
            stderr="""\
Note: /sandbox/Raw.java uses unchecked or unsafe operations.
Note: Recompile with -Xlint:unchecked for details.
""",
        ),
    ),
)
