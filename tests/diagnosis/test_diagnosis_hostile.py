"""Output that is coloured, cut, mixed, huge, foreign or made to harm: read as far as it goes, and never a crash."""

from __future__ import annotations

import pytest
from corpus_cases import MAKER, read, recorded
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.diagnosis import MOST_PROBLEMS, problems_in
from windtunnel.diagnosis.clusters import clusters

TRACE = """\
Traceback (most recent call last):
  File "/workspace/cart.py", line 3, in read
    return settings["port"]
KeyError: 'port'
"""
FIRST = [pytest.param(*found[0], id=tool) for tool in MAKER.USUAL if (found := recorded(tool))]
WORDS = st.sampled_from([
    "Traceback (most recent call last):", '  File "a.py", line 3, in f', "KeyError: 'x'", "E   assert 1 == 2", "=" * 70,
    "___ test_a ___", "=== FAILURES ===", "FAIL: test_a (m.T)", "    at f (/workspace/a.js:1:2)", "TypeError: x is not a function",
    "  \u25cf a \u203a b", "FAIL ./a.test.js", "a.ts(1,2): error TS2322: no", "A.java:3: error: ';' expected", "     ^",
    'Exception in thread "main" java.lang.Error: x', "\tat a.B.c(B.java:3)", "Caused by: java.lang.Error", "panic: x",
    "goroutine 1 [running]:", "\t/workspace/a.go:3 +0x1", "--- FAIL: TestA (0.00s)", "    a_test.go:3: x", "error[E0308]: no",
    " --> src/a.rs:1:2", "thread 'main' panicked at a.rs:1:2:", "  + Exception Group Traceback (most recent call last):",
    "  +-+---------------- 1 ----------------", "    +------------------------------------", '{"Action":"output","Output":1}',
    '{"reason":"compiler-message","message":{"level":"error","message":"x","spans":[{"is_primary":true}]}}', "", "\x1b[31m",
    "npm ERR! code E404", "ERROR: x", "go: x", "# pkg", "[ERROR] /a.java:[1,2] x", "Error: x", "    ... 3 more", "\r", "\0"])


def kinds(text):
    return [(str(one.kind), one.place.file if one.place else None, one.place.line if one.place else None)
            for one in problems_in(text)]


@pytest.mark.parametrize(("case", "output", "code"), FIRST)
def test_colours_and_the_line_ends_of_another_system_change_nothing(case, output, code):
    coloured = "".join(f"\x1b[1m\x1b[31m{line}\x1b[0m\r\n" for line in output.split("\n"))

    assert read(case, coloured) == read(case, output)


@pytest.mark.parametrize(("case", "output", "code"), FIRST)
def test_output_cut_anywhere_is_read_without_a_fault(case, output, code):
    step = max(1, len(output) // 60)

    heads = [read(case, output[:at]) for at in range(0, len(output), step)]
    tails = [read(case, output[at:]) for at in range(0, len(output), step)]

    assert {type(one) for one in (*heads, *tails)} == {list}


def test_a_trace_without_its_end_still_gives_its_place():
    assert kinds(TRACE.rpartition("KeyError")[0]) == [("generic", "cart.py", 3)]


def test_lines_of_another_writer_between_those_of_a_trace_do_not_end_it():
    lines = TRACE.splitlines()
    mixed = "\n".join([lines[0], "INFO: 3 orders", *lines[1:2], "worker: done", *lines[2:]])

    assert kinds(mixed) == [("key", "cart.py", 3)]


@pytest.mark.parametrize("prefix", ["2026-01-02T03:04:05.678Z ", "web-1  | ", "api_1 | "])
def test_what_keepers_of_logs_put_before_each_line_is_taken_off(prefix):
    assert kinds("".join(f"{prefix}{line}\n" for line in TRACE.splitlines())) == [("key", "cart.py", 3)]


def test_the_head_and_the_tail_of_megabytes_are_read():
    text = TRACE + "x" * 79 + "\n" * 10 + ("noise and more of it\n" * 400_000) + TRACE.replace("cart", "late")

    assert [place for _, place, _ in kinds(text)] == ["cart.py", "late.py"]


def test_one_endless_line_is_cut():
    assert kinds("KeyError: " + "a" * 5_000_000) == [("generic", None, None)]


def test_a_bounded_number_of_problems_is_kept_of_very_many():
    text = "".join(f"a{at}.ts(1,1): error TS2304: Cannot find name 'x{at}'.\n" for at in range(3 * MOST_PROBLEMS))

    assert len(problems_in(text)) == MOST_PROBLEMS


def test_unknown_output_gives_one_generic_problem_with_its_telling_lines():
    told = problems_in("starting\nfrobnicate: cannot open the pod\nbye\n")

    assert [(one.kind, one.message, one.place) for one in told] == [
        ("generic", "frobnicate: cannot open the pod", None)]


def test_unknown_output_of_what_failed_is_a_problem_whatever_it_says():
    assert [(one.kind, one.message) for one in problems_in("hm\n", failed=True)] == [("generic", "hm")]


@pytest.mark.parametrize("text", ["", "hm\n", "5 passed in 0.1s\n", "ok  \tshop\t0.1s\n", "0 errors, 0 warnings\n"])
def test_what_says_of_no_failure_gives_no_problem(text):
    assert kinds(text) == []


def test_words_of_another_language_still_give_their_place():
    assert kinds("Foo.kt:7: Fehler: Typ passt nicht\n") == [("generic", "Foo.kt", 7)]


def test_control_and_direction_characters_never_reach_a_message():
    (found,) = problems_in("ValueError\u202e: x\x07\x9b\n  error: \u202edenrut\x1b]0;title\x07\n", failed=True)

    assert [char for char in found.message if not char.isprintable() and char != "\n"] == []


def test_a_chain_without_end_is_bounded():
    link = "\nDuring handling of the above exception, another exception occurred:\n\n"

    told = problems_in(link.join([TRACE] * 200))

    depths = []
    for one in told:
        depth, step = 0, one
        while step.cause is not None:
            depth, step = depth + 1, step.cause
        depths.append(depth)
    assert max(depths) <= 20


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=25).map("\n".join))
def test_no_mixture_of_what_tools_say_is_a_fault(text):
    assert isinstance(clusters(problems_in(text)), tuple)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300))
def test_no_text_is_a_fault(text):
    assert isinstance(clusters(problems_in(text, failed=True)), tuple)
