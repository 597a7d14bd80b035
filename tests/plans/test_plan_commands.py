"""The commands of projects: each ecosystem's own examples, and names that are made to do harm."""

from __future__ import annotations

import shlex

import pytest

from windtunnel.analysis.commands import ECOSYSTEMS, commands_of
from windtunnel.core.analysis import Part, Purpose

EXAMPLES = [pytest.param(example, id=f"{one.name}-{number}") for one in ECOSYSTEMS
            for number, example in enumerate(one.examples)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_the_commands_that_it_says(example):
    found = commands_of(example.part, example.names)

    assert tuple((one.purpose, one.command) for one in found) == example.commands


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_command_names_its_tool_and_why(example):
    for one in commands_of(example.part, example.names):
        assert one.tool in shlex.split(one.command)
        assert one.why


def test_files_of_other_folders_do_not_count():
    part = Part(folder="backend", ecosystem="go", manifests=("backend/go.mod",))

    found = commands_of(part, ["go.sum", "main_test.go", "backend/go.mod", "backend2/go.sum", "backend2/x_test.go"])

    assert {one.purpose for one in found}.isdisjoint({Purpose.INSTALL, Purpose.TEST})


def test_a_hostile_file_name_stays_one_word_of_its_command():
    name = "x; touch pwned #.gemspec"

    (build,) = [one for one in commands_of(Part(folder="", ecosystem="ruby"), [name]) if one.purpose is Purpose.BUILD]

    assert shlex.split(build.command) == ["gem", "build", name]


def test_a_makefile_stands_in_only_where_nothing_better_is_known():
    part = Part(folder="", ecosystem="go", scripts={"test": "", "lint": "", "run": ""})

    found = {one.purpose: one.command for one in commands_of(part, ["Makefile", "go.mod", "a_test.go"])}

    assert found[Purpose.TEST] == "go test ./..."
    assert found[Purpose.START] == "make run"


def test_a_part_of_an_unknown_ecosystem_has_what_its_makefile_offers():
    part = Part(folder="", ecosystem="fortran", scripts={"test": ""})

    assert [one.command for one in commands_of(part, ["Makefile"])] == ["make test"]
