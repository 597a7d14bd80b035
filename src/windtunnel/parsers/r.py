"""R: the error a script was halted by. R names the call and not the line, so there is no place."""

from __future__ import annotations

import re

from windtunnel.core.problem import Problem
from windtunnel.parsers.base import Example, Parser, problem
from windtunnel.parsers.text import lines

_ERROR = re.compile(r"Error(?: in (.+?) )?:(?: (.*))?")
_ENDS = ("Calls: ", "Execution halted", "In addition: ")


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """The last error; the call it happened in is told with its message."""
    written = lines(stderr)
    heads = [(index, found) for index, line in enumerate(written) if (found := _ERROR.fullmatch(line)) is not None]
    if not heads:
        return ()
    index, head = heads[-1]
    below = written[index + 1 :]
    end = next((at for at, line in enumerate(below) if line.startswith(_ENDS)), len(below))
    message = "\n".join(part for part in ((head[2] or "").strip(), *(line.strip() for line in below[:end])) if part)
    kind = "syntax error" if head[1] is None and message.startswith("unexpected ") else "Error"
    return (problem(kind, f"{message} (in {head[1]})" if head[1] else message),)


PARSER = Parser(
    name="r",
    languages=("r", "R", "rscript"),
    parse=parse,
    causes={
        "syntax error": ("an unclosed or extra bracket or quote",),
        "there is no package called": (
            "the package is not installed in the sandbox, and cannot be from inside the run while the network is off",
        ),
        "not found": ("a misspelt name", "a package that was not loaded"),
        "could not find function": ("a misspelt name", "a package that was not loaded"),
        "subscript out of bounds": ("the vector or list is shorter than expected",),
        "non-numeric argument": ("text where a number is expected",),
        "cannot open the connection": ("the file was not sent with the program", "the network is off"),
        "cannot allocate vector": ("the program needs more memory than memory_bytes allows",),
    },
    examples=(
        Example(
            stderr="""\
Error in library(ggplot2) : there is no package called 'ggplot2'
Execution halted
""",
            expected=(Problem(kind="Error", message="there is no package called 'ggplot2' (in library(ggplot2))"),),
        ),
        Example(
            stderr="""\
Error in FUN(X[[i]], ...) : no cost
Calls: total -> sapply -> lapply -> FUN
Execution halted
""",
            expected=(
                Problem(
                    kind="Error",
                    message="no cost (in FUN(X[[i]], ...))",
                ),
            ),
        ),
        Example(
            stderr="""\
Error in check(list(one = 1, two = 2, three = 3, four = 4, five = 5)) :\x20
  the values that were given are far too long to be printed on one line
Execution halted
""",
            expected=(
                Problem(
                    kind="Error",
                    message=(
                        "the values that were given are far too long to be printed on one line (in "
                        "check(list(one = 1, two = 2, three = 3, four = 4, five = 5)))"
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
Warning message:
In f() : careful
""",
        ),
    ),
)
