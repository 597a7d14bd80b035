"""How each language is run in a container image that has its tools under their usual names.

Which image carries a language is said once, in its own file (``Language.image``), and so is how its tools are
called: its finder is asked about a machine that has the tools named here and nothing else, and what it answers is
made into bare names, which the image's search path leads to. An image that shows or copies the host's own files needs
none of this: there the toolchain that was found on the host is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from windtunnel.core.errors import UsageError
from windtunnel.core.language import BASE_ENV, Language, Toolchain

_NOWHERE = "/nonexistent/windtunnel/bin"
"""A folder that no host has, so that a finder sees nothing of this host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One language in an image."""

    tools: tuple[str, ...] = ()
    """The programs it is run by in the image of the table, and in one of the user's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables it needs there beside its usual ones."""
    toolchain: Toolchain | None = None
    """Where its finder looks at more than names: the commands themselves."""
    packages: tuple[str, ...] = ()
    """What Debian calls these tools; none where every Debian has them."""
    packaged: Toolchain | None = None
    """How it is run by those packages, where they bring other tools."""


def _path(folder: str) -> dict[str, str]:
    """A search path on which the folder comes first."""
    return {"PATH": f"{folder}:{BASE_ENV['PATH']}"}


RECIPES: Mapping[str, Recipe] = {
    "python": Recipe(packages=("python3",), toolchain=Toolchain(
        run=("python3", "{source}"), env={"PYTHONDONTWRITEBYTECODE": "1"},
        profile=("python3", "/sandbox/.windtunnel/profiler", "{source}", "{profile}"))),
    "javascript": Recipe(tools=("node",), packages=("nodejs",)),
    "typescript": Recipe(tools=("bun",), packages=("nodejs", "esbuild"), packaged=Toolchain(
        build=("esbuild", "{source}", "--bundle", "--platform=node", "--format=esm", "--sourcemap=inline",
               "--log-level=warning", "--outfile={build}/program.mjs"),
        run=("node", "--enable-source-maps", "{build}/program.mjs"))),
    "bash": Recipe(tools=("bash",), env={"SHELL": "/bin/bash"}),
    "sh": Recipe(tools=("sh",)),
    "ruby": Recipe(tools=("ruby",), packages=("ruby",)),
    # Whether C is used is Go's to find out: it does by default where it can.
    "go": Recipe(tools=("go",), packages=("golang-go",), env=_path("/usr/local/go/bin") | {"CGO_ENABLED": ""}),
    "rust": Recipe(tools=("rustc", "cc"), packages=("rustc", "gcc", "libc6-dev"),
                   env=_path("/usr/local/cargo/bin") | {"RUSTUP_HOME": "/usr/local/rustup"}),
    "java": Recipe(tools=("javac",), packages=("default-jdk-headless",), env=_path("/opt/java/openjdk/bin")),
    "c": Recipe(tools=("gcc",), packages=("gcc", "libc6-dev")),
    "c++": Recipe(tools=("g++",), packages=("g++",)),
    "php": Recipe(tools=("php",), packages=("php-cli",)),
    "perl": Recipe(tools=("perl",), packages=("perl",)),
    "lua": Recipe(tools=("lua",), packages=("lua5.4",)),
    "r": Recipe(tools=("Rscript",), packages=("r-base-core",)),
}
"""The languages that come with Windtunnel; another one is asked for any tool it wants."""


def image_toolchain(language: Language) -> Toolchain:
    """How it is run in the image of the table, or in one of the user's own."""
    recipe = RECIPES.get(language.name, Recipe())
    if recipe.toolchain is not None:
        return recipe.toolchain
    found = language.find(lambda name: f"{_NOWHERE}/{name}" if not recipe.tools or name in recipe.tools else None)
    if found is None:
        raise UsageError(
            f"language: {language.name} looks for its tools on the host, so how to call them in an image of its own "
            f"is not known (windtunnel image build --from host {language.name})", field="language")
    return _bare(found, recipe.env)


def packages(language: Language) -> tuple[tuple[str, ...], Toolchain]:
    """The Debian packages that make an image for it, and how it is run there."""
    recipe = RECIPES.get(language.name)
    if recipe is None:
        raise UsageError(
            f"language: which packages carry {language.name} is not known (windtunnel image build --from files "
            f"{language.name} copies the host's own)", field="language")
    return recipe.packages, recipe.packaged or image_toolchain(language)


def _bare(found: Toolchain, env: Mapping[str, str]) -> Toolchain:
    """The same commands by names alone; nothing of the host, and an empty variable means that it is not set."""

    def named(argv: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if argv is None else tuple(word.replace(f"{_NOWHERE}/", "") for word in argv)

    variables = {name: value for name, value in {**found.env, **env}.items() if value}
    return replace(found, run=named(found.run) or (), build=named(found.build), warm=named(found.warm),
                   profile=named(found.profile), paths=(), env=variables)
