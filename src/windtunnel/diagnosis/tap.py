"""The Test Anything Protocol, as node's own runner speaks it where nobody watches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.kinds_javascript import code_kind, kind
from windtunnel.diagnosis.node import frame

_FAILED = re.compile(r"(\s*)not ok \d{1,9} - (.{1,400}?)(?: # .*)?")
_FIELD = re.compile(r"(\s+)(\w{1,40}): ?(.*)")
_SITE = re.compile(r"(.{1,600}):(\d{1,9}):(\d{1,9})")
_MOST = 120


def _fields(block: Sequence[str]) -> dict[str, list[str]]:
    """The first level of the block below a failed test, each field with its lines."""
    found: dict[str, list[str]] = {}
    depth, name = -1, ""
    for line in block:
        said = _FIELD.fullmatch(line)
        if said is not None and (depth < 0 or len(said[1]) == depth):
            depth, name = len(said[1]), said[2]
            found[name] = [said[3].strip("'\"")] if said[3] not in ("|-", "|", ">-") else []
        elif name:
            found[name].append(line.strip())
    return found


def read(lines: Sequence[str]) -> Iterator[Found]:
    """One problem for each test that failed by itself."""
    for at, line in enumerate(lines):
        failed = _FAILED.fullmatch(line) if "not ok " in line else None
        if failed is None or at + 1 >= len(lines) or lines[at + 1].strip() != "---":
            continue
        rest = range(at + 2, min(len(lines), at + _MOST))
        end = next((step for step in rest if lines[step].strip() == "..."), min(len(lines), at + _MOST) - 1)
        told = _fields(lines[at + 2 : end])
        if "subtestsFailed" not in told.get("failureType", ()):
            yield _found(told, failed[2], first=at, last=end)


def _found(told: dict[str, list[str]], test: str, *, first: int, last: int) -> Found:
    message = "\n".join(told.get("error", [])).strip()
    name = (told.get("name") or ["Error"])[0]
    code = (told.get("code") or [""])[0]
    frames = [place for line in told.get("stack", []) if (place := frame(f"    at {line}")) is not None][::-1]
    site = _SITE.fullmatch((told.get("location") or [""])[0])
    outer = [Place(file=site[1], line=int(site[2]), column=int(site[3]))] if site is not None else []
    timed_out = "testTimeoutFailure" in told.get("failureType", ())
    what = ProblemKind.TIMEOUT if timed_out else code_kind(code) or kind(name, message)
    return Found(problem=problem(what, message, name=name, frames=[*outer, *frames], test=test), first=first, last=last)


READER = Reader(name="node:test", language="javascript", read=read, examples=(
    Example(output="""\
not ok 1 - counts
  ---
  location: '/workspace/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: "Cannot read properties of undefined (reading 'length')"
  code: 'ERR_TEST_FAILURE'
  name: 'TypeError'
  stack: |-
    count (/workspace/cart.js:1:35)
    TestContext.<anonymous> (/workspace/a.test.js:4:3)
  ...
# fail 1
""", problems=(("null", "cart.js", 1),)),
    Example(output="ok 1 - counts\n# fail 0\n"),
))
