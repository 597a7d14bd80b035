"""Fates of what is hard to mutate, in a real sandbox, found in memory and found by loading: the same both ways."""

from __future__ import annotations

import pytest
from mutation_cases import CASES, SETTINGS
from mutations import fates, judge, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WAYS = ("", "loaded", "fresh")


@pytest.fixture(scope="module")
def judged(tunnel, tmp_path_factory):
    """All cases in one project, judged once for each way."""
    folder = tmp_path_factory.mktemp("cases")
    write(folder, SETTINGS)
    for files, _ in CASES.values():
        write(folder, files)
    made = {}

    def of(way):
        if way not in made:
            made[way] = judge(tunnel, folder, way=way)
        return made[way]

    return of


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_the_fates_are_those_that_the_tests_really_bring_about(judged, name, way):
    files, expected = CASES[name]

    assert sorted(one for one in fates(judged(way)) if one[0] in files) == sorted(expected)


@pytest.mark.parametrize("way", WAYS)
def test_tests_that_pass_are_all_that_judges(judged, way):
    result = judged(way)

    assert (str(result.state), result.failing, result.flaky, result.dependent) == ("judged", (), (), ())
