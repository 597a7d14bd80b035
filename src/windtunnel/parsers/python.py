"""Python: tracebacks, their chains and groups, and syntax errors.

A column is never reported: Python prints the source line without its indentation, so the markers
below it do not tell the column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, caused, chain, fatal_first, problem
from windtunnel.parsers.text import lines

_HEADER = "Traceback (most recent call last):"
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_FRAME = re.compile(r'  File "([^"]+)", line ([0-9]{1,9})(?:, in (.+))?')
_ERROR = re.compile(r"([^\W\d][\w.<>]*)(?:: (.*))?")
_GROUP = "  + Exception Group " + _HEADER
_HEADERS = (_HEADER, "Exception Group " + _HEADER, _GROUP)
_MEMBER = re.compile(r" *\+[-+]+ (?:[0-9]+|\.\.\.) -+")
_GROUP_END = re.compile(r" *\+-+")
_BAR = re.compile(r" *\| ?")


@dataclass(slots=True)
class _Reader:
    """What has been read so far."""

    chains: list[list[Problem]] = field(default_factory=list)
    frames: list[Place] | None = None
    """Of the traceback being read; None outside of one."""
    headed: bool = False
    """Whether it began with a header; only a syntax error comes without."""
    kind: str = ""
    message: list[str] = field(default_factory=list)
    linked: bool = False
    """Whether the next error came from the last one."""
    barred: bool = False
    """Whether lines carry the bars of an exception group."""
    groups: list[tuple[Problem, int]] = field(default_factory=list)
    """Open groups, each with how many errors its chain had before its members."""

    def read(self, line: str) -> None:
        """Take one line."""
        self.barred = self.barred or line == _GROUP
        line = self._unbarred(line) if self.barred else line
        if line in _HEADERS:
            self.close()
            self.frames, self.headed = [], True
        elif line in _LINKS:
            self.close()
            self.linked = True
        elif not self.kind and (found := _FRAME.fullmatch(line)) is not None:
            self.frames = [] if self.frames is None else self.frames
            self.frames.append(Place(file=found[1], line=int(found[2]), symbol=found[3]))
        elif self.frames is not None:
            self._text(line)

    def _unbarred(self, line: str) -> str:
        if _MEMBER.fullmatch(line) is not None:
            self.close()
            if "+-+" in line and self.chains and self.chains[-1]:
                self.groups.append((self.chains[-1].pop(), len(self.chains[-1])))
            return ""
        if self.groups and _GROUP_END.fullmatch(line) is not None:
            self._end_group()
            return ""
        return _BAR.sub("", line, count=1)

    def _end_group(self) -> None:
        self.close()
        group, start = self.groups.pop()
        errors = self.chains[-1]
        errors.append(caused(group, errors[start] if start < len(errors) else None))
        self.barred = bool(self.groups)

    def _text(self, line: str) -> None:
        if self.kind:
            if line.strip():
                self.message.append(line)
            else:
                self.close()
        elif (found := _ERROR.fullmatch(line)) is not None and (self.headed or found[1].endswith("Error")):
            self.kind, self.message = found[1], [found[2] or ""]

    def close(self) -> None:
        """End the traceback being read, if its error was there."""
        if self.frames is not None and self.kind:
            self._add(problem(self.kind, "\n".join(self.message), frames=self.frames))
        self.frames, self.headed, self.kind, self.message = None, False, "", []

    def _add(self, error: Problem) -> None:
        if self.linked and self.chains and self.chains[-1]:
            self.chains[-1].append(caused(error, self.chains[-1][-1]))
        elif self.groups:
            self.chains[-1].append(error)
        else:
            self.chains.append([error])
        self.linked = False

    def finish(self) -> tuple[Problem, ...]:
        """Close what the output left open."""
        self.close()
        while self.groups:
            self._end_group()
        return fatal_first(self.chains)


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """Every traceback, that of the exception that ended the program first."""
    reader = _Reader()
    for line in lines(stderr):
        reader.read(line)
    return reader.finish()


_MEMBER_1 = Problem(
    kind="ValueError",
    message="bad 1",
    place=Place(file="/sandbox/group.py", line=2, symbol="check"),
    frames=(
        Place(file="/sandbox/group.py", line=7, symbol="<module>"),
        Place(file="/sandbox/group.py", line=2, symbol="check"),
    ),
)

PARSER = Parser(
    name="python",
    languages=("python", "py", "python3"),
    parse=parse,
    causes={
        "ModuleNotFoundError": (
            "the package is not installed in the sandbox, which sees those of the interpreter that runs the program",
            "it cannot be installed from inside the run while the network is off",
            "a misspelt name, or a file of the program that was not sent with it",
        ),
        "ImportError": ("the package is another version than the program expects", "two modules import each other"),
        "NameError": ("a misspelt name", "a missing import", "a name used before it is given a value"),
        "UnboundLocalError": ("the name is given a value later in the function, which makes it local throughout",),
        "AttributeError": ("the value is of another type than expected, often None", "a misspelt attribute"),
        "TypeError": ("a value of another type than expected, often None", "a wrong number of arguments"),
        "ValueError": ("text or a number outside of what the function takes",),
        "JSONDecodeError": ("the text is not JSON: empty, cut off, or an error page instead of data",),
        "UnicodeDecodeError": ("the bytes are in another encoding than UTF-8", "binary data read as text"),
        "KeyError": ("the key is not there: misspelt, of another type, or the data has another shape",),
        "IndexError": ("the sequence is shorter than expected, perhaps empty",),
        "ZeroDivisionError": ("the divisor can be zero, as for an empty list's mean",),
        "RecursionError": ("the recursion has no end for this input", "the data is deeper than the stack"),
        "SyntaxError": ("an unclosed bracket or quote on this line or the one before", "code for a newer Python"),
        "IndentationError": ("a block without its body", "tabs and spaces mixed"),
        "FileNotFoundError": (
            "the file was not sent with the program; the sandbox shows no other files of the host",
            "a relative path, read from another folder than expected",
            "a program that is not installed in the sandbox",
        ),
        "EOFError": ("the program reads more standard input than it was given",),
        "MemoryError": ("the program asked for more memory than memory_bytes allows",),
        "AssertionError": ("a condition that the program states does not hold",),
        "KeyboardInterrupt": ("the run was interrupted",),
    },
    examples=(
        Example(
            stderr="""\
