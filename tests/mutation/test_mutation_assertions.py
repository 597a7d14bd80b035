"""Tests that assert nothing, by their text."""

from __future__ import annotations

import pytest

from windtunnel.mutation.assertions import asserting_nothing

ASSERTING = {
    "an assert": "def test_it():\n    assert calc() == 1\n",
    "an expected exception": "def test_it():\n    with pytest.raises(ValueError):\n        calc()\n",
    "an expected warning": "def test_it():\n    with pytest.warns(UserWarning):\n        calc()\n",
    "a failure": "def test_it():\n    if not calc():\n        pytest.fail('no')\n",
    "unittest": "class TestIt(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(calc(), 1)\n",
    "a mock": "def test_it():\n    calc(mock)\n    mock.assert_called_once_with(1)\n",
    "a helper of the same file": "def same(a):\n    assert a == 1\n\n\ndef test_it():\n    same(calc())\n",
    "a helper that calls a helper": "def one(a):\n    two(a)\n\n\ndef two(a):\n    one(a)\n    assert a\n\n\ndef test_it():\n    one(1)\n",
    "a helper with a telling name": "from helpers import check_it\n\n\ndef test_it():\n    check_it(calc())\n",
    "a raised error": "def test_it():\n    if not calc():\n        raise AssertionError\n",
    "an awaited assertion": "async def test_it():\n    assert await calc() == 1\n",
}


@pytest.mark.parametrize("source", ASSERTING.values(), ids=list(ASSERTING))
def test_a_test_that_asserts_is_left_alone(source):
    assert asserting_nothing(source.encode()) == []


def test_a_test_that_only_calls_is_named_as_pytest_spells_it():
    source = "def test_it():\n    calc()\n\n\nclass TestAll:\n    def test_other(self):\n        print(calc())\n"

    assert asserting_nothing(source.encode()) == ["test_it", "TestAll::test_other"]


def test_what_is_no_test_is_not_named():
    assert asserting_nothing(b"def helper():\n    calc()\n\n\nclass Helper:\n    def test_like(self):\n        pass\n") == []


@pytest.mark.parametrize("source", [b"def (:\n", b"\x00", b"\xff\xfe"])
def test_what_cannot_be_read_names_nothing(source):
    assert asserting_nothing(source) == []
