"""What the codes of rustc, and the words of panics, mean."""

from __future__ import annotations

import re

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import kind_of, patterns

_CODES = {
    K.NAME: (425, 412, 405, 422, 423, 424, 426, 430, 431, 434, 531, 532, 574, 601, 408, 411, 404, 573, 220, 658),
    K.IMPORT: (432, 583, 429, 254, 255, 260, 365, 364, 573, 433),
    K.ATTRIBUTE: (599, 609, 610, 560, 559, 26, 769),
    K.ARGUMENT: (61, 107, 50, 57, 60, 63, 23, 27, 49, 131),
    K.BORROW: (382, 499, 502, 503, 505, 506, 507, 508, 509, 515, 597, 716, 106, 373, 521, 621, 700, 310, 261, 495, 309,
               262, 263, 312, 501, 510, 524, 626, 712, 713, 726, 792),
    K.IMMUTABLE: (384, 594, 596),
    K.ACCESS: (603, 616, 624, 451, 133, 446, 742),
    K.DUPLICATE: (428, 124, 415, 416, 201, 119, 252, 403, 416, 592, 62),
    K.INTERFACE: (46, 407, 437, 438, 53, 186, 185, 117, 195, 184, 204, 323, 38, 191, 276, 210),
    K.FLOW: (4, 5, 381, 317, 590, 695),
    K.SYNTAX: (267, 268, 765, 758, 762, 763, 766, 571, 728, 752, 586, 70, 67, 748, 768, 584, 585, 572),
    K.DEPENDENCY: (463, 460, 461, 464, 514),
    K.RECURSION: (72, 391, 275, 733),
    K.INDEX: (527, 528),
    K.TYPE: (308, 277, 369, 614, 618, 604, 605, 606, 607, 282, 283, 600, 608),
}
_BY_CODE = {code: what for what, codes in _CODES.items() for code in codes}
_LINTS = {
    "unused": K.UNUSED, "dead_code": K.UNUSED, "unreachable": K.FLOW, "overflow": K.OVERFLOW,
    "unconditional_recursion": K.RECURSION, "deprecated": K.STYLE, "non_snake": K.STYLE, "non_camel": K.STYLE,
    "non_upper": K.STYLE, "irrefutable": K.FLOW,
}
_SAID = patterns(
    (r"unused|never (?:used|read|constructed)|is assigned to, but|value .{1,80} is never", K.UNUSED),
    (r"unreachable", K.FLOW), (r"arithmetic operation will overflow|literal out of range", K.OVERFLOW),
    (r"recurs", K.RECURSION),
    ((r"expected|unexpected|unclosed|mismatched|unterminated|unknown start of token|missing `|this file contains|"
     r"invalid (?:suffix|literal)|must be|leading `|comparison operators cannot|found reserved|macro expansion|"
     r"cannot be (?:the name|followed)|outside of|incorrect|not followed by|prefix `"), K.SYNTAX),
    (r"cannot find (?:macro|attribute|derive)", K.NAME),
    ((r"no matching package|failed to (?:select a version|get|load source|resolve patches|download)|unresolved "
     r"dependencies|crate .{1,80} (?:not found|required)"), K.DEPENDENCY),
    ((r"failed to parse|could not find `Cargo|manifest|could not parse|no targets|can't find .{1,80} (?:bin|lib)|"
     r"linking with|linker|no bin target|a bin target must|feature `|duplicate key|virtual manifest|"
     r"package `.{1,80}` does not have|cannot specify|edition"), K.CONFIGURATION),
    (r"lifetime|borrow|does not live long enough", K.BORROW), ((r"format argument|positional argument|argument never "
                                                              r"used"), K.ARGUMENT),
    (r"custom attribute|cannot determine resolution", K.NAME), (r"couldn't read|No such file", K.IO),
)
_CONSTANT = patterns((r"overflow", K.OVERFLOW), (r"divi(?:de|sion)|remainder", K.ARITHMETIC),
                     (r"index out of bounds|out of bounds", K.INDEX), (r"attempt to", K.OVERFLOW))
