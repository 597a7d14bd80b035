"""C by GCC, or Clang where there is no GCC."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, matching, needed, prefix

COMPILER_ENV = (
    *LOADER_ENV,
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
    "GCC_*", "CCC_*", "CLANG_*", "COLLECT_*", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "SOURCE_DATE_EPOCH",
    "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "GMON_OUT_PREFIX",
)  # fmt: skip
"""What would give the compiler or its products other files to use."""

_LIBRARIES = ("libgcc_s.so*", "libstdc++.*", "libLLVM*.so*", "libclang*.so*")


def compiler(which: Which, *names: str) -> tuple[str, tuple[str, ...]] | None:
    """The first of the named compilers, and what it needs: headers and, outside /usr, its own parts."""
    found = next((tool for name in names if (tool := which(name))), None)
    if found is None:
        return None
    root = prefix(found)
    own = [root / part for part in ("include", "lib/clang", "lib/gcc", "libexec/gcc")]
    for pattern in _LIBRARIES:
        own += matching(root, f"lib*/{pattern}")
    return located(found), needed(located(found), "/usr/include", *own)


def find(which: Which) -> Toolchain | None:
    """``gcc``, ``clang`` or ``cc``."""
    found = compiler(which, "gcc", "clang", "cc")
    if found is None:
        return None
    tool, paths = found
    return Toolchain(
        build=(tool, "-O1", "-pthread", "-o", "{build}/program", "{source}", "-lm"),
        run=("{build}/program",),
        paths=paths,
    )


LANGUAGE = Language(
    name="c",
    suffixes=(".c",),
    source="main.c",
    find=find,
    install="apt-get install gcc libc6-dev",
    reserved_env=COMPILER_ENV,
    image="gcc:13",
    examples=(
        Example(code='#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n', stdout="hello\n"),
        Example(
            code="#include <ctype.h>\n#include <stdio.h>\n"
            "int main(void) { int c; while ((c = getchar()) != EOF) putchar(toupper(c)); return 0; }\n",
            stdin="words\n",
            stdout="WORDS\n",
        ),
        Example(
            code='#include <stdio.h>\nint main(void) { fputs("no such thing\\n", stderr); return 3; }\n',
            error="no such thing",
        ),
        Example(code="int main(void) { return missing; }\n", error="missing"),
    ),
)