Traceback (most recent call last):
  File "/sandbox/cause.py", line 3, in read
    return settings["port"]
           ~~~~~~~~^^^^^^^^
KeyError: 'port'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/sandbox/cause.py", line 10, in <module>
    main()
  File "/sandbox/cause.py", line 8, in main
    read({})
  File "/sandbox/cause.py", line 5, in read
    raise RuntimeError("no port\\nin the settings") from error
RuntimeError: no port
in the settings
""",
            expected=chain(
                (
                    Problem(
                        kind="KeyError",
                        message="'port'",
                        place=Place(file="/sandbox/cause.py", line=3, symbol="read"),
                        frames=(Place(file="/sandbox/cause.py", line=3, symbol="read"),),
                    ),
                    Problem(
                        kind="RuntimeError",
                        message="no port\nin the settings",
                        place=Place(file="/sandbox/cause.py", line=5, symbol="read"),
                        frames=(
                            Place(file="/sandbox/cause.py", line=10, symbol="<module>"),
                            Place(file="/sandbox/cause.py", line=8, symbol="main"),
                            Place(file="/sandbox/cause.py", line=5, symbol="read"),
                        ),
                    ),
                )
            ),
        ),
        Example(
            stderr="""\
  + Exception Group Traceback (most recent call last):
  |   File "/sandbox/group.py", line 10, in <module>
  |     raise ExceptionGroup("two failed", errors)
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/sandbox/group.py", line 7, in <module>
    |     check(value)
    |   File "/sandbox/group.py", line 2, in check
    |     raise ValueError(f"bad {value}")
    | ValueError: bad 1
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/sandbox/group.py", line 7, in <module>
    |     check(value)
    |   File "/sandbox/group.py", line 2, in check
    |     raise ValueError(f"bad {value}")
    | ValueError: bad 2
    +------------------------------------
""",
            expected=(
                _MEMBER_1,
                Problem(
                    kind="ValueError",
                    message="bad 2",
                    place=Place(file="/sandbox/group.py", line=2, symbol="check"),
                    frames=(
                        Place(file="/sandbox/group.py", line=7, symbol="<module>"),
                        Place(file="/sandbox/group.py", line=2, symbol="check"),
                    ),
                ),
                Problem(
                    kind="ExceptionGroup",
                    message="two failed (2 sub-exceptions)",
                    place=Place(file="/sandbox/group.py", line=10, symbol="<module>"),
                    frames=(Place(file="/sandbox/group.py", line=10, symbol="<module>"),),
                    cause=_MEMBER_1,
                ),
            ),
        ),
        Example(
            stderr="""\
Traceback (most recent call last):
  File "/sandbox/recursion.py", line 4, in <module>
    down(0)
  File "/sandbox/recursion.py", line 2, in down
    return down(n + 1)
           ^^^^^^^^^^^
  File "/sandbox/recursion.py", line 2, in down
    return down(n + 1)
           ^^^^^^^^^^^
  File "/sandbox/recursion.py", line 2, in down
    return down(n + 1)
           ^^^^^^^^^^^
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded
""",
            expected=(
                Problem(
                    kind="RecursionError",
                    message="maximum recursion depth exceeded",
                    place=Place(file="/sandbox/recursion.py", line=2, symbol="down"),
                    frames=(
                        Place(file="/sandbox/recursion.py", line=4, symbol="<module>"),
                        Place(file="/sandbox/recursion.py", line=2, symbol="down"),
                        Place(file="/sandbox/recursion.py", line=2, symbol="down"),
                        Place(file="/sandbox/recursion.py", line=2, symbol="down"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
  File "/sandbox/syntax.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax
""",
            expected=(
                Problem(
                    kind="SyntaxError",
                    message="invalid syntax",
                    place=Place(file="/sandbox/syntax.py", line=1),
                    frames=(Place(file="/sandbox/syntax.py", line=1),),
                ),
            ),
        ),
        Example(
            stderr="""\
could not start
""",
        ),
    ),
)
