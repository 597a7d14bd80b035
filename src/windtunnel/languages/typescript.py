"""TypeScript by the first of Bun, Deno, a Node.js that strips types, and tsx; types are not checked."""

from __future__ import annotations

import re
from pathlib import Path

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.javascript import RESERVED_ENV
from windtunnel.languages.places import located, needed

_STRIPS_WHEN_ASKED = (22, 6)
_STRIPS_TYPES = (23, 6)
_VERSION = re.compile(r"v(\d{1,4})\.(\d{1,4})\.")


def find(which: Which) -> Toolchain | None:
    """The first that is installed, fastest start first."""
    return _bun(which) or _deno(which) or _node(which) or _tsx(which)


def _bun(which: Which) -> Toolchain | None:
    found = which("bun")
    if found is None:
        return None
    bun = located(found)
    # Without --no-install a missing package is looked for on the network, which is slow to fail.
    return Toolchain(
        run=(bun, "--no-install", "{source}"),
        paths=needed(bun),
        env={"BUN_RUNTIME_TRANSPILER_CACHE_PATH": "0", "DO_NOT_TRACK": "1"},
    )


def _deno(which: Which) -> Toolchain | None:
    found = which("deno")
    if found is None:
        return None
    deno = located(found)
    # Deno's own permissions are opened: the walls are the sandbox's.
    return Toolchain(
        run=(deno, "run", "--quiet", "--allow-all", "--no-lock", "--no-remote", "{source}"),
        paths=needed(deno),
        env={"DENO_DIR": "/tmp/deno", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"},  # noqa: S108 -- inside the sandbox
    )


def _node(which: Which) -> Toolchain | None:
    found = which("node")
    version = _version(found) if found else (0, 0)
    if found is None or version < _STRIPS_WHEN_ASKED:
        return None
    node = located(found)
    option = () if version >= _STRIPS_TYPES else ("--experimental-strip-types",)
    return Toolchain(
        run=(node, *option, "--disable-warning=ExperimentalWarning", "{source}"),
        paths=needed(node, "/usr/share/nodejs"),
    )


def _tsx(which: Which) -> Toolchain | None:
    """Loaded into the one Node.js process, because tsx as a command starts a second one."""
    found, node = which("tsx"), which("node")
    if found is None or node is None:
        return None
    package = Path(found).resolve().parent.parent
    loader = package / "dist" / "loader.mjs"
    if not loader.is_file():
        return None
    beside = [package.parent / name for name in ("esbuild", "@esbuild", "get-tsconfig", "resolve-pkg-maps")]
    return Toolchain(
        run=(located(node), "--import", loader.as_uri(), "{source}"),
        paths=needed(located(node), "/usr/share/nodejs", package, *beside),
    )


def _version(node: str) -> tuple[int, int]:
    """Major and minor as the tool says; zeros when it does not answer."""
    from windtunnel.spawn import ask  # noqa: PLC0415 -- slow to import, and seldom comes so far

    _, answer = ask((node, "--version"), env={})
    match = _VERSION.match(answer)
    return (int(match[1]), int(match[2])) if match else (0, 0)


LANGUAGE = Language(
    name="typescript",
    aliases=("ts",),
    suffixes=(".ts", ".mts", ".cts"),
    source="main.ts",
    find=find,
    install="npm install --global bun (or deno, or tsx, or Node.js 22.6 and later)",
    reserved_env=(*RESERVED_ENV, "BUN_*", "DENO_*", "TSX_*", "TS_NODE_*", "ESBUILD_*"),
    image="oven/bun:1-alpine",
    examples=(
        Example(code='const word: string = "hello";\nconsole.log(word);\n', stdout="hello\n"),
        Example(
            code='process.stdin.on("data", (part: Buffer) => { console.log(part.toString().toUpperCase()); });\n',
            stdin="words",
            stdout="WORDS\n",
        ),
        Example(
            code='interface Thing { name: string }\nconst thing: Thing = { name: "such" };\n'
            "throw new RangeError(`no ${thing.name} thing`);\n",
            error="RangeError: no such thing",
        ),
    ),
)
