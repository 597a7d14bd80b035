"""What the words of the Go compiler, vet and the runtime mean."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import kind_of, patterns

_BUILD = patterns(
    ((r"^syntax error|^expected |unexpected newline|invalid character|string literal not terminated|not terminated|"
     r"illegal (?:character|UTF-8)|missing (?:ending|function body)|non-declaration statement|rune literal|"
     r"unknown escape|cannot parse|misplaced|is not in a loop|(?:break|continue) .{0,20}not|label .{1,80} not defined"),
     K.SYNTAX),
    ((r"imported and not used|declared (?:but|and) not used|is not used|label .{1,80} defined and not used|"
     r"result of .{1,80} call not used|self-assignment|unusedresult|ineffectual"), K.UNUSED),
    ((r"no required module provides|missing go\.sum entry|cannot find module providing|unrecognized import path|"
     r"module lookup disabled|updates to go\.(?:mod|sum) needed|inconsistent vendoring|unknown revision|"
     r"module .{1,200} found .{0,80}but does not contain"), K.DEPENDENCY),
    ((r"is not in (?:GOROOT|std)|could not import|cannot find package|import cycle|is a program, not an importable|"
     r"use of internal package|no Go files in|package .{1,200} is not in"), K.IMPORT),
    ((r"redeclared|duplicate (?:case|key|field|method|argument|index)|already declared|no new variables|"
     r"other declaration"), K.DUPLICATE),
    ((r"missing return|unreachable code|used as value|self-reference|initialization cycle|invalid recursive|"
     r"too many errors"), K.FLOW),
    ((r"not enough arguments|too many arguments|wrong number of args|not enough return values|too many return values|"
     r"assignment mismatch|needs? \d+ args?|reads arg #\d+, but|call needs|missing argument|has arguments but no|"
     r"too (?:few|many) values|cannot infer|got \d+ (?:type )?arguments|not enough type|wants \d+"), K.ARGUMENT),
    (r"unexported|not exported|cannot refer to", K.ACCESS),
    ((r"missing method|does not implement|impossible type (?:assertion|switch)|wrong type for method|should have "
     r"signature|must have (?:the )?signature|non-interface type"), K.INTERFACE),
    (r"undefined: \w+\.[a-z_]", K.ACCESS), (r"undefined: \w+\.[A-Z]", K.ATTRIBUTE),
    (r"undefined: |undeclared name|undeclared in the main package|undefined .{1,40}\(type", K.NAME),
    (r"undefined \(|has no field or method|unknown field|ambiguous selector|has no field", K.ATTRIBUTE),
    (r"cannot assign to|neither addressable|cannot take the address of|strings are immutable|cannot take address",
     K.IMMUTABLE),
    (r"overflows|constant .{1,80} overflow|truncated|shift count|\bmust not be negative", K.OVERFLOW),
    (r"division by zero", K.ARITHMETIC),
    (r"out of (?:bounds|range)|invalid (?:array|slice) index|invalid argument: index", K.INDEX),
    (r"nil (?:dereference|pointer)|use of untyped nil|invalid operation: .{1,80}nil", K.NULL),
    ((r"passes lock by value|copies lock|loop variable .{1,80} captured|deadlock|data race|called from a non-test "
     r"goroutine|possible misuse of|lostcancel|cancel function|WaitGroup"), K.CONCURRENCY),
    ((r"of wrong type|cannot use|mismatched types|cannot convert|invalid operation|is not a type|not an expression|"
     r"invalid argument|non-bool|cannot call|cannot (?:range|index|slice|compare)|must be (?:integer|interface|type)|"
     r"unrecognized (?:printf|formatting)|Printf format|untyped|invalid receiver|incompatible|not defined on|"
     r"type .{1,80} has no|cannot type|is not an interface|unsupported|impossible"), K.TYPE),
    ((r"go\.mod|go\.work|build constraints|unknown directive|malformed module|invalid go version|requires go|"
     r"found packages|no such tool|unknown command|flag provided|usage: "), K.CONFIGURATION),
    (r"struct field tag|should be|possible formatting directive|redundant|composite literal|unkeyed fields", K.STYLE),
    (r"no such file|is a directory", K.IO),
)
_RUN = patterns(
    (r"index out of range|slice bounds out of range|out of bounds|length out of range", K.INDEX),
    (r"nil pointer dereference|nil map|invalid memory address|nil func", K.NULL), (r"divide by zero", K.ARITHMETIC),
    ((r"interface conversion|incomparable|unhashable|comparing uncomparable|hash of unhashable|reflect:|"
     r"reflect\."), K.TYPE),
    ((r"all goroutines are asleep|concurrent map|close of (?:closed|nil) channel|send on closed channel|"
     r"negative WaitGroup|WaitGroup is reused|unlock of unlocked|Unlock of unlocked|DATA RACE|sync: "), K.CONCURRENCY),
    (r"stack overflow|goroutine stack exceeds", K.RECURSION),
    (r"out of memory|cannot allocate|makeslice: (?:len|cap)|growslice", K.MEMORY),
    (r"test timed out|deadline exceeded|i/o timeout|context canceled|timed out", K.TIMEOUT),
    ((r"no such file or directory|file exists|is a directory|not a directory|file already closed|bad file|\bEOF\b|"
     r"executable file not found"), K.IO),
    (r"permission denied|operation not permitted", K.PERMISSION),
    (r"connection refused|no such host|network is|dial tcp|address already in use|bind: |connection reset|lookup ",
     K.NETWORK),
    (r"invalid UTF-8|illegal base64|encoding/hex|invalid byte", K.ENCODING),
    ((r"invalid syntax|strconv\.|value out of range|cannot unmarshal|invalid character|unexpected end of JSON|"
     r"parsing time|regexp: |cannot parse|missing unit|unknown unit|invalid argument to|negative (?:shift|Repeat)|"
     r"invalid .{0,40}(?:format|value)|must have at least|unexpected newline|parse \""), K.VALUE),
    (r"not implemented|unimplemented|TODO", K.INTERFACE), (r"unreachable", K.FLOW),
    (r"SIGSEGV|SIGABRT|SIGBUS|unexpected signal|fault address|fatal: morestack", K.CRASH),
    (r"^missing key|key .{0,80}not found", K.KEY),
)


def build_kind(message: str) -> K:
    """What the compiler or vet says."""
    return kind_of(message, _BUILD) or K.GENERIC


def run_kind(message: str) -> K:
    """What a panic, a fatal error or an error that was printed says."""
    return kind_of(message, _RUN) or K.GENERIC
