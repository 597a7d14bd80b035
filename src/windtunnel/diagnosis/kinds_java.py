"""What the words of javac and the exceptions of Java mean."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind as K
from windtunnel.diagnosis.base import kind_of, named_kind, patterns

_NAMES = {
    **dict.fromkeys(("ArrayIndexOutOfBoundsException", "StringIndexOutOfBoundsException", "IndexOutOfBoundsException",
                     "EmptyStackException", "BufferUnderflowException", "BufferOverflowException"), K.INDEX),
    **dict.fromkeys(("ClassCastException", "ArrayStoreException", "IncompatibleClassChangeError"), K.TYPE),
    **dict.fromkeys(("NumberFormatException", "IllegalArgumentException", "NoSuchElementException", "ParseException",
                     "InputMismatchException", "NegativeArraySizeException", "DateTimeParseException",
                     "DateTimeException", "PatternSyntaxException", "URISyntaxException", "MalformedURLException",
                     "UnknownFormatConversionException", "IllegalFormatConversionException", "InvalidPathException",
                     "IllegalFormatException", "UnsupportedTemporalTypeException", "ZoneRulesException",
                     "IllegalFormatPrecisionException"), K.VALUE),
    **dict.fromkeys(("MissingFormatArgumentException", "WrongMethodTypeException"), K.ARGUMENT),
    **dict.fromkeys(("ConcurrentModificationException", "IllegalMonitorStateException", "InterruptedException",
                     "RejectedExecutionException", "IllegalThreadStateException", "CancellationException",
                     "BrokenBarrierException", "OverlappingFileLockException"), K.CONCURRENCY),
    **dict.fromkeys(("ClassNotFoundException", "NoClassDefFoundError", "FindException"), K.IMPORT),
    **dict.fromkeys(("NoSuchMethodError", "NoSuchMethodException", "NoSuchFieldError", "NoSuchFieldException"),
                    K.ATTRIBUTE),
    **dict.fromkeys(("AbstractMethodError", "CloneNotSupportedException", "NotSerializableException",
                     "InstantiationException", "UnsupportedOperationException"), K.INTERFACE),
    **dict.fromkeys(("IllegalAccessException", "IllegalAccessError", "InaccessibleObjectException"), K.ACCESS),
    **dict.fromkeys(("FileNotFoundException", "NoSuchFileException", "IOException", "UncheckedIOException",
                     "EOFException", "FileAlreadyExistsException", "DirectoryNotEmptyException",
                     "NotDirectoryException", "FileSystemException", "ClosedChannelException", "ZipException",
                     "StreamCorruptedException", "UTFDataFormatException"), K.IO),
    **dict.fromkeys(("AccessDeniedException", "SecurityException", "AccessControlException"), K.PERMISSION),
    **dict.fromkeys(("ConnectException", "UnknownHostException", "SocketException", "BindException",
                     "NoRouteToHostException", "HttpConnectTimeoutException", "SSLHandshakeException"), K.NETWORK),
    **dict.fromkeys(("SocketTimeoutException", "TimeoutException", "TestTimedOutException", "HttpTimeoutException"),
                    K.TIMEOUT),
    **dict.fromkeys(("CharacterCodingException", "MalformedInputException", "UnsupportedEncodingException",
                     "UnmappableCharacterException", "IllegalCharsetNameException", "UnsupportedCharsetException"),
                    K.ENCODING),
    **dict.fromkeys(("AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailuresError",
                     "ArrayComparisonFailure", "AssertionFailed"), K.ASSERTION),
    **dict.fromkeys(("MissingResourceException", "UnsupportedClassVersionError", "InvalidTestClassError",
                     "ParameterResolutionException", "PreconditionViolationException", "LayerInstantiationException",
                     "ServiceConfigurationError", "ClassFormatError", "VerifyError", "JUnitException"),
                    K.CONFIGURATION),
    "NullPointerException": K.NULL, "ArithmeticException": K.ARITHMETIC, "StackOverflowError": K.RECURSION,
    "OutOfMemoryError": K.MEMORY, "InternalError": K.CRASH, "DuplicateFormatFlagsException": K.DUPLICATE,
    "UnsatisfiedLinkError": K.DEPENDENCY, "MatchException": K.FLOW, "ReadOnlyFileSystemException": K.PERMISSION,
    "ReadOnlyBufferException": K.IMMUTABLE,
}
_REFINED = {
    "ArithmeticException": patterns((r"overflow", K.OVERFLOW)),
    "FileNotFoundException": patterns((r"Permission denied|Zugriff verweigert|Keine Berechtigung", K.PERMISSION)),
    "IllegalStateException": patterns((r"Duplicate key", K.DUPLICATE)),
    "IOException": patterns((r"Permission denied", K.PERMISSION), (r"Connection|Network", K.NETWORK)),
    "Exception": patterns((r"timed out after", K.TIMEOUT)),
    "AssertionFailedError": patterns((r"execution timed out|exceeded timeout", K.TIMEOUT)),
    "SocketException": patterns((r"timed out", K.TIMEOUT)),
}
_IMMUTABLE = patterns((r"Immutable|Unmodifiable|AbstractList\.|AbstractCollection\.|AbstractMap\.", K.IMMUTABLE))
_SAID = patterns(
    ((r"package .{1,200} does not exist|Package .{1,200} ist nicht vorhanden|パッケージ.{1,200}は存在しません|"
     r"程序包.{1,200}不存在|^module not found|static import only|import .{1,80} cannot be resolved"), K.IMPORT),
    ((r"already defined|duplicate class|duplicate (?:case|default)|have the same erasure|repeated modifier|"
     r"duplicate element|ist bereits .{1,80}definiert|すでに.{0,80}定義|已(?:经)?在.{1,80}定义"), K.DUPLICATE),
    ((r"cannot assign a value to final|final or effectively final|final parameter .{1,80} may not|"
     r"might already have been assigned|cannot inherit from final|overridden method is final|final.{0,40}zugewiesen"),
     K.IMMUTABLE),
    ((r"has (?:private|protected) access|is not public in|not visible|attempting to assign weaker access|"
     r"cannot be accessed from outside|weaker access|private.{1,20}Zugriff"), K.ACCESS),
    ((r"unreported exception|is never thrown in body|must be caught or declared|Nicht gemeldete|overridden method does "
     r"not throw|has already been caught"), K.UNHANDLED),
    ((r"missing return|unreachable statement|might not have been initialized|fall-through|does not cover all possible|"
     r"Rückgabeanweisung fehlt|return文がありません|缺少返回语句|may not have been initialized|"
     r"call to super must be first|recursive constructor"), K.FLOW),
    ((r"is not abstract and does not override|does not override abstract|is abstract; cannot be instantiated|"
     r"does not override or implement|cannot implement|@Override|is not a functional interface|"
     r"annotation type not applicable"), K.INTERFACE),
    ((r"cannot be applied to|no suitable (?:method|constructor)|actual and formal|wrong number of|"
     r"reference to .{1,80} is ambiguous|incorrect number of"), K.ARGUMENT),
    (r"cannot be dereferenced", K.TYPE),
    (r"integer number too large|Ganzzahl.{0,40}zu groß", K.OVERFLOW), (r"division by zero", K.ARITHMETIC),
    (r"unmappable character|nicht zuordenbares Zeichen", K.ENCODING),
    ((r"incompatible types|bad operand types|incomparable types|unexpected type|required: |array required, but|"
     r"possible lossy|inconvertible types|not a statement with|Inkompatible Typen|不兼容的类型|不適合な型|"
     r"cannot be converted|unchecked|incompatible thrown|for-each not applicable|non-static .{1,120} cannot be "
     r"referenced|generic array creation|cyclic inheritance|invalid method reference|required type|"
     r"method reference|cannot infer|bad type in|not allowed here|無効な型"), K.TYPE),
    (r"has been deprecated|deprecation|uses unchecked|\[(?:rawtypes|serial|removal|preview|options|path|static)\]",
     K.STYLE),
    (r"file not found|Datei nicht gefunden", K.IO),
    ((r"should be declared in a file named|invalid flag|invalid (?:source|target) release|release version .{1,20} not "
     r"supported|error: no source files|Main method not found|Could not find or load main class|no main manifest|"
     r"class found on application class path|Hauptklasse|is not a valid"), K.CONFIGURATION),
    ((r"expected|not a statement|illegal start|illegal character|unclosed|reached end of file|without '(?:if|try)'|"
     r"orphaned|invalid method declaration|malformed|erwartet|がありません|需要|else.{1,20}without|class, interface|"
     r"illegal (?:escape|combination|line end|unicode|underscore)|modifier .{1,40} not allowed|"
     r"outside (?:of )?(?:switch|loop)|undefined label|bad initializer|enum types|as of release|"
     r"missing (?:method body|return type)|"
     r"variable declaration not allowed|empty character|not supported in|repeated|is not allowed|preview|"
     r"Anweisung|Dateiende|非法|不正な"), K.SYNTAX),
)
_SYMBOL = patterns(
    (r"symbol: +(?:method|Methode)|symbol: +(?:variable|Variable)", K.NAME), (r"symbol: +class", K.NAME))


def exception_kind(name: str, message: str, *, stack: str) -> K:
    """What an exception means; ``stack`` is its frames as words, which tell an unmodifiable collection."""
    if name.endswith("UnsupportedOperationException") and kind_of(stack, _IMMUTABLE) is not None:
        return K.IMMUTABLE
    return named_kind(name, message, names=_NAMES, refined=_REFINED)


def said_kind(message: str, below: str) -> K:
    """What javac means; a symbol that is missing in a value of some type is an attribute."""
    if (below and "symbol:" in below) or "Symbol" in message or "シンボル" in message or "符号" in message or (
            "cannot find symbol" in message):
        return _missing(below)
    return kind_of(message, _SAID) or K.GENERIC


def _missing(below: str) -> K:
    """``location: variable order of type Order`` and ``location: class Order`` seen from elsewhere are members."""
    location = below.partition("location:")[2]
    if location.strip().startswith(("variable ", "package ")):
        return K.ATTRIBUTE if location.strip().startswith("variable ") else K.IMPORT
    return kind_of(below, _SYMBOL) or K.NAME
