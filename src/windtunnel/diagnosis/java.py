"""Java at run time: exceptions with their causes, alone and as JUnit, Maven and Gradle show them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, chained, problem
from windtunnel.diagnosis.kinds_java import exception_kind
from windtunnel.diagnosis.text import number

_HEAD = re.compile(
    r"\s*(Exception in thread \".{0,200}?\" |Caused by: |Suppressed: |=> |\[ERROR\] )?"
    r"((?:[\w$]{1,100}\.){1,12}(?:Exception|Error|Throwable)|"
    r"(?:[\w$]{1,100}\.){0,12}[A-Z][\w$]{0,100}(?:Exception|Error|Failure|Throwable|Violation))(?:: (.*))?")
_ANY = re.compile(
    r"(?:Exception in thread \".{0,200}?\" |\s*Caused by: )((?:[\w$]{1,100}\.){0,12}[\w$]{1,100})(?:: (.*))?")
_FRAME = re.compile(
    r"\s+(?:at )?(?:[\w.@-]{1,200}/{1,2}){0,2}((?:[\w$]{1,200}\.){1,20}[\w$<>]{1,200})\(([^()\n]{1,300})\)")
_MORE = re.compile(r"\s*\.\.\. \d+ (?:more|common frames omitted)|\s*\[\.\.\.\]|\s*\.\.\.")
_SUREFIRE = re.compile(
    r"(?:\[ERROR\] )?(?:\S{1,300}\.)?([\w$]{1,200})(?:\(([\w.$]{1,300})\))?.{0,80} <<< (?:FAILURE|ERROR)!")
_CLASSED = re.compile(r"(?:\[ERROR\] )?([\w.$]{1,300})\.([\w$]{1,200}).{0,80} <<< (?:FAILURE|ERROR)!")
_TEXT_RUNNER = re.compile(r"\d+\) ([\w$]{1,200})\(([\w.$]{1,300})\)")
_CONSOLE = re.compile(r"\s*JUnit \w{1,20}:(\S.{0,300})")
_FATAL = "# A fatal error has been detected by the Java Runtime Environment"


@dataclass(slots=True)
class _Thrown:
    """One exception while it is read."""

    name: str
    message: list[str]
    first: int
    last: int
    role: str = ""
    frames: list[Place] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """The frames as they stand, which tell more than a place."""

    def take(self, frame: re.Match[str], at: int) -> None:
        """One frame of its stack, unless the compiler wrote the method."""
        self.last = at
        if not _is_made_up(self.words, frame[1]):
            self.frames.append(_place(frame))
            self.words.append(frame[1])

    def problem(self) -> Problem:
        what = exception_kind(self.name, self.message[0], stack=" ".join(self.words[:8]))
        return problem(what, "\n".join(self.message), name=self.name, frames=self.frames[::-1])


def _place(frame: re.Match[str]) -> Place:
    """The file by its package: ``shop.cart.Cart.total(Cart.java:5)`` is in ``shop/cart/Cart.java``."""
    symbol, site = frame[1], frame[2]
    file, _, line = site.partition(":")
    if not file.endswith((".java", ".kt", ".scala", ".groovy")):
        return Place(file=f"<{site}>", symbol=symbol)
    parts = symbol.split(".")[:-2]
    return Place(file="/".join([*parts, file]), line=number(line), symbol=symbol)


def _thrown(line: str, at: int) -> _Thrown | None:
    if "xception" not in line and "Error" not in line and "Caused" not in line and "ailure" not in line and (
            "Throwable" not in line):
        return None
    said = _HEAD.fullmatch(line)
    if said is not None:
        return _Thrown(name=said[2], message=[said[3] or ""], first=at, last=at, role=(said[1] or "").strip())
    said = _ANY.fullmatch(line)
    if said is None:
        return None
    return _Thrown(name=said[1], message=[said[2] or ""], first=at, last=at, role=line.split(maxsplit=1)[0])


def _test(lines: Sequence[str], at: int) -> str:
    """The test that the lines just above name."""
    for line in lines[max(0, at - 3) : at][::-1]:
        if (said := _SUREFIRE.match(line)) is not None and said[2]:
            return f"{said[2]}.{said[1]}"
        if (said := _CLASSED.match(line)) is not None:
            return f"{said[1]}.{said[2]}"
        if (said := _TEXT_RUNNER.fullmatch(line)) is not None:
            return f"{said[2]}.{said[1]}"
        if (said := _CONSOLE.fullmatch(line)) is not None:
            return said[1]
    return ""


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Every chain, its root cause first; an exception counts where frames or its thread stand with it."""
    chain: list[_Thrown] = []
    for at, line in enumerate([*lines, ""]):
        frame = _FRAME.fullmatch(line) if chain and line[:1] in (" ", "\t") else None
        if frame is not None:
            chain[-1].take(frame, at)
        elif (new := _thrown(line, at)) is not None:
            if new.role in ("Caused", "Caused by:") and chain:
                chain.append(new)
            elif new.role != "Suppressed:":
                yield from _closed(chain, lines)
                chain = [new]
        elif chain and _MORE.fullmatch(line):
            chain[-1].last = at
        elif chain and (chain[-1].frames or not line.strip() or len(chain[-1].message) > 8):  # noqa: PLR2004 -- few
            if not line.strip() and not chain[-1].frames and _frames_follow(lines, at):
                continue
            yield from _closed(chain, lines)
            chain = []
        elif chain:
            chain[-1].message.append(line)
    yield from _closed(chain, lines)
    yield from _faults(lines)


def _is_made_up(words: Sequence[str], symbol: str) -> bool:
    """Whether the compiler wrote the method: ``valueOf`` of an enum, which has the line of the declaration."""
    return symbol.endswith(".valueOf") and words[-1:] == ["java.lang.Enum.valueOf"]


def _frames_follow(lines: Sequence[str], at: int) -> bool:
    return any(_FRAME.fullmatch(line) for line in lines[at + 1 : at + 6] if line[:1] in (" ", "\t"))


def _closed(chain: Sequence[_Thrown], lines: Sequence[str]) -> Iterator[Found]:
    if not chain or not (any(one.frames for one in chain) or chain[0].role.startswith("Exception in")):
        return
    test = _test(lines, chain[0].first)
    for error in chained([replace(one.problem(), test=test) for one in chain][::-1]):
        yield Found(problem=error, first=chain[0].first, last=chain[-1].last)


def _faults(lines: Sequence[str]) -> Iterator[Found]:
    for at, line in enumerate(lines):
        if line.startswith(_FATAL):
            said = next((more.strip("# ") for more in lines[at + 1 : at + 4] if more.strip("# ")), line)
            yield Found(problem=problem(ProblemKind.CRASH, said, name="fatal error"), first=at, last=at + 3)


READER = Reader(name="java", language="java", read=read, examples=(
    Example(output="""\
Exception in thread "main" java.lang.IllegalStateException: no settings
\tat shop.Main.read(Main.java:9)
\tat shop.Main.main(Main.java:4)
Caused by: java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.Integer.parseInt(Integer.java:668)
\tat shop.Main.read(Main.java:7)
\t... 1 more
""", problems=(("value", "shop/Main.java", 7), ("generic", "shop/Main.java", 9))),
    Example(output="INFO started in 3 ms\n"),
))
