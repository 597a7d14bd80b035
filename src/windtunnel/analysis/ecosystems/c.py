"""C and C++: CMake, Meson, make, autotools; Conan and vcpkg where packages are named."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, json_of, list_in, text_in
from windtunnel.analysis.listing import Listing

_PROJECT = re.compile(r"\bproject\s{0,3}\(\s{0,20}[\"']?([\w.+-]{1,100})", re.IGNORECASE)
_PACKAGE = re.compile(r"\bfind_package\s{0,3}\(\s{0,10}(\w[\w.+-]{0,80})(?:\s{1,10}(\d[\d.]{0,30}))?", re.IGNORECASE)
_FETCHED = re.compile(
    r"\b(?:FetchContent_Declare|CPMAddPackage)\s{0,3}\(\s{0,40}[\"']?(?:NAME\s{1,10})?(?:gh:)?([\w./+-]{1,80})",
    re.IGNORECASE,
)
_DEPENDENCY = re.compile(
    r"\bdependency\s{0,3}\(\s{0,10}'([\w.+-]{1,80})'(?:[^)\n]{0,120}?version\s{0,3}:\s{0,3}'([^']{1,40})')?"
)
_TARGET = re.compile(r"^([A-Za-z][\w.-]{0,60})\s{0,3}:(?!=)", re.MULTILINE)
_EXECUTABLE = re.compile(r"\b(?:add_executable|executable)\s{0,3}\(\s{0,20}'?([\w.+-]{1,80})", re.IGNORECASE)
_CONAN = re.compile(r"^\s{0,8}([\w.+-]{1,80})/([^\s@#]{1,60})")
_MOST_TEXT = 300_000
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh")


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found | None:
    """One build. A Makefile alone makes a part only where there is C or C++ beside or below it."""
    found = Found(folder=folder, ecosystem="c")
    for name, manager, take in (("CMakeLists.txt", "cmake", _cmake), ("meson.build", "meson", _meson),
                                ("configure.ac", "autotools", None), ("Makefile", "make", _make),
                                ("GNUmakefile", "make", _make), ("makefile", "make", _make)):
        if name in names:
            found.manifests.append(at(folder, name))
            found.manager = found.manager or manager
            if take is not None:
                take(listing.text(at(folder, name))[:_MOST_TEXT], found, at(folder, name))
    if not found.manifests or (found.manager == "make" and not _has_sources(listing, folder)):
        return None
    if found.manager in ("cmake", "meson") and _is_inner(listing, folder, found):
        return None
    _packages(listing, found, folder, names)
    return found


def _is_inner(listing: Listing, folder: str, found: Found) -> bool:
    """Whether it only continues the build of a folder above."""
    name = {"cmake": "CMakeLists.txt", "meson": "meson.build"}[found.manager]
    above = folder
    while above:
        above = above.rpartition("/")[0]
        if listing.has(at(above, name)):
            return True
    return False


def _has_sources(listing: Listing, folder: str) -> bool:
    return any(name.endswith(_SOURCES) for name in listing.below(folder))


def _cmake(text: str, found: Found, path: str) -> None:
    named = _PROJECT.search(text)
    found.name = found.name or (named[1] if named else "")
    for name, version in _PACKAGE.findall(text):
        found.want(name, version, file=path)
    for name in _FETCHED.findall(text):
        found.want(name.rpartition("/")[2], file=path)
    found.keys |= {f"cmake:{word}" for word in ("enable_testing", "add_test", "include(CTest)") if word in text}
    found.entry_points += _EXECUTABLE.findall(text)[:20]


def _meson(text: str, found: Found, path: str) -> None:
    named = _PROJECT.search(text)
    found.name = found.name or (named[1] if named else "")
    for name, version in _DEPENDENCY.findall(text):
        found.want(name, version, file=path)
    found.entry_points += _EXECUTABLE.findall(text)[:20]


def _make(text: str, found: Found, path: str) -> None:
    for target in _TARGET.findall(text)[:200]:
        found.scripts.setdefault(target, f"make {target}")
    found.keys.add(f"make:{path.rpartition('/')[2]}")


def _packages(listing: Listing, found: Found, folder: str, names: tuple[str, ...]) -> None:
    if "vcpkg.json" in names:
        path = at(folder, "vcpkg.json")
        found.manifests.append(path)
        for one in list_in(json_of(listing, path), "dependencies"):
            found.want(one if isinstance(one, str) else text_in(one, "name"), text_in(one, "version>="), file=path)
    if "conanfile.txt" in names:
        path = at(folder, "conanfile.txt")
        found.manifests.append(path)
        for line in listing.text(path).split("\n")[:2000]:
            if match := _CONAN.match(line[:200]):
                found.want(match[1], match[2], file=path)


ECOSYSTEM = Ecosystem(
    name="c",
    read=read,
    manifests=("CMakeLists.txt", "meson.build", "Makefile", "makefile", "GNUmakefile", "configure.ac"),
)
