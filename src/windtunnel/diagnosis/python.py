"""Python: tracebacks, their chains and groups, syntax errors, faults of the interpreter, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, caused, problem
from windtunnel.diagnosis.kinds_python import kind

_HEADER = "Traceback (most recent call last):"
_GROUP = "+ Exception Group " + _HEADER
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_FRAME = re.compile(r'\s{0,12}File "([^"]{1,1000})", line ([0-9]{1,9})(?:,? in (.{1,200}))?')
_ERROR = re.compile(r"((?:[^\W\d]\w{0,100}\.|<locals>\.){0,12}[^\W\d]\w{0,100})(?:: ?(.*))?")
_LIKELY = re.compile(
    r"(?:.{0,200}(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Group|Failure|Failed|Timeout|Expired|Fault))")
_MEMBER = re.compile(r" *\+[-+]+ (?:[0-9]+|\.\.\.) -+")
_GROUP_END = re.compile(r" *\+-+")
_BAR = re.compile(r" *\| ?")
_MORE = 12
_AHEAD = 3


@dataclass(slots=True)
class _Trace:
    """One traceback while it is read."""

    first: int
    headed: bool
    frames: list[Place] = field(default_factory=list)
    name: str = ""
    message: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Walk:
    """What has been read so far."""

    lines: Sequence[str]
    found: list[Found] = field(default_factory=list)
    trace: _Trace | None = None
    linked: bool = False
    barred: bool = False
    groups: list[tuple[Found, int]] = field(default_factory=list)
    """Open groups, each with how many problems there were before its members."""

    def step(self, at: int) -> None:
        line = self.lines[at]
        self.barred = self.barred or line.strip() == _GROUP
        line = self._unbarred(line, at) if self.barred else line
        if line.strip().endswith(_HEADER):
            self.close(at - 1)
            self.trace = _Trace(first=at, headed=True)
        elif line.strip() in _LINKS:
            self.close(at - 1)
            self.linked = True
        elif (frame := _FRAME.fullmatch(line)) is not None:
            self._frame(frame, at)
        elif self.trace is not None:
            self._words(line, at)

    def _frame(self, frame: re.Match[str], at: int) -> None:
        if self.trace is not None and self.trace.name:
            self.close(at - 1)
        if self.trace is None:
            self.trace = _Trace(first=at, headed=False)
        self.trace.frames.append(Place(file=frame[1], line=int(frame[2]), symbol=frame[3]))

    def _unbarred(self, line: str, at: int) -> str:
        if _MEMBER.fullmatch(line) is not None:
            self.close(at - 1)
            if "+-+" in line and self.found:
                self.groups.append((self.found.pop(), len(self.found)))
            return ""
        if self.groups and _GROUP_END.fullmatch(line) is not None:
            self._end_group(at)
            return ""
        return _BAR.sub("", line, count=1)

    def _end_group(self, at: int) -> None:
        self.close(at)
        group, start = self.groups.pop()
        cause = self.found[start].problem if start < len(self.found) else None
        self.found.append(replace(group, problem=caused(group.problem, cause), last=at))
        self.barred = bool(self.groups)

    def _words(self, line: str, at: int) -> None:
        trace = self.trace
        assert trace is not None
        if trace.name:
            if line.strip() and len(trace.message) < _MORE and not _starts_anew(line):
                trace.message.append(line)
            else:
                self.close(at - 1)
        elif (said := _ERROR.fullmatch(line)) is not None and self._is_error(said, at):
            trace.name, trace.message = said[1], [said[2] or ""]

    def _is_error(self, said: re.Match[str], at: int) -> bool:
        """Whether the line ends the trace: not a line of another writer that fell in between."""
        trace = self.trace
        assert trace is not None
        if _LIKELY.fullmatch(said[1]) is not None:
            return True
        if not trace.headed or not trace.frames:
            return False
        return not any(_goes_on(line) for line in self.lines[at + 1 : at + 1 + _AHEAD])

    def close(self, at: int) -> None:
        """End the traceback being read; one that was cut before its error is still worth its place."""
        trace, self.trace = self.trace, None
        if trace is None or (not trace.name and not (trace.headed and trace.frames)):
            return
        message = "\n".join(trace.message)
        error = problem(kind(trace.name, trace.message[0]) if trace.name else ProblemKind.GENERIC,
                        message or ("" if trace.name else "a traceback whose end is missing"),
                        name=trace.name, frames=trace.frames)
        if self.linked and self.found:
            error = caused(error, self.found[-1].problem)
        self.linked = False
        self.found.append(Found(problem=error, first=trace.first, last=max(at, trace.first)))


def _goes_on(line: str) -> bool:
    """Whether a trace is still under way here: a frame, or the line that names the error."""
    said = _ERROR.fullmatch(line)
    return _FRAME.fullmatch(line) is not None or (said is not None and _LIKELY.fullmatch(said[1]) is not None)


def _starts_anew(line: str) -> bool:
    return line.startswith(("=====", "-----", "Exception in thread", "Exception ignored")) or bool(_WARNING.match(line))


def traces(lines: Sequence[str]) -> list[Found]:
    """Every traceback, the root cause of a chain before what came of it."""
    walk = _Walk(lines)
    for at in range(len(lines)):
        walk.step(at)
    walk.close(len(lines) - 1)
    while walk.groups:
        walk._end_group(len(lines) - 1)  # noqa: SLF001 -- its own file's
    return walk.found


_FATAL = re.compile(r"Fatal Python error: (.{1,300})")
_WARNING = re.compile(r"(\S[^:\n]{0,400}\.pyi?):([0-9]{1,9}): (\w{0,60}Warning): (.*)")
_START = re.compile(r"\S{0,300}?python[0-9.]{0,6}(?:\.exe)?: (can't (?:open file|find '__main__' module) .*|"
                    r"No module named .*|Error while finding module specification for .*)")


def _faults(lines: Sequence[str]) -> Iterable[Found]:
    for at, line in enumerate(lines):
        if line.startswith("Fatal Python error: ") and (said := _FATAL.match(line)) is not None:
            yield _fatal(said[1], lines, at=at)
        elif (said := _WARNING.fullmatch(line)) is not None:
            place = Place(file=said[1], line=int(said[2]))
            yield Found(problem=problem(ProblemKind.STYLE, said[4], name=said[3], place=place, severity="warning"),
                        first=at, last=at)
        elif "python" in line and (said := _START.fullmatch(line)) is not None:
            what = ProblemKind.IO if said[1].startswith("can't") else ProblemKind.IMPORT
            yield Found(problem=problem(what, said[1], name="python"), first=at, last=at)


def _fatal(said: str, lines: Sequence[str], *, at: int) -> Found:
    """What faulthandler prints: frames of the current thread, innermost first."""
    frames: list[Place] = []
    last = at
    for step, line in enumerate(lines[at + 1 : at + 200], start=at + 1):
        frame = _FRAME.fullmatch(line)
        if frame is not None:
            frames.append(Place(file=frame[1], line=int(frame[2]), symbol=frame[3]))
            last = step
        elif frames:
            break
    what = ProblemKind.RECURSION if "stack overflow" in said else (
        ProblemKind.MEMORY if "memory" in said.lower() else ProblemKind.CRASH)
    return Found(problem=problem(what, said, name="Fatal Python error", frames=frames[::-1]), first=at, last=last)


def read(lines: Sequence[str]) -> list[Found]:
    """Tracebacks and what else the interpreter says."""
    faults = list(_faults(lines))
    taken = [(one.first, one.last) for one in faults]
    told = [one for one in traces(lines) if not any(first <= one.first <= last for first, last in taken)]
    return [*told, *faults]


def with_test(found: Iterable[Found], test: str) -> list[Found]:
    """The same problems, as those of a test; each still linked to the very one it came from."""
    done: dict[int, Problem] = {}
    result = []
    for one in found:
        cause = one.problem.cause
        done[id(one.problem)] = error = replace(
            one.problem, test=test, cause=done.get(id(cause), cause) if cause is not None else None)
        result.append(replace(one, problem=error))
    return result


READER = Reader(name="python", language="python", read=read, examples=(
    Example(output="""\
Traceback (most recent call last):
  File "/workspace/shop/cart.py", line 3, in read
    return settings["port"]
KeyError: 'port'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/workspace/main.py", line 10, in <module>
    main()
  File "/workspace/shop/cart.py", line 5, in read
    raise RuntimeError("no port") from error
RuntimeError: no port
""", problems=(("key", "shop/cart.py", 3), ("generic", "shop/cart.py", 5))),
    Example(output="started\n"),
))
