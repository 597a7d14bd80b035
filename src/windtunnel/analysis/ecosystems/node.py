"""Node: package.json; locks of npm, Yarn (both shapes) and pnpm."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import (
    Ecosystem,
    Found,
    at,
    json_of,
    list_in,
    table_in,
    text_in,
    yaml_of,
)
from windtunnel.analysis.listing import Listing

_GROUPS = (("dependencies", "main"), ("devDependencies", "dev"), ("peerDependencies", "peer"),
           ("optionalDependencies", "optional"))
_LOCKS = {"package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm",
          "bun.lock": "bun", "bun.lockb": "bun"}
_SETUPS = frozenset({"jest", "eslintConfig", "prettier", "babel", "browserslist", "ava", "mocha", "nyc", "stylelint",
                     "vitest", "lint-staged", "husky", "workspaces", "xo", "c8"})
_YARN_KEY = re.compile(r'^"?(@?[^@"\s]{1,200})@')
_YARN_VERSION = re.compile(r'^\s{1,4}version:?\s"?([^"\s]{1,80})"?')
_PNPM_KEY = re.compile(r"^/?(@?[^@/]{1,100}(?:/[^@/]{1,100})?)[@/](\d[^(_]{0,80})")
_MOST_LINES = 400_000


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found | None:
    """One package with its lock."""
    path = at(folder, "package.json")
    told = json_of(listing, path)
    if not told:
        return None
    found = Found(folder=folder, ecosystem="node", name=text_in(told, "name"), manifests=[path])
    found.keys = {key for key in told if key in _SETUPS}
    found.scripts = {name: line for name, line in table_in(told, "scripts").items() if isinstance(line, str)}
    for section, group in _GROUPS:
        for name, wanted in table_in(told, section).items():
            found.want(name, wanted, file=path, group=group)
    found.locks = [at(folder, name) for name in _LOCKS if name in names]
    stated = text_in(told, "packageManager").partition("@")[0]
    found.manager = stated or next((_LOCKS[name] for name in _LOCKS if name in names), "")
    found.workspace = "workspaces" in told or "pnpm-workspace.yaml" in names
    found.entry_points = _entries(told, listing, folder)
    for name, lock in (("package-lock.json", _npm_lock), ("npm-shrinkwrap.json", _npm_lock), ("yarn.lock", _yarn_lock),
                       ("pnpm-lock.yaml", _pnpm_lock)):
        if name in names:
            lock(listing, found, at(folder, name))
    return found


def _entries(told: dict[str, object], listing: Listing, folder: str) -> list[str]:
    given = [text_in(told, "main"), text_in(told, "module"), text_in(told, "bin"),
             *(one for one in table_in(told, "bin").values() if isinstance(one, str))]
    usual = ("index.js", "server.js", "app.js", "src/index.js", "src/index.ts", "src/main.ts", "src/main.tsx",
             "src/main.js", "src/server.ts", "src/index.tsx", "src/app.ts", "src/main.jsx")
    named = [at(folder, one.removeprefix("./")) for one in given if one]
    return list(dict.fromkeys([*named, *(at(folder, one) for one in usual if listing.has(at(folder, one)))]))


def _npm_lock(listing: Listing, found: Found, path: str) -> None:
    told = json_of(listing, path)
    found.complete = bool(told)
    packages = table_in(told, "packages")
    for place, one in packages.items():
        inner = place.rpartition("node_modules/")[2]
        if inner and "node_modules/" in place and not table_in(packages, place).get("link"):
            found.lock(inner, table_in(one).get("version"), file=path,
                       group="dev" if table_in(one).get("dev") else "main")
    if not packages:
        for name, one in table_in(told, "dependencies").items():
            found.lock(name, table_in(one).get("version"), file=path)


def _yarn_lock(listing: Listing, found: Found, path: str) -> None:
    name = ""
    found.complete = True
    for line in listing.text(path).split("\n")[:_MOST_LINES]:
        if line and not line[0].isspace() and not line.startswith("#"):
            match = _YARN_KEY.match(line[:500])
            name = match[1] if match and "@workspace:" not in line else ""
        elif name and (version := _YARN_VERSION.match(line[:200])):
            found.lock(name, version[1], file=path)
            name = ""


def _pnpm_lock(listing: Listing, found: Found, path: str) -> None:
    told = yaml_of(listing, path)
    found.complete = bool(told)
    for key in table_in(told, "packages"):
        if match := _PNPM_KEY.match(str(key)[:300]):
            found.lock(match[1], match[2], file=path)


def workspaces(told: dict[str, object]) -> list[str]:
    """The patterns that name the members of a workspace."""
    return [one for one in (list_in(told, "workspaces") or list_in(told, "workspaces", "packages"))
            if isinstance(one, str)]


ECOSYSTEM = Ecosystem(name="node", read=read, manifests=("package.json",))
