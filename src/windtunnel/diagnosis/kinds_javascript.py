"""What the errors of JavaScript engines mean."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import kind_of, named_kind, patterns

_NAMES = {
    "ReferenceError": K.NAME, "TypeError": K.TYPE, "SyntaxError": K.SYNTAX, "RangeError": K.VALUE,
    "URIError": K.ENCODING, "AssertionError": K.ASSERTION, "JestAssertionError": K.ASSERTION,
    "TimeoutError": K.TIMEOUT, "DataCloneError": K.VALUE, "InvalidCharacterError": K.ENCODING,
    "UnhandledPromiseRejection": K.UNHANDLED, "NotCapable": K.PERMISSION, "CompileError": K.SYNTAX,
}
_CODES = patterns(
    ((r"ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:module|package)|ERR_PACKAGE_PATH_NOT_EXPORTED|"
     r"ERR_UNSUPPORTED_DIR_IMPORT|ERR_REQUIRE_ESM|does not provide an export|ERR_UNKNOWN_BUILTIN_MODULE|"
     r"No such built-in module|ERR_PACKAGE_IMPORT_NOT_DEFINED"), K.IMPORT),
    (r"ERR_UNKNOWN_FILE_EXTENSION|ERR_INVALID_PACKAGE_CONFIG|ERR_INVALID_PACKAGE_TARGET", K.CONFIGURATION),
    (r"ERR_ASSERTION", K.ASSERTION), (r"ERR_UNHANDLED_REJECTION", K.UNHANDLED), (r"ERR_UNHANDLED_ERROR", K.UNHANDLED),
    (r"heap out of memory|Array buffer allocation failed|Invalid string length|ERR_STRING_TOO_LONG", K.MEMORY),
    (r"\b(?:EACCES|EPERM|ERR_ACCESS_DENIED)\b", K.PERMISSION), (r"\b(?:ETIMEDOUT|ESOCKETTIMEDOUT)\b", K.TIMEOUT),
    ((r"\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EADDRINUSE|EADDRNOTAVAIL|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b|"
     r"^fetch failed|ERR_SOCKET_BAD_PORT|ERR_SOCKET|ERR_TLS"), K.NETWORK),
    ((r"\b(?:ENOENT|EISDIR|ENOTDIR|EEXIST|ENOTEMPTY|EMFILE|ENOSPC|EPIPE|EBADF|EROFS|ELOOP|EINVAL|ENAMETOOLONG)\b|"
     r"ERR_STREAM"), K.IO),
    (r"ERR_INVALID_ARG_TYPE", K.TYPE), (r"ERR_MISSING_ARGS", K.ARGUMENT),
    (r"ERR_BUFFER_OUT_OF_BOUNDS|outside the bounds", K.INDEX), (r"ERR_ENCODING|ERR_UNKNOWN_ENCODING", K.ENCODING),
    (r"ERR_METHOD_NOT_IMPLEMENTED", K.INTERFACE),
    (r"Exceeded timeout|timed? ?out\b", K.TIMEOUT),
)
_REFINED = {
    "TypeError": patterns(
        ((r"of (?:undefined|null)\b|(?:undefined|null) (?:or null )?(?:is not|to object)|as it is (?:undefined|null)|"
         r"^(?:undefined|null|object null) |null \(reading|or not iterable|(?:undefined|null) has no properties|"
         r"\((?:intermediate value|near)[^)]{0,80}\) is (?:undefined|null)"), K.NULL),
        ((r"^Assignment to constant|read[ -]only|not extensible|Cannot (?:delete|redefine) property|only a getter|"
         r"Cannot assign to"), K.IMMUTABLE),
        (r"private (?:member|field|method|accessor)", K.ACCESS),
        (r"[\w\])]\.[\w$#]+ is not a function", K.ATTRIBUTE), (r"circular structure", K.RECURSION),
        (r"Invalid URL|Invalid time|not valid (?:JSON|language)", K.VALUE),
        (r"arguments? (?:are )?required|requires? (?:at least )?\d+ argument|Reduce of empty array", K.ARGUMENT)),
    "ReferenceError": patterns(
        (r"before initiali[sz]ation", K.FLOW), (r"Must call super|super constructor", K.FLOW),
        (r"Invalid left-hand side", K.SYNTAX)),
    "SyntaxError": patterns(
        (r"JSON|Unexpected end of input at position", K.VALUE), (r"has already been declared|Duplicate", K.DUPLICATE),
        (r"does not provide an export|named export|requested module", K.IMPORT),
        (r"Private field", K.NAME), (r"Invalid regular expression", K.VALUE), (r"Cannot convert .{1,80} to a BigInt",
                                                                                  K.VALUE)),
    "RangeError": patterns(
        (r"Maximum call stack", K.RECURSION), (r"Division by zero", K.ARITHMETIC),
        (r"allocation|out of memory", K.MEMORY), (r"outside the bounds|out of bounds|Out of bounds", K.INDEX),
        (r"too (?:big|large) to|Maximum BigInt size", K.OVERFLOW)),
    "Error": patterns((r"not implemented", K.INTERFACE)),
}
_STATIC = patterns((r"Invalid regular expression", K.SYNTAX))


def kind(name: str, message: str, *, runs: bool = True) -> K:
    """What an error means; ``runs`` is false where the text of the program itself was refused."""
    last = name.rpartition(".")[2]
    if last == "SyntaxError" and not runs and (found := kind_of(message, _STATIC)) is not None:
        return found
    if last not in ("SyntaxError", "ReferenceError", "AssertionError") and (
            found := kind_of(f"{message}", _CODES)) is not None:
        return found
    return named_kind(last, message, names=_NAMES, refined=_REFINED)


def code_kind(code: str) -> K | None:
    """What a code such as ``ERR_ASSERTION`` says."""
    return kind_of(code, _CODES)
