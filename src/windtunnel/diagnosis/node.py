"""JavaScript at run time: stacks of node, deno and bun with their causes, thrown values, the runtime's own faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, chained, problem
from windtunnel.diagnosis.kinds_javascript import code_kind, kind
from windtunnel.diagnosis.text import number

_HEAD = re.compile(
    r" *(\[cause\]: |Caused by: |error: )?(?:(?:Uncaught|Error:) (?=[A-Z]\w*Error))?(?:\(in promise\) )?\[?"
    r"([A-Z][\w$.]{0,100}|error)(?: \[([\w$]{1,80})\])?(?:: (.*))?")
_SITE = re.compile(r"(?:\S.{0,200} \()?(?:file://)?([^()\s][^()]{0,600}?):([0-9]{1,9})(?::([0-9]{1,9}))?\)?")
_CODE = re.compile(r" *code: '(\w{1,80})',?")
_CARET = re.compile(r"\s*[\^~]+\s*")
_HINT = "(Use `node --trace-uncaught"
_HEAP = re.compile(r"FATAL ERROR: (.{1,200})")
_IMPORTER = re.compile(r"imported from (?:file://)?(/\S{1,600})")
_MOST_ABOVE = 40


def frame(line: str) -> Place | None:
    """A place from ``    at symbol (file:line:column)``; None for what is no frame, a nameless file for the runtime."""
    text = line.strip()
    if not text.startswith("at ") or line[:1] not in (" ", "\t"):
        return None
    text = text.removeprefix("at ").removeprefix("async ").removesuffix(" {")
    site = _SITE.fullmatch(text)
    symbol = text.rpartition(" (")[0] or None if text.endswith(")") else None
    if site is None:
        return Place(file=f"<{text[:80].strip('<>')}>", symbol=symbol)
    return Place(file=site[1], line=number(site[2]), column=number(site[3]), symbol=symbol)


@dataclass(slots=True)
class _Stack:
    """One error while it is read."""

    above: list[tuple[int, str]] = field(default_factory=list)
    """Lines since the last gap, with their numbers."""
    frames: list[Place] = field(default_factory=list)
    thrown_at: Place | None = None
    first: int = -1


def _thrown_at(lines: Sequence[str], at: int) -> Place | None:
    """Node says first of all where it was: the place, the source line, a marker below it."""
    if at + 2 >= len(lines) or not any(_CARET.fullmatch(line) for line in lines[at + 1 : at + 4]):
        return None
    file, _, line = lines[at].strip().rpartition(":")
    if not file.removeprefix("file://").startswith(("/", "node:", "evalmachine", "[")) or number(line) is None:
        return None
    marker = next(line for line in lines[at + 1 : at + 4] if _CARET.fullmatch(line))
    return Place(file=file.removeprefix("file://"), line=number(line), column=len(marker) - len(marker.lstrip()) + 1)


def _built(stack: _Stack) -> tuple[Problem, bool, int] | None:
    """(error, whether it is the cause of the one before, its first line); None where no words name one."""
    heads = ((at, index, said) for index, (at, line) in enumerate(stack.above)
             if (said := _HEAD.fullmatch(line)) is not None and _names(said))
    at, index, said = next(heads, (0, 0, None))
    if said is None:
        return None
    more = [line for _, line in stack.above[index + 1 :]]
    message = "\n".join([said[4] or "", *([] if any(_CARET.fullmatch(line) for line in more) else more)]).strip()
    frames = stack.frames[::-1]
    if not any(_outside(one) for one in frames):
        frames = [*frames, *([stack.thrown_at] if stack.thrown_at is not None else []), *_importer(message)]
    refused = said[2] == "SyntaxError" and not any(_outside(one) for one in stack.frames)
    name = said[3] if said[2] == "DOMException" and said[3] else said[2]
    what = (code_kind(said[3] or "") if said[2] != "SyntaxError" else None) or kind(name, message, runs=not refused)
    return problem(what, message, name=name, frames=frames), bool(said[1] and "ause" in said[1]), at


def _importer(message: str) -> list[Place]:
    """A module that is missed by an import is told without a line."""
    said = _IMPORTER.search(message)
    return [Place(file=said[1])] if said is not None else []


def _names(said: re.Match[str]) -> bool:
    """Whether the words name an error: ``Note: …`` does not."""
    return said[2].endswith(("Error", "Exception", "Rejection")) or (said[4] is not None and said[2] in (
        "Error", "error", "DOMException", "AssertionError")) or said[3] is not None


def _outside(place: Place) -> bool:
    return not place.file.startswith(("node:", "<", "internal/")) and "/node_modules/" not in place.file


def stacks(lines: Sequence[str]) -> Iterator[Found]:
    """Every stack with the words above it; a cause before what came of it."""
    chain: list[tuple[Problem, int, int]] = []
    stack = _Stack()
    for at, line in enumerate([*lines, ""]):
        place = frame(line)
        if place is not None:
            stack.frames.append(place)
            stack.first = stack.first if stack.first >= 0 else at
            continue
        if stack.frames and line.strip().startswith("... ") and line.rstrip().endswith("..."):
            continue
        if stack.frames:
            yield from _close(stack, chain, last=at - 1)
            stack = _Stack()
        stack.thrown_at = _thrown_at(lines, at) or stack.thrown_at
        stack.above = [*stack.above, (at, line)][-_MOST_ABOVE:] if line.strip() else (
            stack.above if stack.above and _goes_on(lines, at) else [])
    yield from _linked(chain)


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether a message goes on after an empty line: its frames come soon and nothing else begins before them."""
    ahead = lines[at + 1 : at + 25]
    until = next((step for step, line in enumerate(ahead) if frame(line) is not None), None)
    return until is not None and not any((_HEAD.fullmatch(line) and _names(_HEAD.fullmatch(line)))  # type: ignore[arg-type]  # it matched
                                         or _thrown_at(ahead, step) is not None
                                         for step, line in enumerate(ahead[:until]))


