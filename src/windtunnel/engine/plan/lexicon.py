"""The words that requests are made of."""

from __future__ import annotations

import re

from windtunnel.core.analysis import Purpose


def _all(text: str) -> frozenset[str]:
    return frozenset(text.split())


PHRASES = tuple((re.compile(rf"\b{before}\b"), after) for before, after in (
    (r"set(?:s|ting)? +(?:it +)?up", "setup"), ("type[ -]?check(?:s|ing|er)?", "typecheck"),
    ("static analysis", "lint"), ("code style", "style"), ("(?:don|doesn|shouldn|mustn)'?t", "not"),
    ("front[ -]end", "frontend"), ("back[ -]end", "backend"), (r"do(?:es)? not", "not"),
    ("c sharp", "c#"), ("end[ -]to[ -]end", "e2e"), ("make sure", "ensure"), ("pull request", "review")))

_WORDS = {
    Purpose.INSTALL: "install installs installing installed installation setup bootstrap prepare dependencies "
                     "dependency deps requirements packages environment",
    Purpose.BUILD: "build builds building built compile compiles compiling compilation assemble assembling rebuild",
    Purpose.TEST: "test tests testing tested retest unittest unittests spec specs verify suite",
    Purpose.LINT: "lint lints linter linters linting typecheck typing vet clippy style",
    Purpose.FORMAT: "format formats formatter formatting reformat prettify",
    Purpose.AUDIT: "audit audits auditing vulnerabilities vulnerability vulnerable cve cves advisories security",
    Purpose.START: "start starts starting serve serves serving launch launches launching",
}
PURPOSES = {word: purpose for purpose, words in _WORDS.items() for word in words.split()}
VERBS = _all("install setup bootstrap prepare build compile assemble rebuild test verify lint vet typecheck format "
             "reformat audit start serve launch")
"""Those that, alone in a clause, wait for the object of the next one."""
NEEDED = frozenset({"dependencies", "dependency", "deps", "requirements", "packages", "tools", "environment"})
NOT = frozenset({"without", "not", "no", "skip", "skipping", "except", "excluding", "never",
                 "apart", "omit", "avoid"})
ONLY = frozenset({"only", "just", "solely"})
RUNNERS = frozenset({"run", "runs", "running", "execute", "script", "target", "task", "npm", "make", "call", "rerun"})
DOERS = RUNNERS | {"do", "try", "check", "ensure", "ci", "pipeline"}
CHECKS = frozenset({"check", "checks", "checking", "works", "ensure", "validate"})
EVERYTHING = frozenset({"everything", "all", "ci", "pipeline", "whole"})
PROGRAMS = frozenset({"app", "application", "program", "server", "site", "website", "service", "it", "project", "demo"})
LANGUAGES = {
    "python": "python", "py": "python", "javascript": "node", "js": "node", "typescript": "node", "ts": "node",
    "node": "node", "nodejs": "node", "node.js": "node", "go": "go", "golang": "go", "rust": "rust", "java": "java",
    "kotlin": "java", "ruby": "ruby", "php": "php", "c": "c", "c++": "c", "cpp": "c"}
ALSO_ENGLISH = frozenset({"go", "rust", "c", "node"})
"""Names of languages that count as such only beside a word that makes them one."""
BEFORE_NAMES = frozenset({"the", "in", "for", "of", "only", "just", "all", "our", "my", "run", "build", "test", "lint"})
AFTER_NAMES = frozenset({"test", "tests", "build", "code", "part", "parts", "module", "modules", "service", "project",
                         "package", "program", "linter", "dependencies", "app", "server", "files", "side", "suite"})
FRONT = frozenset({"frontend", "client", "ui"})
SIDES = {**dict.fromkeys(FRONT, ("frontend", "client", "web", "ui", "www")),
         "backend": ("backend", "server", "api")}
IMPOSSIBLE = _all(
    "deploy publish release push upload delete remove refactor fix repair write document migrate upgrade update commit "
    "merge rename create add generate implement translate debug profile benchmark optimise optimize improve review "
    "download clone")
"""Deeds that no command of a project stands for; they are told as questions."""
EMPTY = _all(
    "a an the this that these those my our your its his her their of for in on at to from with into by as is are be "
    "been it i we you they please could can would should will shall may might want wants need needs like let lets us "
    "me so all every each any some both whole entire complete comprehensive full quick fast thorough first second "
    "third last next finally now again too well if when once while before after or but nor than via using use used do "
    "does doing done make makes sure have has had get gets go goes what which who how code codebase project projects "
    "repository repo source sources file files folder folders directory part parts development dev production local "
    "unit integration e2e smoke regression pass passes passing fail fails failing green there here up out over under "
    "everything ci pipeline stuff things thing work works working pass also then and known there's")
KNOWN = (EMPTY | NOT | ONLY | RUNNERS | DOERS | CHECKS | EVERYTHING | PROGRAMS | NEEDED | PURPOSES.keys()
         | LANGUAGES.keys() | BEFORE_NAMES | AFTER_NAMES | SIDES.keys() | {"linters", "report", "reports", "results",
                                                                          "output", "command", "commands", "need"})
