"""C and C++: diagnostics of gcc and clang, the linker, sanitizers and the runtime's last words."""

from __future__ import annotations

import re
from itertools import islice

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import MOST_PROBLEMS, Example, Parser, own, problem
from windtunnel.parsers.text import lines, location

_DIAGNOSTIC = re.compile(r"([^:]+(?::[0-9]{1,9}){1,2}): (fatal error|error|runtime error): (.*)")
_REQUIRED = re.compile(r"([^:]+(?::[0-9]{1,9}){1,2}): +required from here")
_LINK = re.compile(r"(?:[^ ]*ld: )?([^:(]+)(?::([0-9]+)|:\([^)]*\)): (undefined reference|multiple definition)( .*)")
_NOT_FOUND = re.compile(r"[^ ]*ld(?:\.[a-z]+)?: (cannot find .*)")
_SANITIZER = re.compile(r"(?:==[0-9]+==)?(?:ERROR|WARNING): ([A-Z][a-z]+Sanitizer): (.*)")
_FRAME = re.compile(r" +#[0-9]+ 0x[0-9a-f]+ in (.+) ([^ ]+)")
_ASSERTION = re.compile(r"[^:]*: ([^:]+:[0-9]{1,9}): (.*): (Assertion) (.*)")
_THROWN = re.compile(r"terminate called after throwing an instance of '(.*)'")
_ABORTED = re.compile(r"\*\*\* .+ \*\*\*: .*|(?:free|malloc|realloc|munmap_chunk)\(\): .*|double free or corruption.*")
_MOST_REPORT = 400


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """What the compiler or the linker refused, or else what was found while it ran."""
    written = lines(stderr)
    return _diagnostics(written) or _linker(written) or _sanitizers(written) or _last_words(written)


def _diagnostics(written: list[str]) -> tuple[Problem, ...]:
    found: list[Problem] = []
    asked: Place | None = None
    for line in written:
        if (required := _REQUIRED.fullmatch(line)) is not None:
            asked = location(required[1])
        elif (error := _DIAGNOSTIC.fullmatch(line)) is not None:
            frames = [place for place in (asked, location(error[1])) if place is not None]
            found.append(problem(error[2], error[3], frames=frames if not own(frames[-1]) else frames[-1:]))
            asked = None
    return tuple(found)


def _linker(written: list[str]) -> tuple[Problem, ...]:
    found: list[Problem] = []
    symbol: str | None = None
    for line in written:
        if line.endswith("':") and ": in function " in line:
            symbol = line.rpartition(": in function ")[2].strip("`':")
        elif (missing := _NOT_FOUND.fullmatch(line)) is not None:
            found.append(problem("linker error", missing[1]))
        elif (link := _LINK.fullmatch(line)) is not None:
            place = location(f"{link[1]}:{link[2]}", symbol=symbol) or Place(file=link[1], symbol=symbol)
            found.append(problem(link[3], link[3] + link[4], frames=(place,)))
    return tuple(found)


def _sanitizers(written: list[str]) -> tuple[Problem, ...]:
    reports = (
        problem(report[1], report[2], frames=_stack(written[index + 1 : index + _MOST_REPORT]))
        for index, line in enumerate(written)
        if "Sanitizer: " in line and (report := _SANITIZER.fullmatch(line)) is not None
    )
    return tuple(islice(reports, MOST_PROBLEMS))


def _stack(below: list[str]) -> list[Place]:
    """The first stack of a report; those below it tell of an earlier moment."""
    frames: list[Place] = []
    for line in below:
        if (frame := _FRAME.fullmatch(line)) is not None:
            where = frame[2].strip("()")
            frames.append(location(where, symbol=frame[1]) or Place(file=where, symbol=frame[1]))
        elif frames:
            break
    return frames[::-1]


def _last_words(written: list[str]) -> tuple[Problem, ...]:
    for index, line in enumerate(written):
        if (thrown := _THROWN.fullmatch(line)) is not None:
            what = written[index + 1].strip() if index + 1 < len(written) else ""
            return (problem(thrown[1], what.removeprefix("what():") if what.startswith("what():") else ""),)
        if "Assertion" in line and (failed := _ASSERTION.fullmatch(line)) is not None:
            place = location(failed[1], symbol=failed[2])
            return (problem(failed[3], failed[4], frames=() if place is None else (place,)),)
        if _ABORTED.fullmatch(line) is not None:
            return (problem("abort", line),)
    return ()