def _close(stack: _Stack, chain: list[tuple[Problem, int, int]], *, last: int) -> Iterator[Found]:
    built = _built(stack)
    if built is None:
        return
    error, is_cause, first = built
    if not is_cause:
        yield from _linked(chain)
        chain.clear()
    chain.append((error, first, last))


def _linked(chain: Sequence[tuple[Problem, int, int]]) -> Iterator[Found]:
    """A cause is printed below what it caused, so the chain is turned around."""
    if chain:
        first, last = chain[0][1], chain[-1][2]
        for error in chained([error for error, _, _ in chain][::-1]):
            yield Found(problem=error, first=first, last=last)


def _others(lines: Sequence[str]) -> Iterator[Found]:
    """What is thrown without a stack, and what ends the runtime itself."""
    for at, line in enumerate(lines):
        if line.startswith("FATAL ERROR: ") and (said := _HEAP.match(line)) is not None:
            what = ProblemKind.MEMORY if "memory" in said[1] or "heap" in said[1] else ProblemKind.CRASH
            yield Found(problem=problem(what, said[1], name="FATAL ERROR"), first=at, last=at)
        elif line.startswith(_HINT):
            place = next((found for step in range(max(0, at - 12), at)
                          if (found := _thrown_at(lines, step)) is not None), None)
            words = lines[at - 1].removeprefix("Uncaught ").strip()
            yield Found(problem=problem(ProblemKind.UNHANDLED, words, name="Uncaught", frames=[place] if place else ()),
                        first=at - 1, last=at)


def read(lines: Sequence[str]) -> list[Found]:
    """Stacks first, then what has none."""
    found = list(stacks(lines))
    taken = {at for one in found for at in range(one.first, one.last + 1)}
    others = [one for one in _others(lines) if one.first not in taken]
    return [*found, *others]


READER = Reader(name="node", language="javascript", read=read, examples=(
    Example(output="""\
/workspace/cart.js:5
    throw new Error("settings unreadable", { cause: error });
    ^

Error: settings unreadable
    at read (/workspace/cart.js:5:11)
    at node:internal/main/run_main_module:28:49 {
  [cause]: TypeError: Cannot read properties of undefined (reading 'port')
      at read (/workspace/cart.js:3:10)
      at node:internal/main/run_main_module:28:49
}

Node.js v20.20.2
""", problems=(("null", "cart.js", 3), ("generic", "cart.js", 5))),
    Example(output="listening at port 3000\n"),
))
