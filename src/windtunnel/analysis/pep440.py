"""Python's version specifiers, by ``packaging``: pins, clashes, and locks outside of a wish; Ruby's read as the same.

Ruby's ``~> 1.2`` is Python's ``~= 1.2``. Whether several specifiers can be met is asked of versions at, just below and
just above every bound that they name: the answer can only change there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

MISSING = (
    "packaging is not installed, so versions of Python and Ruby were not compared (pip install 'windtunnel[analysis]')"
)
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,12}){0,6}(?:(?:a|b|rc|\.dev|\.post)\d{1,6})?")
_PIN = re.compile(r"\s{0,3}={2,3}\s{0,3}([^\s,;*]{1,80})\s{0,3}$")
_RUBY = re.compile(r"~>\s{0,3}(\d[\w.]{0,40})|(?<![=<>!~])=\s{0,3}(?=\d)|^(?=\d)|(?<=, )(?=\d)")
_MOST_BOUNDS = 60


def available() -> bool:
    """Whether versions can be compared here."""
    try:
        import packaging.specifiers  # noqa: F401, PLC0415 -- an extra
    except ImportError:
        return False
    return True


def pins(wishes: Iterable[str]) -> set[str]:
    """The versions at which something is pinned, each once however it is written."""
    if not available():
        return set()
    from packaging.utils import canonicalize_version  # noqa: PLC0415

    return {canonicalize_version(match[1]) for match in map(_PIN.match, wishes) if match}


def clash(wishes: Sequence[str]) -> bool:
    """Whether no version meets them all; no where one cannot be read."""
    together = _specifiers(wishes)
    if together is None:
        return False
    return not any(together.contains(one, prereleases=True) for one in _candidates(wishes))


def outside(wanted: str, versions: Sequence[str]) -> bool:
    """Whether none of the versions is allowed."""
    allowed = _specifiers([wanted]) if wanted and not wanted.startswith("@") else None
    if allowed is None:
        return False
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    known = []
    for one in versions:
        try:
            known.append(Version(one))
        except InvalidVersion:
            return False
    return bool(known) and not any(allowed.contains(one, prereleases=True) for one in known)


def _specifiers(wishes: Sequence[str]) -> SpecifierSet | None:
    if not available():
        return None
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415

    try:
        return SpecifierSet(",".join(_as_python(one) for one in wishes))
    except InvalidSpecifier:
        return None


def _as_python(wish: str) -> str:
    """Ruby's signs as Python's; what is Python's already stays."""
    return _RUBY.sub(lambda match: _pessimistic(match[1]) if match[1] else "==", wish)


def _pessimistic(version: str) -> str:
    if "." in version:
        return f"~={version}"
    return f">={version},<{int(version) + 1}" if version.isdigit() else f">={version}"


def _candidates(wishes: Iterable[str]) -> Iterator[str]:
    """Versions on both sides of every bound."""
    bounds = list(dict.fromkeys(bound for wish in wishes for bound in _NUMBER.findall(wish)))[:_MOST_BOUNDS]
    yield from ("0", "0.0.1", "999999999")
    for bound in bounds:
        yield bound
        release = [int(part) for part in re.match(r"[\d.]*\d", bound)[0].split(".")]  # type: ignore[index]  # it begins so
        yield ".".join(map(str, [*release, 0, 0, 0, 1]))
        yield ".".join(map(str, [*release[:-1], release[-1] + 1]))
        place = max((place for place, number in enumerate(release) if number), default=None)
        if place is not None:
            yield ".".join(map(str, [*release[:place], release[place] - 1, 999999999]))
