"""Options in console blocks that the project's own command does not define."""

from __future__ import annotations

import configparser
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.pages import Block, Page
from windtunnel.metrics.discrepancies.project import Project

_SHELL = frozenset({"console", "sh", "bash", "shell", "shellsession", "zsh", "terminal"})
_OPTION = re.compile(r"(--[A-Za-z][\w-]*)(=.*)?", re.DOTALL)
_IN_CODE = re.compile(r"--[A-Za-z][\w-]*")
_BUILT_IN = frozenset({"--help", "--version"})
_DEFINING = frozenset({"add_argument", "option"})
_REST = frozenset({"REMAINDER", "parse_known_args", "UNPROCESSED", "context_settings"})
_DERIVED = frozenset({"typer", "fire", "cyclopts", "tyro", "simple_parsing", "jsonargparse", "pydantic_settings"})
"""Libraries that make options of the names of parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """The project's own commands, and all options that any of them takes."""

    names: frozenset[str]
    options: frozenset[str]
    rest: bool
    """Whether one of them hands words on to another program."""


def read_commands(files: Mapping[str, bytes], project: Project) -> Commands | None:
    """None where options are not defined in a way that can be read."""
    names = frozenset(_scripts(files))
    every = project.modules.values()
    attributes = set().union(*(one.attributes for one in every))
    texts = set().union(*(one.options for one in every))
    derived = any(one.imported & _DERIVED for one in every)
    if not names or derived or not attributes & _DEFINING:
        return None
    options = _BUILT_IN.union(*(_IN_CODE.findall(text) for text in texts))
    if any(one.dashes for one in every):
        options |= {f"--{word.replace('_', '-')}" for one in every for word in one.words if word}
    return Commands(names=names, options=options, rest=bool(attributes & _REST))


def _scripts(files: Mapping[str, bytes]) -> Iterator[str]:
    try:
        told = tomllib.loads(files.get("pyproject.toml", b"").decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        told = {}
    for path in (("project", "scripts"), ("tool", "poetry", "scripts")):
        table: object = told
        for part in path:
            table = table.get(part, {}) if isinstance(table, dict) else {}
        yield from table if isinstance(table, dict) else ()
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(files.get("setup.cfg", b"").decode("utf-8", "replace"))
        lines = parser.get("options.entry_points", "console_scripts", fallback="").splitlines()
    except configparser.Error:
        lines = []
    yield from (line.partition("=")[0].strip() for line in lines if "=" in line)


def option_findings(path: str, page: Page, commands: Commands) -> Iterator[Discrepancy]:
    """Of one page."""
    for block in page.blocks:
        if block.kind in _SHELL:
            for line, words in _lines(block):
                for option in _used(words, commands):
                    if not _defined(option, commands):
                        yield Discrepancy(kind=Kind.MISSING_OPTION, path=path, line=line, name=option,
                                          message=f"{words[0]} defines no {option}")


def _lines(block: Block) -> Iterator[tuple[int, list[str]]]:
    """Commands with their lines; where some have a prompt, the others are output."""
    lines = block.text.splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    for number, line in enumerate(lines):
        if prompted and not line.startswith("$ "):
            continue
        try:
            words = shlex.split(line.removeprefix("$ "), comments=True)
        except ValueError:
            continue
        while words and re.fullmatch(r"[A-Z_][A-Z0-9_]*=.*", words[0], re.DOTALL):
            words = words[1:]
        yield block.line + number, words


def _used(words: list[str], commands: Commands) -> Iterable[str]:
    """Options that the command itself gets."""
    if not words or words[0] not in commands.names:
        return []
    found, plain = [], 0
    for word in words[1:]:
        if word in {"--", "|", "||", "&&", ";", ">", "<", ">>"} or (commands.rest and plain > 1):
            break
        matched = _OPTION.fullmatch(word)
        found += [matched[1]] if matched else []
        plain += not word.startswith("-")
    return found


def _defined(option: str, commands: Commands) -> bool:
    """Also shortened, as argparse allows, and as the opposite of another."""
    plain = f"--{option.removeprefix('--no-')}"
    return any(one.startswith((option, plain)) for one in commands.options)
