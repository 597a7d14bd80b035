"""Starter layouts are told for what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.analysis_layouts import KINDS, read_layouts, told

from windtunnel.analysis.frameworks import FRAMEWORKS
from windtunnel.analysis.listing import listing_of
from windtunnel.analysis.parts import portions

LAYOUTS = read_layouts((Path(__file__).parent / "layouts.txt").read_text())
MISSED = {"flask-single-file", "makefile-sdl"}
"""Nothing but an import tells of these; docs/analyze.md names them."""


def test_there_are_enough_of_them():
    assert len(LAYOUTS) >= 50
    assert sum(len(rows) for rows in FRAMEWORKS.values()) >= 60


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
def test_a_layout_is_told_right_or_is_among_the_misses(layout):
    found = told(layout)
    wrong = {kind for kind in KINDS if found[kind] != layout.expected.get(kind, frozenset())}

    assert bool(wrong) is (layout.name in MISSED)


def test_a_part_says_why_and_knows_its_scripts_entry_points_and_tools():
    (portion,) = portions(listing_of({
        "pyproject.toml": '[project]\nname="shop"\ndependencies=["fastapi"]\n[project.scripts]\nshop="shop.cli:main"\n[tool.ruff]\n',
        "Makefile": "test:\n\tpytest\nX := 1\n", "main.py": "", ".pre-commit-config.yaml": "", "tests/test_a.py": ""}))
    part = portion.part

    assert (part.name, part.manager, part.frameworks[0].why, part.tests, part.tools, dict(part.scripts), part.entry_points) == (
        "shop", "pip", "pyproject.toml needs fastapi", ("unittest",), ("ruff", "pre-commit"), {"make test": "make test"},
        ("shop = shop.cli:main", "main.py"))


def test_manifests_of_examples_fixtures_and_vendored_code_are_left_out_with_a_word():
    listing = listing_of({"go.mod": "module a\n", "examples/a/package.json": '{"name": "e"}', "vendor/x/go.mod": "module x\n",
                          "tests/fixtures/p/Cargo.toml": "[package]\n"})

    assert [one.part.folder for one in portions(listing)] == [""]
    assert listing.notes == ["3 manifests in folders for examples, fixtures or other people's code were left out"]
