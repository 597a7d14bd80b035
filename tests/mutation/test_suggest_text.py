"""Suggested tests as text: how they read, and where in a file they go."""

from __future__ import annotations

import ast

import pytest

from windtunnel.mutation.suggest_place import Sheet, placed
from windtunnel.mutation.suggest_text import Draft, written


def draft(**more):
    given = {"function": "clip", "call": "clip(1, 2)", "expected": "1", "aspect": "value", "kills": (0,)}
    return Draft(**{**given, **more})


SHAPES = {
    "a value": (draft(), "def test_clip_of_1_and_2():\n    assert clip(1, 2) == 1\n"),
    "a single one": (draft(expected="None"), "def test_clip_of_1_and_2():\n    assert clip(1, 2) is None\n"),
    "what is gone through": (
        draft(shape="list", expected="[1]"), "def test_clip_of_1_and_2():\n    assert list(clip(1, 2)) == [1]\n"),
    "what has no end": (
        draft(shape="few", expected="[1]"),
        "def test_clip_of_1_and_2():\n    assert list(itertools.islice(clip(1, 2), 5)) == [1]\n"),
    "what is awaited": (draft(shape="run"), "def test_clip_of_1_and_2():\n    assert asyncio.run(clip(1, 2)) == 1\n"),
    "an attribute": (draft(aspect=".size"), "def test_clip_of_1_and_2():\n    assert clip(1, 2).size == 1\n"),
    "an operator": (
        draft(function="Stack.__eq__", call="Stack([1]) == Stack([])", expected="False"),
        "def test_stack_eq_as_it_is():\n    assert (Stack([1]) == Stack([])) is False\n"),
    "an error": (
        draft(aspect="raises", raises="ValueError", expected="ValueError", shape="raised"),
        "def test_clip_of_1_and_2_raises():\n    with pytest.raises(ValueError):\n        clip(1, 2)\n"),
    "its words": (
        draft(aspect="message", raises="ValueError", expected="'no'", shape="raised"),
        'def test_clip_of_1_and_2_says_why_it_fails():\n    with pytest.raises(ValueError) as caught:\n        clip(1, 2)\n    assert str(caught.value) == "no"\n'),
    "a changed input": (
        draft(function="Stack.push", call="stack.push(1)", given=(("stack", "Stack([])"),), aspect="after stack.items", expected="[1]"),
        "def test_stack_push_of_1_changes_stack_items():\n    stack = Stack([])\n    stack.push(1)\n    assert stack.items == [1]\n"),
    "a long answer": (
        draft(expected=repr("x" * 100)),
        f'def test_clip_of_1_and_2():\n    expected = "{"x" * 100}"\n    assert clip(1, 2) == expected\n'),
    "signs": (draft(call="clip('', -1, lambda x: x)"),
              'def test_clip_of_empty_and_minus_1_and_a_function():\n    assert clip("", -1, lambda x: x) == 1\n'),
    "long inputs": (draft(call=f"clip({'1' * 80})"), f"def test_clip_of_one_more_input():\n    assert clip({'1' * 80}) == 1\n"),
}


@pytest.mark.parametrize(("one", "code"), SHAPES.values(), ids=list(SHAPES))
def test_a_check_is_a_plain_function(one, code):
    assert [test.code for test in written([one], ())] == [code]


def test_checks_that_differ_in_their_values_alone_are_one_test_with_parameters():
    ones = [draft(named="clip(n, most)", arguments=(("n", n), ("most", "2")), expected=n, kills=(int(n),)) for n in ("1", "0")]

    (test,) = written(ones, ())

    assert (test.imports, test.kills, test.code) == (("import pytest",), (1, 0), (
        '@pytest.mark.parametrize(("n", "most", "expected"), [\n    (1, 2, 1),\n    (0, 2, 0),\n])\n'
        "def test_clip_of_several_inputs(n, most, expected):\n    assert clip(n, most) == expected\n"))


def test_names_that_the_file_has_are_not_taken_again():
    names = [test.name for test in written([draft(), draft(expected="2")], {"test_clip_of_1_and_2"})]

    assert names == ["test_clip_of_1_and_2_2", "test_clip_of_1_and_2_3"]


def test_quotes_are_as_the_file_has_them():
    one = draft(expected="'a'")

    assert [written([one], (), double=double)[0].code.split("== ")[1] for double in (True, False)] == ['"a"\n', "'a'\n"]


TEST = "def test_new():\n    assert True\n"
PLACES = {
    "at the end": (b"import calc\n\n\ndef test_old():\n    pass\n",
                   b"import calc\nimport pytest\n\n\ndef test_old():\n    pass\n\n\ndef test_new():\n    assert True\n"),
    "a new file": (None, b"import pytest\n\n\ndef test_new():\n    assert True\n"),
    "no imports": (b'"""Doc."""\n\nX = 1', b'"""Doc."""\n\nimport pytest\n\nX = 1\n\n\ndef test_new():\n    assert True\n'),
    "an import that is there": (b"import pytest\n", b"import pytest\n\n\ndef test_new():\n    assert True\n"),
    "before what runs the file": (
        b"import pytest\nX = 1\n\nif __name__ == '__main__':\n    pytest.main()\n",
        b"import pytest\nX = 1\n\n\ndef test_new():\n    assert True\n\n\nif __name__ == '__main__':\n    pytest.main()\n"),
    "other line ends": (b"import calc\r\n", b"import calc\r\nimport pytest\r\n\r\n\r\ndef test_new():\r\n    assert True\r\n"),
    "a byte order mark": (b"\xef\xbb\xbfimport calc\n",
                          b"\xef\xbb\xbfimport calc\nimport pytest\n\n\ndef test_new():\n    assert True\n"),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=list(PLACES))
def test_a_file_gets_imports_at_its_top_and_tests_at_its_end(before, after):
    made = placed(before, ["import pytest"], [TEST])

    assert made == after
    ast.parse(made.decode("utf-8-sig"))


def test_a_test_is_named_as_pytest_names_it():
    sheet = Sheet(path="tests/test_a.py", source=None, tests=tuple(written([draft()], ())))

    assert sheet.id_of(sheet.tests[0]) == "tests/test_a.py::test_clip_of_1_and_2"
