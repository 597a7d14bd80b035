"""C and C++: CMake, Meson or make; what they build lies in ``build``."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made, targets
from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_CMAKE = "cmake -S . -B build && cmake --build build"
_MESON = "meson setup build && meson compile -C build"


def find(look: Look) -> Iterator[ProjectCommand]:
    """By the build tool; a Makefile's targets only where there is no other."""
    found = list(_found(look))
    yield from found
    if look.tool("clang-format") or look.has(".clang-format"):
        yield made(Purpose.FORMAT, "find . \\( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \\) -not -path "
                   "'./build/*' -print0 | xargs -0 clang-format -i", why=".clang-format", writes=True)


def _found(look: Look) -> Iterator[ProjectCommand]:
    if look.has("CMakeLists.txt"):
        yield made(Purpose.BUILD, _CMAKE, why="CMakeLists.txt")
        yield made(Purpose.TEST, "ctest --test-dir build --output-on-failure", why="CMakeLists.txt")
    elif look.has("meson.build"):
        yield made(Purpose.BUILD, _MESON, why="meson.build")
        yield made(Purpose.TEST, "meson test -C build", why="meson.build")
    elif look.has("Makefile", "makefile", "GNUmakefile"):
        better = list(targets(look))
        if not any(one.purpose is Purpose.BUILD for one in better):
            yield made(Purpose.BUILD, "make", why="Makefile")
        yield from better
    elif look.has("configure"):
        yield made(Purpose.BUILD, "./configure && make", why="configure")
        yield made(Purpose.TEST, "make check", why="configure")


ECOSYSTEM = Ecosystem(name="c", find=find, examples=(
    Example(part=Part(folder="", ecosystem="c", manager="cmake"), names=("CMakeLists.txt", "main.c"), commands=(
        (Purpose.BUILD, _CMAKE), (Purpose.TEST, "ctest --test-dir build --output-on-failure"))),
    Example(part=Part(folder="", ecosystem="c", scripts={"test": "", "clean": ""}), names=("Makefile", "cart.c"),
            commands=((Purpose.BUILD, "make"), (Purpose.TEST, "make test"))),
    Example(part=Part(folder="", ecosystem="c"), names=("cart.c",)),
))
