"""C++ by GCC, or Clang where there is no GCC."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.c import COMPILER_ENV, compiler


def find(which: Which) -> Toolchain | None:
    """``g++``, ``clang++`` or ``c++``."""
    found = compiler(which, "g++", "clang++", "c++")
    if found is None:
        return None
    tool, paths = found
    return Toolchain(
        build=(tool, "-std=c++17", "-O1", "-pthread", "-o", "{build}/program", "{source}"),
        run=("{build}/program",),
        paths=paths,
    )


LANGUAGE = Language(
    name="c++",
    aliases=("cpp", "cxx"),
    suffixes=(".cpp", ".cc", ".cxx"),
    source="main.cpp",
    find=find,
    install="apt-get install g++",
    reserved_env=COMPILER_ENV,
    image="gcc:13",
    examples=(
        Example(code='#include <iostream>\nint main() { std::cout << "hello\\n"; }\n', stdout="hello\n"),
        Example(
            code="#include <iostream>\n#include <string>\n"
            "int main() { std::string word; std::cin >> word; std::cout << word << word.size() << '\\n'; }\n",
            stdin="words\n",
            stdout="words5\n",
        ),
        Example(
            code='#include <stdexcept>\nint main() { throw std::runtime_error("no such thing"); }\n',
            error="no such thing",
        ),
        Example(code="int main() { return missing; }\n", error="missing"),
    ),
)
