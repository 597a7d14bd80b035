"""Every recorded message of a real tool gives the problems that its program is known to have."""

from __future__ import annotations

import pytest
from corpus_cases import MAKER, read, recorded

TOOLS = tuple(MAKER.USUAL)
CASES = [pytest.param(case, output, id=f"{tool}-{case['name']}") for tool in TOOLS for case, output, _ in recorded(tool)]


@pytest.mark.parametrize(("case", "output"), CASES)
def test_a_message_gives_the_kind_path_and_line_of_the_known_fault(case, output):
    assert sorted(map(str, read(case, output))) == sorted(map(str, case["golden"]))


@pytest.mark.parametrize("tool", TOOLS)
def test_every_program_of_a_tool_was_recorded_and_there_are_at_least_thirty(tool):
    names = [case["name"] for case in MAKER.cases(tool)]

    assert sorted(case["name"] for case, _, _ in recorded(tool)) == sorted(set(names))
    assert len(names) == len(set(names)) >= 30


def test_no_recording_names_a_place_of_the_machine_it_was_made_on():
    told = "\n".join(output for tool in TOOLS for _, output, _ in recorded(tool))

    assert [word for word in ("/root/", "/home/runner", "corpus-", "node_tools", "wt_h") if word in told] == []
