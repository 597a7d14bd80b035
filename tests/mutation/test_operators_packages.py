"""What holds for every mutant holds for all of real files: of the standard library, and of packages that others wrote."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

from windtunnel.mutation.equivalence import BROKEN
from windtunnel.mutation.python import mutants, mutated
from windtunnel.mutation.screening import screened

STANDARD = ["asyncio.queues", "bisect", "contextlib", "fnmatch", "graphlib", "heapq", "shlex", "textwrap"]
INSTALLED = ["more_itertools.recipes", "parse", "toolz.dicttoolz", "toolz.functoolz", "toolz.itertoolz"]
MOST_COMPILED = 40


@pytest.fixture(params=[*STANDARD, *INSTALLED])
def source(request):
    return Path(importlib.util.find_spec(request.param).origin).read_bytes()


def test_every_mutant_changes_exactly_the_bytes_it_names(source):
    for mutant in mutants(source, path="a.py"):
        changed = mutated(source, mutant)
        assert changed != source
        assert source[mutant.start:mutant.end].decode() == mutant.original
        assert changed == source[:mutant.start] + mutant.replacement.encode() + source[mutant.end:]


def test_every_mutant_compiles(source):
    found = list(mutants(source, path="a.py"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mutant in found[::len(found) // MOST_COMPILED + 1]:
            compile(mutated(source, mutant), "a.py", "exec", dont_inherit=True)

    assert BROKEN not in screened(source, path="a.py").dropped


def test_names_are_unique_and_survive_new_lines_above_and_below(source):
    found = [mutant.id for mutant in mutants(source, path="a.py")]
    moved = source.replace(b"\n\n\ndef ", b"\n\n\ndef unrelated(x):\n    return x + 1\n\n\n\ndef ", 1) + b"\n\nunrelated = 1\n"

    assert len(set(found)) == len(found)
    assert set(found) - {mutant.id for mutant in mutants(moved, path="a.py")} == set()


def test_screening_drops_few_and_keeps_the_order(source):
    kept = [mutant.id for mutant in screened(source, path="a.py").mutants]
    all_of_them = [mutant.id for mutant in mutants(source, path="a.py")]

    assert len(kept) > 0.9 * len(all_of_them)
    known = set(kept)
    assert kept == [name for name in all_of_them if name in known]
