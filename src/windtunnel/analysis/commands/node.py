"""Node: npm, yarn, pnpm or bun, as the lock file says; scripts of the manifest before tools by their names."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_LOCKS = (("package-lock.json", "npm"), ("npm-shrinkwrap.json", "npm"), ("yarn.lock", "yarn"),
          ("pnpm-lock.yaml", "pnpm"), ("bun.lockb", "bun"), ("bun.lock", "bun"))
_INSTALL = {
    ("npm", True): "npm ci --no-audit --no-fund", ("npm", False): "npm install --no-audit --no-fund",
    ("yarn", True): "yarn install --frozen-lockfile", ("yarn", False): "yarn install",
    ("pnpm", True): "pnpm install --frozen-lockfile", ("pnpm", False): "pnpm install",
    ("bun", True): "bun install --frozen-lockfile", ("bun", False): "bun install"}
_SCRIPTS = {
    Purpose.BUILD: ("build", "compile", "bundle"), Purpose.LINT: ("lint", "eslint", "typecheck", "type-check", "check"),
    Purpose.FORMAT: ("format", "prettier", "fmt"), Purpose.START: ("start", "serve", "dev", "preview")}
_TEST_FILES = (".test.js", ".test.mjs", ".test.cjs")
_EMPTY_TEST = "no test specified"


def find(look: Look) -> Iterator[ProjectCommand]:
    """Scripts first: they say what their authors mean."""
    lock, manager = next(((name, manager) for name, manager in _LOCKS if look.lock(name)), ("", ""))
    manager = manager or (look.part.manager if look.part.manager in ("npm", "yarn", "pnpm", "bun") else "npm")
    if look.has("package.json") or look.part.manifests:
        yield made(Purpose.INSTALL, _INSTALL[manager, bool(lock)], why=lock or "package.json, no lock file",
                   network=True)
    for purpose, names in _SCRIPTS.items():
        script = look.script(*names)
        if script:
            yield made(purpose, f"{manager} run {script}", why=f"package.json: script {script}",
                       ends=purpose is not Purpose.START, writes=purpose is Purpose.FORMAT)
    yield from _tests(look, manager)
    yield from _tools(look)
    if lock:
        yield made(Purpose.AUDIT, f"{manager} audit", why=lock, network=True)


def _tests(look: Look, manager: str) -> Iterator[ProjectCommand]:
    if look.script("test") and _EMPTY_TEST not in look.part.scripts["test"]:
        yield made(Purpose.TEST, f"{manager} test", why="package.json: script test")
    elif runner := look.tool("vitest", "jest", "mocha"):
        yield made(Purpose.TEST, "vitest run" if runner == "vitest" else runner, why=f"tests for {runner}")
    elif file := look.some(*_TEST_FILES) or look.some(".js", below="test/"):
        yield made(Purpose.TEST, "node --test", why=f"{file}: Node's own runner")


def _tools(look: Look) -> Iterator[ProjectCommand]:
    """Tools that the project is set up for and has no script for."""
    if not look.script(*_SCRIPTS[Purpose.BUILD]) and look.has("tsconfig.json"):
        yield made(Purpose.BUILD, "tsc --noEmit", why="tsconfig.json")
    if not look.script(*_SCRIPTS[Purpose.LINT]) and look.tool("eslint"):
        yield made(Purpose.LINT, "eslint .", why="set up for eslint")
    if not look.script(*_SCRIPTS[Purpose.FORMAT]) and look.tool("prettier"):
        yield made(Purpose.FORMAT, "prettier --write .", why="set up for prettier", writes=True)
    main = look.has("server.js", "index.js", "app.js", "main.js", "src/index.js", "src/server.js")
    if not look.script(*_SCRIPTS[Purpose.START]) and main:
        yield made(Purpose.START, f"node {main}", why=main, ends=False)


def _part(**more: object) -> Part:
    return Part(folder="", ecosystem="node", manifests=("package.json",), **more)  # type: ignore[arg-type]


ECOSYSTEM = Ecosystem(name="node", find=find, examples=(
    Example(part=_part(locks=("package-lock.json",), scripts={"test": "jest", "build": "tsc", "start": "node ."}),
            names=("package.json", "package-lock.json"), commands=(
        (Purpose.INSTALL, "npm ci --no-audit --no-fund"), (Purpose.BUILD, "npm run build"),
        (Purpose.START, "npm run start"), (Purpose.TEST, "npm test"), (Purpose.AUDIT, "npm audit"))),
    Example(part=_part(tests=("vitest",), tools=("eslint",)), names=("package.json", "yarn.lock", "tsconfig.json"),
            commands=((Purpose.INSTALL, "yarn install --frozen-lockfile"), (Purpose.TEST, "vitest run"),
                      (Purpose.BUILD, "tsc --noEmit"), (Purpose.LINT, "eslint ."), (Purpose.AUDIT, "yarn audit"))),
    Example(part=_part(scripts={"test": 'echo "Error: no test specified" && exit 1'}),
            names=("package.json", "index.js", "sum.test.js"), commands=(
        (Purpose.INSTALL, "npm install --no-audit --no-fund"), (Purpose.TEST, "node --test"),
        (Purpose.START, "node index.js"))),
))
