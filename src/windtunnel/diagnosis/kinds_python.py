"""What Python's exceptions mean."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import kind_of, named_kind, patterns

_NAMES = {
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), K.SYNTAX),
    **dict.fromkeys(("ImportError", "ModuleNotFoundError", "zipimport.ZipImportError"), K.IMPORT),
    **dict.fromkeys(("ValueError", "JSONDecodeError", "TOMLDecodeError", "StopIteration", "StopAsyncIteration",
                     "PatternError", "ParseError", "UnpicklingError", "BinasciiError", "InvalidOperation",
                     "ExpatError", "BadZipFile", "LookupError", "ArgumentTypeError"), K.VALUE),
    **dict.fromkeys(("ZeroDivisionError", "FloatingPointError", "ArithmeticError", "DivisionByZero",
                     "DivisionUndefined",
                     "StatisticsError"), K.ARITHMETIC),
    **dict.fromkeys(("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "UnicodeError"), K.ENCODING),
    **dict.fromkeys(("FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "FileExistsError", "OSError",
                     "IOError", "EOFError", "BrokenPipeError", "BlockingIOError", "ChildProcessError",
                     "ProcessLookupError", "CalledProcessError", "UnsupportedOperation"), K.IO),
    **dict.fromkeys(("ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "ConnectionAbortedError",
                     "gaierror", "herror", "URLError", "HTTPError", "SSLError", "SSLCertVerificationError",
                     "RemoteDisconnected", "InvalidURL"), K.NETWORK),
    **dict.fromkeys(("TimeoutError", "TimeoutExpired", "Timeout", "ReadTimeout", "ConnectTimeout"), K.TIMEOUT),
    **dict.fromkeys(("BrokenBarrierError", "InvalidStateError", "CancelledError", "Empty", "Full",
                     "BrokenProcessPool", "QueueShutDown", "IncompleteReadError"), K.CONCURRENCY),
    **dict.fromkeys(("DistributionNotFound", "PackageNotFoundError", "VersionConflict"), K.DEPENDENCY),
    **dict.fromkeys(("NoSectionError", "NoOptionError", "DuplicateSectionError", "DuplicateOptionError",
                     "MissingSectionHeaderError", "ParsingError", "ImproperlyConfigured", "UsageError",
                     "InterpolationMissingOptionError"), K.CONFIGURATION),
    **dict.fromkeys(("AssertionError", "Failed", "ComparisonFailure", "XPASS"), K.ASSERTION),
    "NameError": K.NAME, "UnboundLocalError": K.FLOW, "AttributeError": K.ATTRIBUTE, "TypeError": K.TYPE,
    "KeyError": K.KEY, "IndexError": K.INDEX, "OverflowError": K.OVERFLOW, "RecursionError": K.RECURSION,
    "PermissionError": K.PERMISSION, "MemoryError": K.MEMORY, "NotImplementedError": K.INTERFACE,
    "FrozenInstanceError": K.IMMUTABLE, "CircularDependencyError": K.IMPORT, "InterruptedError": K.CONCURRENCY,
}
_ARGUMENTS = (
    r"takes .{0,80}positional argument|missing \d+ required|unexpected keyword argument|multiple values for|"
    r"takes (?:no|exactly|at most|at least) .{0,20}(?:arguments?|keyword)|"
    r"expected (?:at (?:least|most) )?\d+ arguments?|"
    r"required argument|takes no (?:keyword )?arguments|(?:is|are) (?:an )?invalid keyword argument|"
    r"not enough arguments for format|not all arguments converted|missing a required argument|"
    r"positional-only arguments passed|missing required argument")
_SYSTEM = (
    (r"\[Errno (?:1|13)\]", K.PERMISSION), (r"\[Errno (?:12)\]", K.MEMORY), (r"\[Errno 110\]", K.TIMEOUT),
    (r"\[Errno (?:98|99|100|101|103|104|111|113|-\d)\]", K.NETWORK))
_REFINED = {
    "TypeError": patterns(
        (_ARGUMENTS, K.ARGUMENT),
        (r"does not support item (?:assignment|deletion)|cannot set .{0,80}attribute of immutable type", K.IMMUTABLE),
        (r"'NoneType'|\bNoneType\b.{0,40}(?:object|and|not)|not NoneType", K.NULL),
        (r"Can't instantiate abstract class", K.INTERFACE)),
    "AttributeError": patterns(
        (r"partially initialized module|circular import", K.IMPORT), (r"'NoneType' object", K.NULL),
        (r"can't (?:set|delete) attribute|has no (?:setter|deleter)|is read-only|cannot assign to field", K.IMMUTABLE)),
    "SyntaxError": patterns(
        (r"codec can't decode|Non-UTF-8|unknown encoding|encoding problem", K.ENCODING),
        (r"duplicate argument", K.DUPLICATE),
        (r"(?:assigned to|used) prior to global|is parameter and global|no binding for nonlocal", K.NAME)),
    "ImportError": patterns((r"^.{0,40}undefined symbol", K.DEPENDENCY)),
    "UnboundLocalError": (),
    "RuntimeError": patterns(
        ((r"changed (?:size|during)|mutated during|event loop|release un|un-?acquired|start new thread|"
         r"threads can only|cannot join|shutdown|never awaited|attached to a different loop|already running|"
         r"cannot reuse already awaited|cannot notify|cannot wait on"), K.CONCURRENCY),
        (r"recursion", K.RECURSION), (r"generator raised StopIteration", K.VALUE),
        (r"(?:not|n't|un)[ -]?(?:compiled|initiali[sz]ed|configured)", K.GENERIC)),
    "OSError": patterns(*_SYSTEM), "IOError": patterns(*_SYSTEM), "error": patterns(
        *_SYSTEM, (r"bytes for|argument out of range|requires a buffer|unpack requires|format", K.VALUE),
        (r"at position \d|unterminated|nothing to repeat|missing \)|unbalanced", K.VALUE)),
    "ValueError": patterns(
        (r"I/O operation on closed", K.IO), (r"embedded null", K.VALUE), (r"math domain error", K.ARITHMETIC),
        (r"Circular reference", K.RECURSION), (r"negative shift count", K.ARITHMETIC)),
    "Failed": patterns((r"Timeout >|timed out", K.TIMEOUT)),
    "EOFError": (),
    "OperationalError": patterns((r"no such (?:table|column)", K.NAME), (r"unable to open", K.IO),
                                 (r"locked", K.CONCURRENCY), (r"syntax error", K.SYNTAX)),
    "IntegrityError": patterns((r"UNIQUE", K.DUPLICATE), (r".", K.VALUE)),
}
_ENDINGS = patterns(
    (r"(?:^|[a-z])Timeout(?:Error|Expired|Exception)?$|TimedOut", K.TIMEOUT), (r"Decode|Encoding|Unicode", K.ENCODING),
    (r"Permission|Forbidden|AccessDenied", K.PERMISSION), (r"Warning$", K.STYLE))


def kind(name: str, message: str) -> K:
    """What an exception means; the program's own are generic, unless the name says more."""
    found = named_kind(name, message, names=_NAMES, refined=_REFINED)
    return found if found is not K.GENERIC else kind_of(name.rpartition(".")[2], _ENDINGS) or K.GENERIC
