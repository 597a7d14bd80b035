"""Lua."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed, prefix

_NAMES = ("lua5.4", "lua5.3", "lua", "lua5.2", "lua5.1", "luajit")


def find(which: Which) -> Toolchain | None:
    """The newest of the common names, with the modules installed for all."""
    found = next((tool for name in _NAMES if (tool := which(name))), None)
    if found is None:
        return None
    lua, root = located(found), prefix(found)
    return Toolchain(
        run=(lua, "{source}"),
        paths=needed(
            lua, root / "share/lua", root / "lib/lua", "/usr/share/lua", "/usr/local/share/lua", "/usr/local/lib/lua"
        ),
    )


LANGUAGE = Language(
    name="lua",
    suffixes=(".lua",),
    source="main.lua",
    find=find,
    install="apt-get install lua5.4",
    reserved_env=(*LOADER_ENV, "LUA_*"),
    image="nickblah/lua:5.4-alpine",
    examples=(
        Example(code='print("hello")\n', stdout="hello\n"),
        Example(code='print(io.read("a"):upper())\n', stdin="words", stdout="WORDS\n"),
        Example(code='error("no such thing")\n', error="no such thing"),
    ),
)