_RUN = patterns(
    ((r"index out of bounds|range (?:end|start) index|slice index|byte index|out of range for slice|index \d+ out of|"
     r"removal index|insertion index|swap_remove index|is not a char boundary|split_at|mid > len|"
     r"begin <= end|index: "), K.INDEX),
    (r"Option::(?:unwrap|expect)|on a `None` value", K.NULL), (r"no entry found for key", K.KEY),
    (r"divi(?:de|sion) by zero|remainder with a divisor of zero|divisor of zero", K.ARITHMETIC),
    ((r"with overflow|out of range integral|TryFromIntError|capacity overflow|overflow when|OutOfRange|PosOverflow|"
     r"NegOverflow|number too (?:large|small)"), K.OVERFLOW),
    (r"^assertion|assertion failed|did not panic as expected|panic did not contain|returned a termination value",
     K.ASSERTION),
    (r"already (?:mutably )?borrowed|BorrowMutError|BorrowError", K.BORROW),
    (r"PoisonError|RecvError|SendError|deadlock|channel|WouldBlock|poisoned|lock", K.CONCURRENCY),
    (r"not (?:yet )?implemented", K.INTERFACE), (r"unreachable code", K.FLOW), (r"overflowed its stack", K.RECURSION),
    (r"memory allocation of|out of memory|allocation failed", K.MEMORY),
    (r"PermissionDenied|Permission denied", K.PERMISSION),
    ((r"ConnectionRefused|AddrInUse|AddrNotAvailable|ConnectionReset|failed to lookup address|NetworkUnreachable|"
     r"Connection refused"), K.NETWORK),
    (r"TimedOut|Timeout|timed out", K.TIMEOUT),
    (r"NotFound|Os \{|No such file|UnexpectedEof|AlreadyExists|os error|IsADirectory|NotADirectory", K.IO),
    (r"Utf8Error|FromUtf8Error|invalid utf-8|InvalidUnicode|NotUnicode|stream did not contain valid UTF-8|FromUtf16",
     K.ENCODING),
    ((r"Parse\w*Error|InvalidDigit|invalid digit|invalid (?:float|value|length)|CharTryFrom|Invalid|TryFromSlice|"
     r"NotPresent|SystemTimeError|must be|LayoutError"), K.VALUE),
    (r"Result::(?:unwrap|expect|unwrap_err)|on an `Err` value|on an `Ok` value", K.UNHANDLED),
    (r"fatal runtime error|SIGSEGV|SIGABRT|signal: 11", K.CRASH),
    (r"min > max|min <= max|chunk.size must|size must be non-zero|step != 0|attempt to join|exceeds|Duration",
     K.VALUE),
)


def code_kind(code: str, message: str) -> K:
    """What ``E0308`` or the name of a lint means; where there is none, what the message says."""
    if code == "E0433" and "undeclared type" in message:
        return K.NAME
    if code == "E0080" or "operation will panic" in message or "will overflow" in message:
        return kind_of(message, _CONSTANT) or K.VALUE
    if code.startswith("E") and code[1:].isdecimal():
        return _BY_CODE.get(int(code[1:5]), K.TYPE)
    lint = next((what for part, what in _LINTS.items() if part in code), None)
    return lint or kind_of(message, _SAID) or (K.STYLE if code else K.GENERIC)


def panic_kind(kind: str, message: str, *, code: str) -> str:
    """A panic with words of its own, by the line that it is at: an ``assert!``, or an ``expect`` of nothing.

    What ``Result::expect`` says goes on with the error, so words that stand alone are those of ``Option::expect``.
    """
    if kind == K.GENERIC and re.search(r"\bassert(?:_eq|_ne)?!\s*\(", code):
        return K.ASSERTION
    return K.NULL if kind == K.GENERIC and f'.expect("{message}")' in code else kind


def run_kind(message: str) -> K:
    """What a panic or an error that main returned says."""
    return kind_of(message, _RUN) or K.GENERIC
