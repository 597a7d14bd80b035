"""The text of a Python file, and the compiler asked without its warnings; both without the reader of trees."""

from __future__ import annotations

import codecs
import threading
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.core.errors import UsageError

MOST_BYTES = 4 * 1024**2
_MOST_HEAD = 1024
_ONE_AT_A_TIME = threading.RLock()


def decoded(content: bytes, *, path: str) -> tuple[str, str, int]:
    """Text, encoding and length of the byte order mark."""
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES} bytes", field="source")
    mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    encoding = encoding_of(content, path=path)
    try:
        text = content[mark:].decode(encoding)
        if text.encode(encoding) != content[mark:]:
            raise UsageError(f"{path}: its encoding {encoding} does not give back its bytes", field="source")
    except (UnicodeError, LookupError) as error:
        raise UsageError(f"{path}: not text: {str(error)[:200]}", field="source") from error
    return text, encoding, mark


def encoding_of(content: bytes, *, path: str) -> str:
    """The encoding that a file declares; UTF-8 if it declares none."""
    lines = iter(content[:_MOST_HEAD].splitlines(keepends=True)[:2])
    try:
        declared, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise UsageError(f"{path}: not text: {str(error)[:200]}", field="source") from error
    return "utf-8" if declared == "utf-8-sig" else declared


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings of the compiler about code that is not ours.

    The filters of warnings are one for all threads: two that change and restore them at once leave them changed.
    """
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
