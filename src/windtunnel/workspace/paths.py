"""Paths in a change, judged by their letters alone, before the disk is looked at.

Refused is what hurts on Linux, or on the machine of the next person who checks the project out and cannot be told
from something else by eye: ways out (``..``, absolute, backslash, drive letters, ``~``), anything that becomes a dot
or a slash when it is normalised, letters that cannot be seen or that turn the line around, git's own folder in any
spelling that some file system takes for it, our own folder, and names that some file systems cut short (trailing dots
and blanks). Not refused, because Linux does not mind: names that Windows keeps for devices (``NUL.txt``), colons,
quotes and blanks inside a name; the first are noted.
"""

from __future__ import annotations

import re
import unicodedata

from windtunnel.core.errors import UsageError

OWN = ".windtunnel"
"""A folder of this name is the product's own, as is every name that goes on with a hyphen."""
MOST_BYTES, MOST_PART_BYTES, MOST_PARTS = 1024, 255, 128

_LIKE_A_SLASH = "\u2044\u2215\u29f8\u29f5\u29f9"
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_DRIVE = re.compile(r"[A-Za-z]:")
_GIT = re.compile(r"(\.git|git~\d+)(:.*)?", re.DOTALL)
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE | re.DOTALL)


def shown(path: object) -> str:
    """The path for a message: escaped, so that it cannot forge lines or colours, and not endless."""
    text = repr(path)
    return text if len(text) <= 200 else f"{text[:197]}..."  # noqa: PLR2004 -- as long as a message can bear


def refusal(path: object, why: str) -> UsageError:
    """The error for a change that is not taken."""
    return UsageError(f"changes: {shown(path)}: {why}", field="changes")


def check_path(path: object) -> str:
    """The path itself, if it is plain, relative and below the project by its letters; else a typed refusal."""
    if not isinstance(path, str):
        raise refusal(path, f"a path is text, not {type(path).__name__}")
    why = _whole(path) or next((why for part in path.split("/") if (why := _part(part))), None)
    if why:
        raise refusal(path, why)
    return path


def is_device(path: str) -> bool:
    """Whether Windows would take a part of it for a device."""
    return any(_DEVICE.fullmatch(part) for part in path.split("/"))


def folded(path: str) -> str:
    """The same for paths that a file system without upper and lower case, or a person, takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _whole(path: str) -> str | None:
    if not path or len(path) > MOST_BYTES:
        return f"longer than {MOST_BYTES} bytes" if path else "the path is empty"
    if odd := next((why for letter in path if (why := _letter(letter))), None):
        return odd
    parts = path.split("/")
    if len(path.encode()) > MOST_BYTES or len(parts) > MOST_PARTS:
        return f"longer than {MOST_BYTES} bytes or deeper than {MOST_PARTS} folders"
    if path.startswith("/") or _DRIVE.match(path):
        return "absolute; give it relative to the project"
    if path == "~" or (path.startswith("~") and len(parts) > 1):
        return "starts in a home folder (~), which a shell would replace; give it relative to the project"
    return None


def _letter(letter: str) -> str | None:
    if letter == "\\":
        return "has a backslash; separate folders with /"
    if letter.isascii():
        return "has a control character" if unicodedata.category(letter) == "Cc" else None
    category = unicodedata.category(letter)
    if category == "Cs":
        return "has a byte or half a letter that is not UTF-8"
    if category in {"Cc", "Cf", "Zl", "Zp"} or letter in _INVISIBLE or _not_a_letter(letter):
        return f"has a letter that cannot be seen or turns text around (U+{ord(letter):04X})"
    if letter in _LIKE_A_SLASH or set("/\\.") & set(unicodedata.normalize("NFKC", letter)):
        return f"has a letter that becomes or looks like a dot or slash (U+{ord(letter):04X})"
    return None


def _not_a_letter(letter: str) -> bool:
    return ord(letter) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(letter) <= 0xFDEF  # noqa: PLR2004 -- Unicode's own


def _part(part: str) -> str | None:
    if part in {"", ".", ".."}:
        return f"has the part {part!r}; name the file itself, below the project, with single slashes"
    if part[-1] == "." or part[-1].isspace():
        return "a part ends in a dot or a blank, which some file systems drop"
    if len(part.encode()) > MOST_PART_BYTES:
        return f"a part is longer than {MOST_PART_BYTES} bytes"
    name = folded(part).strip()
    if _GIT.fullmatch(name):
        return "git's own folder is not changed by a change"
    own = name == OWN or name.startswith(f"{OWN}-")
    return "this name is the product's own" if own else None
