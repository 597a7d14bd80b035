from __future__ import annotations

from itertools import pairwise

import pytest

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers import PARSERS, problems
from windtunnel.parsers.base import chain, own

EXAMPLES = [
    pytest.param(parser, example, id=f"{parser.name}-{number}")
    for parser in PARSERS
    for number, example in enumerate(parser.examples)
]


@pytest.mark.parametrize(("parser", "example"), EXAMPLES)
def test_an_example_is_read_as_it_says(parser, example):
    assert parser.parse(example.stderr, example.stdout) == example.expected


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_a_parser_shows_an_error_and_something_to_leave_alone(parser):
    assert {bool(example.expected) for example in parser.examples} == {True, False}


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_a_parser_names_likely_causes_for_some_of_its_examples(parser):
    found = [error for example in parser.examples for error in example.expected]

    assert any(parser.likely(error) for error in found)


def test_no_language_has_two_parsers():
    named = [language for parser in PARSERS for language in parser.languages]

    assert sorted(named) == sorted(set(named))


def test_the_languages_that_run_have_parsers():
    named = {language for parser in PARSERS for language in parser.languages}
    known = "bash c c++ go java javascript lua perl php python r ruby rust sh typescript"

    assert set(known.split()) - named == set()


def test_a_chain_links_each_error_to_the_one_before():
    root, middle, top = (Problem(kind=kind, message="") for kind in "abc")

    linked = chain((root, middle, top))

    assert [error.kind for error in linked] == ["a", "b", "c"]
    assert all(later.cause is earlier for earlier, later in pairwise(linked))


def test_the_root_cause_comes_first_and_stays_the_very_cause_of_the_next():
    example = next(example for parser in PARSERS if parser.name == "python" for example in parser.examples)

    root, top = problems("python", stderr=example.stderr)

    assert (root.kind, top.kind) == ("KeyError", "RuntimeError")
    assert top.cause is root
    assert root.causes


def test_the_exception_that_ended_the_program_comes_before_one_that_was_logged():
    logged = 'Traceback (most recent call last):\n  File "/sandbox/main.py", line 1, in f\n    f()\nOSError: first\n\n'

    found = problems("python", stderr=logged + logged.replace("OSError: first", "ValueError: last"))

    assert [error.kind for error in found] == ["ValueError", "OSError"]


def test_a_missing_package_is_said_to_be_missing_in_the_sandbox():
    stderr = (
        'Traceback (most recent call last):\n  File "/sandbox/main.py", line 1, in <module>\n'
        "    import numpy\nModuleNotFoundError: No module named 'numpy'\n"
    )

    (found,) = problems("python", stderr=stderr)

    assert "not installed in the sandbox" in found.causes[0]
    assert "network is off" in found.causes[1]


def test_a_traceback_without_its_last_line_falls_back_to_the_last_line_there_is():
    stderr = 'Traceback (most recent call last):\n  File "/sandbox/main.py", line 1, in <module>\n'

    (found,) = problems("python", stderr=stderr)

    assert found == Problem(kind="error", message='File "/sandbox/main.py", line 1, in <module>')


@pytest.mark.parametrize("language", ["python", "cobol", None])
def test_output_nobody_knows_gives_its_last_line(language):
    assert problems(language, stderr="starting\ncould not start\n\n") == (
        Problem(kind="error", message="could not start"),
    )


def test_silence_gives_no_problem_and_the_answer_of_the_program_is_not_taken_for_one():
    assert problems("python", stderr="\n \n", stdout="42\n") == ()


def test_a_panic_with_a_backtrace_keeps_the_frames_of_the_library():
    stderr = """
thread 'main' (18437) panicked at /sandbox/panic.rs:2:5:
index out of bounds: the len is 2 but the index is 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   3: panic::third
             at ./panic.rs:2:5
   4: panic::main
             at ./panic.rs:6:20
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""
    (found,) = problems("rust", stderr=stderr)

    assert found.place == Place(file="/sandbox/panic.rs", line=2, column=5)
    assert [frame.symbol for frame in found.frames] == ["panic::main", "panic::third", "__rustc::rust_begin_unwind"]


def test_a_panic_of_an_older_rust_has_its_words_before_its_place():
    (found,) = problems("rust", stderr="thread 'main' panicked at 'no port', src/main.rs:2:5\n")

    assert (found.message, found.place) == ("no port", Place(file="src/main.rs", line=2, column=5))


def test_a_panic_while_another_unwinds_comes_from_that_other():
    stderr = "panic: first [recovered]\n\tpanic: second\n\ngoroutine 1 [running]:\nmain.main()\n\t/sandbox/main.go:9 +0x1d\n"

    root, top = problems("go", stderr=stderr)

    assert (root.message, top.message, top.cause is root) == ("first", "second", True)
    assert top.place == Place(file="/sandbox/main.go", line=9, symbol="main.main")


def test_an_error_in_a_header_is_placed_where_the_program_asked_for_it():
    stderr = (
        "/sandbox/inst.cpp:8:14:   required from here\n"
        "/usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for 'operator<'\n"
    )

    (found,) = problems("c++", stderr=stderr)

    assert found.place == Place(file="/sandbox/inst.cpp", line=8, column=14)
    assert found.frames[-1] == Place(file="/usr/include/c++/12/bits/predefined_ops.h", line=45, column=23)


@pytest.mark.parametrize(
    ("file", "mine"),
    [
        ("/sandbox/main.py", True),
        ("main.go", True),
        ("/sandbox/node_modules/left-pad/index.js", False),
        ("/usr/lib/python3.11/json/decoder.py", False),
        ("/sandboxes/main.py", False),
        ("node:internal/modules/cjs/loader", False),
        ("<frozen importlib._bootstrap>", False),
    ],
)
def test_own_files_are_those_below_the_sandbox_folder(file, mine):
    assert own(Place(file=file)) is mine
