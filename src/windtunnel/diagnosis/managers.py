"""Package managers and build tools: what is missing or misconfigured before any code was looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import Example, Found, Reader, kind_of, patterns, problem

_STARTS = ("npm ERR! ", "npm error ", "ERROR: ", "[ERROR] ", "* What went wrong", "> ", "FAILURE: ", "yarn error",
           "error ", " ERR_PNPM", "make: ", "make[")
_WORDS = patterns(
    ((r"No matching distribution found|Could not find a version that satisfies|ResolutionImpossible|"
     r"Could not resolve dependencies|Could not find artifact|unable to resolve dependency|\bERESOLVE\b|\bE404\b|"
     r"\bETARGET\b|Could not resolve all (?:files|dependencies)|Could not find \S+:\S+:\S+|notarget|"
     r"Plugin .{1,200} could not be resolved|ERR_PNPM_NO_MATCHING"), K.DEPENDENCY),
    ((r"Missing script|EJSONPARSE|Non-parseable POM|Invalid package\.json|enoent .{0,80}package\.json|No such target|"
     r"No rule to make target|Could not open requirements file|Invalid requirement|build file .{1,200} line:|"
     r"no POM in this directory|Malformed POM|Unrecognised tag|does not (?:appear to be|contain) .{0,40}Python project|"
     r"Task .{1,80} not found in root project|Could not find method"), K.CONFIGURATION),
    (r"\bEACCES\b|Permission denied", K.PERMISSION),
    ((r"\bENOTFOUND\b|\bECONNREFUSED\b|\bEAI_AGAIN\b|Connection refused|Temporary failure in name resolution|"
     r"NewConnectionError"), K.NETWORK),
    (r"\bENOSPC\b|No space left", K.IO),
)


def read(lines: Sequence[str]) -> Iterator[Found]:
    """The first line of each meaning: managers say the same thing many times."""
    seen: set[str] = set()
    for at, line in enumerate(lines):
        if not line.startswith(_STARTS):
            continue
        what = kind_of(line, _WORDS)
        if what is None or what in seen:
            continue
        seen.add(what)
        words = re.sub(r"^(?:npm (?:ERR!|error)|ERROR:|\[ERROR\]|>|FAILURE:) *", "", line)
        yield Found(problem=problem(what, words, name=line.split()[0].strip(":")), first=at, last=at)


READER = Reader(name="build", language="", read=read, examples=(
    Example(output="ERROR: No matching distribution found for shopp\n", problems=(("dependency", None, None),)),
    Example(output="> all is well\n"),
))
