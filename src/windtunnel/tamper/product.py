"""What can be said of product code in Python: all rules over one file, and over text that it runs."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from windtunnel.tamper import borrowing, detection, equality, exits, patching, posing, reports, surroundings
from windtunnel.tamper.answers import Reader, functions
from windtunnel.tamper.copied import copied_lines, copied_tables, explained, spelled_out
from windtunnel.tamper.disguise import disguised
from windtunnel.tamper.literals import Unit, units
from windtunnel.tamper.locality import local
from windtunnel.tamper.repairs import repaired
from windtunnel.tamper.rule import Rule, Site, site
from windtunnel.tamper.samples import Effort
from windtunnel.tamper.samples import samples as calls
from windtunnel.tamper.special import special_cases
from windtunnel.tamper.trees import Source, docstrings, folded, parse, unparsed

RULES: tuple[Rule, ...] = (
    exits.RULE, detection.RULE, surroundings.RULE, patching.RULE, equality.RULE, posing.RULE, reports.RULE,
    borrowing.RULE,
)  # fmt: skip

_RUNNERS = {"exec", "eval", "builtins.exec", "builtins.eval"}
_DECODERS = re.compile(
    r"b64decode|b85decode|fromhex|unhexlify|decompress|marshal\.loads|pickle\.loads|rot_?13|codecs\.decode"
)
_HARD = re.compile(r"\bos\s*\.\s*_exit\b|\bPYTEST_CURRENT_TEST\b|[\"']pytest[\"']\s+in\s+sys\b|sitecustomize")
_STARTERS = {"subprocess", "multiprocessing", "runpy", "os", "asyncio"}
_PROGRAM = re.compile(r"\bimport\s+\w[^\n;]*[\n;]")
_FAR = {"forges-report", "plants-file"}
MOST_NESTED = 3


def sites(source: Source, *, nested: int = 0) -> Iterator[Site]:
    """Every construct of a file that a rule speaks of, new or old."""
    for rule in RULES:
        yield from rule.find(source)
    for node in source.of(ast.Call):
        if node.args and source.name(node.func) in _RUNNERS:
            yield from _hidden(source, node, nested)
    if nested < MOST_NESTED and any(name.partition(".")[0] in _STARTERS for name in source.names.values()):
        yield from _elsewhere(source, nested)


def _elsewhere(source: Source, nested: int) -> Iterator[Site]:
    """What a program in a text, meant for another process, does to files that are not its own."""
    told = docstrings(source.of(ast.Expr))
    for node in source.of(ast.Constant):
        if isinstance(node.value, str) and node not in told:
            tree = parse(node.value) if _PROGRAM.search(node.value) else None
            if tree is not None:
                inner = sites(Source(path=source.path, tree=tree), nested=nested + 1)
                yield from (replace(each, line=node.lineno) for each in inner if each.rule in _FAR)


def _hidden(source: Source, node: ast.Call, nested: int) -> Iterator[Site]:
    """Code in a text that is run: read when it is a constant, doubted when it is decoded first."""
    text = folded(node.args[0])
    tree = parse(text) if text is not None and nested < MOST_NESTED else None
    decoded = _DECODERS.search(unparsed(node))
    if text is None or decoded:
        yield site(
            "hides-code",
            node,
            message="runs code that is not written in the change",
            severity="block" if decoded else "show",
        )
    if tree is not None:
        yield from (
            replace(each, line=node.lineno) for each in sites(Source(path=source.path, tree=tree), nested=nested + 1)
        )


@lru_cache(maxsize=128)
def _source(path: str, data: bytes) -> Source | None:
    """A file made ready, kept for whoever asks next; None where it cannot be read."""
    tree = parse(data)
    return None if tree is None else Source(path=path, tree=tree)


def both_sources(path: str, old: bytes | None, new: bytes | None) -> tuple[Source | None, Source | None]:
    """Both sides of a Python file."""
    return None if old is None else _source(path, old), None if new is None else _source(path, new)


def file_sites(path: str, data: bytes | None) -> list[Site]:
    """The sites of one side of a file; what cannot be parsed is searched for the plainest tricks."""
    if data is None:
        return []
    source = _source(path, data)
    if source is not None:
        return list(sites(source))
    text = data.decode("utf-8", "replace")
    return [
        Site(rule="unreadable", message="cannot be read as Python", key=f"unreadable {path}", severity="show"),
        *(
            Site(
                rule="exits-early" if "_exit" in match[0] else "detects-tests",
                message="reaches for the runner",
                key=f"text {match[0]}",
                line=text.count("\n", 0, match.start()) + 1,
                evidence=match[0],
            )
            for match in _HARD.finditer(text)
        ),
    ]


def fresh(new: Iterable[Site], old: Iterable[Site]) -> Iterator[Site]:
    """The new sites that were not there before, however often each was."""
    had = Counter(each.key for each in old)
    for each in new:
        if had[each.key] > 0:
            had[each.key] -= 1
        else:
            yield each


def cases(path: str, data: bytes, *, old: bytes | None, known: Sequence[Unit]) -> Iterator[Site]:
    """Answers looked up by the tests' inputs, new in this file."""
    source = _source(path, data)
    if source is not None and known:
        yield from special_cases(source, None if old is None else _source(path, old), known=known)


def changed_functions(path: str, data: bytes, *, old: bytes | None) -> dict[str, tuple[Reader, Reader | None]]:
    """The functions of a file that are not as they were, each with its old version."""
    new, before = functions(_source(path, data)), functions(_source(path, old) if old is not None else None)
    used = _constants(_source(path, data)) == _constants(_source(path, old) if old is not None else None)
    return {
        name: (each, before.get(name))
        for name, each in new.items()
        if name not in before or not used or unparsed(each.function) != unparsed(before[name].function)
    }


def _constants(source: Source | None) -> list[str]:
    """What a file gives names to at its top, but for functions and classes."""
    if source is None:
        return []
    return [unparsed(each) for each in source.tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]


def tailored_to(
    path: str, data: bytes, *, old: bytes | None, tests: Mapping[str, bytes], effort: Effort
) -> Iterator[Site]:
    """What only the calls that tests make, and the data that they keep, explain: new in this file."""
    source, earlier = _source(path, data), None if old is None else _source(path, old)
    if source is None:
        return
    known, shown = units(tests), calls(tests)
    yield from copied_tables(source, earlier, known=known)
    yield from copied_lines(source, earlier, tests=tests)
    for new, before in changed_functions(path, data, old=old).values():
        yield from disguised(new, before, samples=shown, effort=effort)
        yield from local(new, before, samples=shown, effort=effort)
        yield from spelled_out(new, before, samples=shown)
        yield from explained(new, before, samples=shown)
        yield from repaired(new, before, known=known, samples=shown)
