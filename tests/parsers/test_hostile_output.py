"""Nothing a program writes makes a parser raise, hang, grow or print what it should not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.problem import Problem
from windtunnel.parsers import PARSERS, problems
from windtunnel.parsers.base import MOST_CHAIN, MOST_FRAMES, MOST_MESSAGE, MOST_PROBLEMS
from windtunnel.parsers.text import MOST_LINE, location, number

MIB = 1024 * 1024
PART = MIB // 8
"""Long enough that work that grows with the square of the length takes minutes."""
LINES = sorted({line for parser in PARSERS for each in parser.examples for line in (each.stderr + each.stdout).split("\n")})
LINK = "\nDuring handling of the above exception, another exception occurred:\n\n"
TRACEBACK = 'Traceback (most recent call last):\n  File "/sandbox/main.py", line 1, in f\nE: x\n'
GROUP = "  + Exception Group Traceback (most recent call last):\n  | E: x\n  +-+---------------- 1 ----------------\n"

pieces = st.one_of(st.sampled_from(LINES), st.text(max_size=40), st.sampled_from(LINES).flatmap(
    lambda line: st.integers(0, len(line)).map(lambda cut: line[cut:] + line[:cut])
))  # fmt: skip
texts = st.lists(pieces, max_size=40).map("\n".join)
languages = st.sampled_from([parser.languages[0] for parser in PARSERS])


def depth(error: Problem | None) -> int:
    steps = 0
    while error is not None:
        steps, error = steps + 1, error.cause
    return steps


@settings(deadline=None)
@given(language=languages, stderr=texts, stdout=texts)
def test_any_text_gives_bounded_problems(language, stderr, stdout):
    found = problems(language, stderr=stderr, stdout=stdout)

    assert len(found) <= MOST_PROBLEMS
    assert all(len(error.message) <= MOST_MESSAGE and len(error.frames) <= MOST_FRAMES for error in found)
    assert all(depth(error) <= MOST_CHAIN + 1 for error in found)
    assert "\x1b" not in repr(found)


@settings(deadline=None)
@given(language=languages, raw=st.binary(max_size=2000))
def test_any_bytes_give_a_tuple(language, raw):
    assert isinstance(problems(language, stderr=raw.decode("utf-8", "replace"), stdout=raw.decode("latin-1")), tuple)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
@pytest.mark.parametrize(
    "unit",
    ["\n", " ", "1", ":1", ": ", '  File "', " at a", ":1:in `", ": in function `", "\x1b[0", TRACEBACK, TRACEBACK + LINK,
     GROUP, "E: x\n    at a (b:1:1)\n\n", "/a:1\nx\n^\n", "thread 'x' panicked at a:1:1:\n", "\tpanic: x\n",
     "ERROR: ASanitizer: \n", "a.B.Error\nCaused by: a.B: c\n", "PHP Fatal error:  Uncaught E: x\n#0 {main}\n",
     " in a on line ", "x at y line 1.\n", "lua: a:1: b\n", "Error in a : b\n", "a: 1: b: c\n", "a:1: error: b\n"],
)  # fmt: skip
def test_hostile_text_is_read_in_time_that_grows_with_its_length_alone(parser, unit):
    text = (unit * (PART // len(unit) + 1))[:PART]
    started = time.process_time()

    problems(parser.languages[0], stderr=text, stdout=text)

    assert time.process_time() - started < 5  # a busy machine takes a tenth of a second


def test_a_chain_longer_than_the_stack_is_cut_where_anybody_can_walk_it():
    endless = Problem(kind="E", message="x")
    for _ in range(5000):
        endless = Problem(kind="E", message="x", cause=endless)
    with pytest.raises(RecursionError):
        repr(endless)

    found = problems("python", stderr=LINK.join([TRACEBACK] * 1500))

    assert max(depth(error) for error in found) <= MOST_CHAIN + 1
    assert repr(found).startswith("(Problem(")


def test_a_number_longer_than_python_reads_is_no_line():
    digits = "9" * 5000
    with pytest.raises(ValueError, match="Exceeds the limit"):
        int(digits)

    assert number(digits) is None
    assert location(f"main.c:{digits}:{digits}") is None


def test_a_digit_that_is_no_number_is_no_line():
    assert "²".isdigit()
    assert number("²") is None


def test_a_message_cannot_move_the_cursor_or_reorder_words():
    stderr = TRACEBACK.replace("E: x", "ValueError: \x1b[2J\x1b[31mred\x07 \N{RIGHT-TO-LEFT OVERRIDE}txt\r")

    (found,) = problems("python", stderr=stderr)

    assert found.message == "red txt"


def test_a_long_line_is_cut():
    (found,) = problems(None, stderr="x" * MIB)

    assert found.message == "x" * MOST_LINE


def test_the_end_of_a_long_output_is_read():
    (found,) = problems("python", stderr="noise\n" * MIB + TRACEBACK)

    assert (found.kind, found.message) == ("E", "x")
