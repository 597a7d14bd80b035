"""Facts and analyses as bytes to be kept, and back; what does not fit is no answer, never an error."""

from __future__ import annotations

import json
import zlib
from array import array
from dataclasses import replace

from windtunnel.analysis.facts import Facts, Function
from windtunnel.core.analysis import Analysis, Dependency
from windtunnel.core.plain import plain
from windtunnel.core.revive import revive

_LENGTH = 4
_MOST = 256 * 1024**2


def packed(facts: Facts) -> bytes:
    """One file's facts."""
    functions = None if facts.functions is None else [
        [one.name, one.line, one.cyclomatic, one.lines, one.volume] for one in facts.functions]
    head = json.dumps([facts.language, facts.state, facts.bytes, facts.lines, facts.code_lines, facts.branches,
                       functions], separators=(",", ":")).encode()
    return len(head).to_bytes(_LENGTH, "big") + head + facts.hashes.tobytes()


def unpacked(told: bytes) -> Facts | None:
    """The facts again; none where these bytes are not some."""
    try:
        end = _LENGTH + int.from_bytes(told[:_LENGTH], "big")
        language, state, size, lines, code, branches, functions = json.loads(told[_LENGTH:end])
        made = Facts(language=language, state=state, bytes=size, lines=lines, code_lines=code, branches=branches,
                     hashes=array("I", told[end:]))
        if functions is not None:
            made.functions = tuple(Function(name=name, line=line, cyclomatic=cyclomatic, lines=long, volume=volume)
                                   for name, line, cyclomatic, long, volume in functions)
    except (ValueError, TypeError, OverflowError):
        return None
    return made


def kept(analysis: Analysis) -> bytes:
    """A whole analysis."""
    return zlib.compress(json.dumps(analysis, default=plain, separators=(",", ":")).encode(), 1)


def revived(told: bytes | None) -> Analysis | None:
    """The analysis again. Dependencies, of which there can be thousands, are taken as they were written."""
    if told is None:
        return None
    try:
        unzipped = zlib.decompressobj()
        value = json.loads(unzipped.decompress(told, _MOST))
        listed = value["dependencies"].pop("dependencies")
        made = revive(Analysis, value)
        every = tuple(Dependency(**one) for one in listed)
    except (ValueError, TypeError, KeyError, zlib.error, RecursionError):
        return None
    return replace(made, dependencies=replace(made.dependencies, dependencies=every))