PARSER = Parser(
    name="c",
    languages=("c", "cpp", "c++", "cxx", "cc"),
    parse=parse,
    causes={
        "undefined reference": ("a function that is declared and not defined", "a library missing on the command line"),
        "multiple definition": ("the same name is defined in two files, often in a header",),
        "linker error": ("a library that is not installed in the sandbox",),
        "Assertion": ("a condition that the program states does not hold",),
        "AddressSanitizer": ("memory is used outside of its bounds or after it was freed",),
        "LeakSanitizer": ("memory that is never freed",),
        "ThreadSanitizer": ("two threads use the same memory without a lock",),
        "abort": ("memory was written outside of its bounds or freed twice",),
        "std::bad_alloc": ("the program needs more memory than memory_bytes allows", "a size that became negative"),
        "std::out_of_range": ("an index or key that is not there",),
        "No such file or directory": ("a header that was not sent with the program, or of a library not installed",),
        "undeclared": ("a misspelt name", "a missing include"),
        "was not declared": ("a misspelt name", "a missing include"),
        "no match for": ("an operator that the type does not have",),
        "no matching function": ("arguments of other types or in another number than any overload takes",),
        "signed integer overflow": ("a number leaves the range of its type",),
    },
    examples=(
        Example(
            stderr="""\
/sandbox/type.c: In function 'main':
/sandbox/type.c:4:17: warning: initialization of 'int' from 'char *' makes integer from pointer without a cast \
[-Wint-conversion]
    4 |     int count = "three";
      |                 ^~~~~~~
/sandbox/type.c:5:20: error: 'total' undeclared (first use in this function)
    5 |     printf("%d\\n", total);
      |                    ^~~~~
/sandbox/type.c:5:20: note: each undeclared identifier is reported only once for each function it appears in
/sandbox/type.c:6:13: error: expected ';' before '}' token
    6 |     return 0
      |             ^
      |             ;
    7 | }
      | ~\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20
""",
            expected=(
                Problem(
                    kind="error",
                    message="'total' undeclared (first use in this function)",
                    place=Place(file="/sandbox/type.c", line=5, column=20),
                    frames=(Place(file="/sandbox/type.c", line=5, column=20),),
                ),
                Problem(
                    kind="error",
                    message="expected ';' before '}' token",
                    place=Place(file="/sandbox/type.c", line=6, column=13),
                    frames=(Place(file="/sandbox/type.c", line=6, column=13),),
                ),
            ),
        ),
        Example(
            stderr="""\
/usr/bin/ld: /tmp/ccDk5F4A.o: in function `main':
link.c:(.text+0xa): undefined reference to `compute'
collect2: error: ld returned 1 exit status
""",
            expected=(
                Problem(
                    kind="undefined reference",
                    message="undefined reference to `compute'",
                    place=Place(file="link.c", symbol="main"),
                    frames=(Place(file="link.c", symbol="main"),),
                ),
            ),
        ),
        Example(
            stderr="""\

=================================================================
==18740==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 100 byte(s) in 1 object(s) allocated from:
    #0 0x7ff801cb89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x557b2dc6116a in main /sandbox/leak.c:2
    #2 0x7ff801a45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: 100 byte(s) leaked in 1 allocation(s).
""",
            expected=(
                Problem(
                    kind="LeakSanitizer",
                    message="detected memory leaks",
                    place=Place(file="/sandbox/leak.c", line=2, symbol="main"),
                    frames=(
                        Place(file="../sysdeps/nptl/libc_start_call_main.h", line=58, symbol="__libc_start_call_main"),
                        Place(file="/sandbox/leak.c", line=2, symbol="main"),
                        Place(
                            file="../../../../src/libsanitizer/asan/asan_malloc_linux.cpp",
                            line=69,
                            symbol="__interceptor_malloc",
                        ),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
/sandbox/ub.c:5:9: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
""",
            expected=(
                Problem(
                    kind="runtime error",
                    message="signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
                    place=Place(file="/sandbox/ub.c", line=5, column=9),
                    frames=(Place(file="/sandbox/ub.c", line=5, column=9),),
                ),
            ),
        ),
        Example(
            stderr="""\
terminate called after throwing an instance of 'std::runtime_error'
  what():  no port
Aborted
""",
            expected=(
                Problem(
                    kind="std::runtime_error",
                    message="no port",
                ),
            ),
        ),
        Example(
            stderr="""\
/sandbox/warn.c: In function 'main':
/sandbox/warn.c:1:27: warning: initialization of 'int *' from 'int' makes pointer from integer without a cast \
[-Wint-conversion]
    1 | int main(void) { int *p = 3; return p == 0; }
      |                           ^
""",
        ),
    ),
)
