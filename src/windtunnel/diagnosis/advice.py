"""What usually lies behind each kind of problem, likeliest first."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind as K

_ADVICE: dict[K, tuple[str, ...]] = {
    K.SYNTAX: ("an unclosed bracket or quote on this line or the one before",),
    K.NAME: ("a misspelt name", "a missing import", "a name of another scope"),
    K.IMPORT: ("a misspelt module or member", "a package that is not installed", "two modules that import each other"),
    K.ATTRIBUTE: ("a misspelt member", "a value of another type than expected"),
    K.TYPE: ("a value of another type than the place takes",),
    K.ARGUMENT: ("a call that was not changed with its function",),
    K.VALUE: ("text or a number outside of what the function takes",),
    K.KEY: ("a key that is misspelt or was never put there",),
    K.INDEX: ("a bound that is off by one", "a sequence that is empty"),
    K.NULL: ("a value that can be missing is used without being looked at",),
    K.ASSERTION: ("the code does not do what its test says", "a test that was not changed with the code"),
    K.ARITHMETIC: ("a divisor that can be zero",),
    K.OVERFLOW: ("a number leaves the range of its type",),
    K.RECURSION: ("a recursion without a base case for this input",),
    K.ENCODING: ("bytes in another encoding than expected",),
    K.IO: ("a file that is not there, or a path read from another folder",),
    K.PERMISSION: ("a file or call that the process has no right to",),
    K.NETWORK: ("a host that cannot be reached; sandboxes have no network unless it is asked for",),
    K.TIMEOUT: ("a loop or a wait without end", "a limit that is too low"),
    K.MEMORY: ("data kept that could be let go", "a limit that is too low"),
    K.CONCURRENCY: ("a lock, channel or collection used by two at once",),
    K.BORROW: ("a value used after it was moved, or borrowed twice",),
    K.UNUSED: ("what was left over after an edit",),
    K.DUPLICATE: ("the same name defined twice",),
    K.IMMUTABLE: ("a constant that is given a new value",),
    K.ACCESS: ("a private member used from outside",),
    K.UNHANDLED: ("an error that can happen and is not handled",),
    K.FLOW: ("a branch that returns or sets nothing",),
    K.INTERFACE: ("a method that is not written yet, or has another signature",),
    K.DEPENDENCY: ("a package that the manifest does not name or that cannot be fetched",),
    K.CONFIGURATION: ("a setting or manifest that its tool cannot read",),
    K.CRASH: ("a fault in native code", "a limit of the sandbox"),
}


def advice(kind: str) -> tuple[str, ...]:
    """Likely causes of a kind; none for what is generic."""
    return _ADVICE.get(K(kind), ()) if kind in K.__members__.values() else ()
