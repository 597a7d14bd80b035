"""What the search promises of every proposal: where it edits, what it leaves alone, and in which order it comes."""

from __future__ import annotations

from itertools import islice

import pytest
from search_program import answers, is_passing

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene, Suspicion
from windtunnel.repair.search import KINDS, pairs, search
from windtunnel.repair.search.places import sites
from windtunnel.repair.search.queue import ranked
from windtunnel.repair.search.site import Kind

QUIET = '''
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 7


class Box:
    """A box of 3 things."""

    def __repr__(self):
        return "Box" + str(1 + 1)

    def size(self, count: "int | None" = None) -> "int":
        """How many: 4."""
        logging.info("size %s", 5 + 5)
        return 2
'''


def shown(text: str, **more) -> Scene:
    return Scene(paths=("code.py",), read={"code.py": text}.get, **more)


def texts(scene: Scene, most: int = 5000) -> list[str]:
    return [one.edits[0].text for one in islice(search(scene), most)]


def test_docstrings_logging_annotations_representations_and_type_checking_stay_as_they_are():
    kept = ('"""A box of 3 things."""', '"""How many: 4."""', 'logging.info("size %s", 5 + 5)', 'return "Box" + str(1 + 1)', "LIMIT = 7",
            'count: "int | None"', '-> "int"')

    assert [text for text in texts(shown(QUIET)) if any(one not in text for one in kept)] == []


def test_only_files_that_may_be_changed_are():
    files = {"code.py": "def one():\n    return 1\n", "test_code.py": "def test_one():\n    assert 1 == 1\n", "note.txt": "x"}
    scene = Scene(paths=("code.py", "test_code.py", "note.txt", "gone.py"), read=files.get, test_paths=("test_code.py",))

    assert {one.edits[0].path for one in search(scene)} == {"code.py"}


def test_columns_are_counted_right_after_letters_of_several_bytes():
    text = 'def größe(ä, b):\n    return "ünï" * ä if ä < b else "ü"  # ß\n'

    assert text.replace("ä < b", "ä <= b") in texts(shown(text))


@pytest.mark.parametrize("text", [
    "def less(a, b):\r\n    x = 1\r\n    return a < b\r\n",
    "\ufeffdef less(a, b):\n    return a < b\n",
    "def less(a, b):\n\treturn a < b",
    "def less(a, b): return a < b\n",
    "class A:\n    @property\n    def less(self):\n        if self: return a < b\n        return None\n",
    "async def less(a, b):\n    return await a < b\n",
    "def less(a, b):\n    x = 1; return a < b\n",
], ids=["carriage returns", "byte order mark", "tabs", "one line", "one-line if", "async", "two on a line"])
def test_every_form_of_file_keeps_its_bytes_around_the_edit(text):
    assert text.replace("a < b", "a <= b") in texts(shown(text))


@pytest.mark.parametrize("text", ["def broken(:\n", "x = '\0'\n", "(" * 5000, "x = " + "-" * 100_000 + "1\n", "", "\ud800"[:0] + "pass"],
                         ids=["syntax", "null", "brackets", "signs", "empty", "nothing to edit"])
def test_a_file_that_cannot_be_read_gives_nothing(text):
    assert texts(shown(text)) == []


def test_deeply_nested_code_is_survived():
    text = "def deep(a):\n    return " + "(" * 80 + "a" + " + 1)" * 80 + "\n"

    assert next(search(shown(text))).origin == "search"


def test_where_tests_were_traced_only_what_failing_ones_ran_is_edited():
    text = "def one(a):\n    return a < 1\n\n\ndef two(a):\n    return a < 2\n"
    scene = shown(text, suspicions=(Suspicion(path="code.py", line=6, score=1.0),))

    assert {one.place.line for one in search(scene)} == {5, 6} - {5}


def test_the_most_suspicious_statement_comes_first():
    text = "def one(a):\n    b = a < 1\n    return a < 2 and b\n"
    scores = (Suspicion(path="code.py", line=3, score=0.9), Suspicion(path="code.py", line=2, score=0.2))

    assert next(search(shown(text, suspicions=scores))).place == Place(file="code.py", line=3, symbol="one")


def test_a_line_that_an_error_came_from_counts_more():
    text = "def one(a):\n    b = a < 1\n    c = a < 2\n    return b, c\n"
    scores = tuple(Suspicion(path="code.py", line=line, score=0.7) for line in (2, 3, 4))
    problem = Problem(kind="index", message="", place=Place(file="code.py", line=3))

    assert next(search(shown(text, suspicions=scores, problems=(problem,)))).place.line == 3


def test_types_that_were_seen_decide_which_name_is_tried_first():
    text = "def size(word, count, limit):\n    total = count\n    return total + word + limit\n"
    seen = {"code.py:1": {"word": ("str",), "count": ("str",), "limit": ("int",), "total": ("str",)}}
    names = [one.edits[0].text for one in search(shown(text, types=seen)) if one.name == "variable"]

    assert names.index(text.replace("= count", "= word")) < names.index(text.replace("= count", "= limit"))


def test_priors_fall_and_lie_between_nothing_and_one():
    priors = [one.prior for one in search(shown("def one(a, b):\n    if a < b:\n        return a\n    return b - a\n"))]

    assert priors == sorted(priors, reverse=True)
    assert 0 < priors[-1] <= priors[0] <= 1


def test_features_lie_between_nothing_and_one():
    found = list(search(shown("def one(a, b):\n    return a - b\n")))

    assert [one for one in found if not all(0 <= value <= 1 for value in one.features.values())] == []


def test_a_sort_of_edit_is_not_opened_before_its_turn():
    def never(site):
        pytest.fail("opened")

    late = Kind(name="late", bound=0.00001, edits=never, before="", after="")
    found = ranked(sites(shown("def one(a, b):\n    return a < b\n")), (KINDS[0], late))

    assert next(found).kind is KINDS[0]


def test_two_faults_of_one_function_are_repaired_by_a_pair():
    good = "def inside(low, value, high):\n    if value < low:\n        return False\n    return value <= high\n"
    text = good.replace("value < low", "value > low").replace("value <= high", "value < high")
    calls = ("inside(1, 1, 3)", "inside(1, 0, 3)", "inside(1, 3, 3)", "inside(1, 4, 3)", "inside(2, 1, 3)")
    wanted = answers(good, calls)
    passing = [one for one in islice(pairs(shown(text)), 500) if is_passing(one.edits[0].text, calls, wanted)]

    assert passing[0].edits[0].text == good
    assert passing[0].name == "comparison+comparison"


def test_the_same_scene_gives_the_same_order():
    scene = shown("def one(a, b):\n    while a < b:\n        a += 1\n    return a\n")

    assert texts(scene) == texts(scene)


def test_constants_of_the_tests_are_tried_last():
    files = {"code.py": "def one(a):\n    return a > 60\n", "test_code.py": "assert one(43)\n"}
    scene = Scene(paths=("code.py",), read=files.get, test_paths=("test_code.py",))
    found = texts(scene)

    assert found.index("def one(a):\n    return a > 43\n") > found.index("def one(a):\n    return a > 59\n")
