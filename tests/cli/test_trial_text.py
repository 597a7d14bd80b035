"""What a person reads of a trial, from results that never ran."""

import io
from dataclasses import replace

import pytest

from trial_samples import EVIL, a_test, bad, evil, good, report, result_of
from windtunnel.cli.trial_progress import Progress, progress_of
from windtunnel.cli.trial_text import cut, headline, trial_lines
from windtunnel.core.effects import Effects
from windtunnel.core.trial import Delta, Kind, Status, Verdict
from windtunnel.engine.course import Event

BAD = """\
NOT GOOD  1 test broken: tests/test_a.py::test_broken; 1 more reason  (3.10 s)
  - 1 test broken: tests/test_a.py::test_broken
  - exits-early: ends the runner

tests      broken           1
             tests/test_a.py::test_broken
               assert 3 == 4
           new and failing  1
             tests/test_a.py::test_added
               boom
           vanished         1
             tests/test_a.py::test_gone
           silenced         1
             tests/test_a.py::test_quiet
           flaky            1
             tests/test_a.py::test_shaky
           still failing    1
             tests/test_a.py::test_old
           still passing    1
lint       1 new finding, 2 gone
             src/a.py:3:8  ruff F401  'os' imported but unused
tamper     blocks  exits-early  src/a.py:9  ends the runner
             os._exit(0)
           look  assert-weakened  tests/test_a.py:4  fewer asserts
effects    made .git/hooks/pre-commit (10 B); would run later: git hook
           changed out.txt (2 KiB)
           usual litter, folded away: 2 bytecode cache, 1 coverage data
network    example.com:443  refused 2 times, no network
processes  left running, then ended: sleep 2 times, node
refused    system calls: ptrace 3 times
notes      src/a.py: hunk 1 fitted 3 lines further down

checks     build  python -m build  (from pyproject.toml; exit code 0; 500.0 ms; sealed records)
           lint   ruff check  (from pyproject.toml; exit code 1; 500.0 ms; sealed records)
           test   pytest  (as given; exit code 1; 500.0 ms; sealed records)
project    /home/me/shop
           baseline kept from an earlier trial; 1 file changed; the folder itself was not touched
walls      process level: network none, memory cgroup v1, and 1 more (--json lists them)
           watched: files, processes; not watched: network, refused calls
used       1.50 s of processor, 50 MiB of memory at most, 4 processes, 2 KiB of files
trial      0123abcd"""


def text_of(result, width=None):
    return "\n".join(text for text, _ in trial_lines(result, project="/home/me/shop", width=width))


def test_all_that_a_trial_found_is_told_the_important_things_first():
    assert text_of(bad()) == BAD


def test_the_slowest_tests_are_told_where_that_is_asked_for():
    tests = tuple(a_test(f"test_{number}", duration_seconds=number / 10) for number in (3, 1, 2))
    lines = [text for text, _ in trial_lines(
        result_of([report(Kind.TEST, "pytest", tests=tests)]), project="p", slowest=2)]

    assert [line.split() for line in lines[-2:]] == [
        ["slowest", "300.0", "ms", "tests/test_a.py::test_3"], ["200.0", "ms", "tests/test_a.py::test_2"]]


@pytest.mark.parametrize(("result", "line"), [
    (good(), "GOOD  2 tests fixed, nothing broken  (3.10 s)"),
    (replace(good(), delta=Delta(still_passing=3)), "GOOD  nothing broken  (3.10 s)"),
    (replace(good(), delta=Delta(new=("tests/test_b.py::test_new",))), "GOOD  1 new test, nothing broken  (3.10 s)"),
    (result_of([report(Kind.LINT, "ruff")]), "GOOD  nothing broken, but no test looked  (3.10 s)"),
    (replace(bad(), reasons=("1 test broken: a",)), "NOT GOOD  1 test broken: a  (3.10 s)"),
    (replace(bad(), reasons=()), "NOT GOOD  no reason was given  (3.10 s)"),
], ids=["fixed", "nothing", "new", "no tests", "one reason", "no reason"])
def test_the_verdict_is_one_line(result, line):
    assert headline(result)[0] == line


def test_the_verdict_has_its_colour():
    assert [headline(result)[1] for result in (good(), bad())] == ["green", "red"]


@pytest.mark.parametrize("tests", [(), (a_test("test_one", Status.SKIPPED),)], ids=["none", "skipped"])
def test_no_test_that_ran_is_said_loudly(tests):
    result = result_of([report(Kind.TEST, "pytest", tests=tests)], verdict=Verdict.NOT_GOOD)

    assert ("tests      none was run; that is never a pass", "red") in trial_lines(result, project="p")


def test_of_many_names_ten_are_shown_and_the_rest_counted():
    names = tuple(f"tests/test_a.py::test_{number}" for number in range(42))

    lines = text_of(replace(good(), delta=Delta(fixed=names))).splitlines()

    assert sum("::test_" in line for line in lines) == 10
    assert "             … 32 more" in lines


def test_nothing_hostile_reaches_the_terminal():
    shown = text_of(evil())

    assert [char for char in shown if not char.isprintable() and char != "\n"] == []
    assert "\\x1b[2J\\x07" in shown
    assert "\\u202e" in shown


def test_a_name_cannot_begin_a_line_of_its_own():
    lines = text_of(replace(bad(), reasons=("a\nGOOD  2 tests fixed", "b"))).splitlines()

    assert not any(line.startswith("GOOD") for line in lines)


@pytest.mark.parametrize("width", [40, 80, 121])
@pytest.mark.parametrize("result", [good(), bad(), evil()], ids=["good", "bad", "evil"])
def test_no_line_is_wider_than_the_terminal(result, width):
    assert [text for text, _ in trial_lines(result, project="/p" * 200, width=width) if len(text) > width] == []


@pytest.mark.parametrize(("text", "columns", "shown"), [
    ("tests/test_a.py::test_b", 40, "tests/test_a.py::test_b"), ("tests/test_a.py::test_b", 16, "tests/test…est_b"),
    ("日本語のテスト", 9, "日本…スト"), ("日本語のテスト", 14, "日本語のテスト"), ("e\N{COMBINING ACUTE ACCENT}" * 4, 4, "e\N{COMBINING ACUTE ACCENT}" * 4),
])
def test_a_long_text_keeps_both_its_ends(text, columns, shown):
    assert cut(text, columns) == shown


def test_what_was_not_watched_is_said():
    assert "watched: nothing; not watched: files, processes, network, refused calls" in text_of(good(effects=Effects()))


# --- progress ---

class Terminal(io.StringIO):
    def isatty(self):
        return True


EVENTS = (
    Event(kind="step", text="test: pytest"), Event(kind="test", text="test_a", status="passed"),
    Event(kind="test", text="test_\x1b[2Jb", status="failed"), Event(kind="note", text="a word"),
    Event(kind="test", text="test_c", status="error"), Event(kind="step", text="lint: ruff"))


def told(file, events=EVENTS, **options):
    with Progress(mask=str, file=file, **options) as progress:
        for event in events:
            progress(event)
    return file.getvalue()


def test_without_a_terminal_steps_and_bad_tests_are_plain_lines():
    assert told(io.StringIO()) == "test: pytest\n  failed  test_\\x1b[2Jb\na word\n  error  test_c\nlint: ruff\n"


def test_where_a_machine_reads_nothing_is_told():
    assert told(io.StringIO(), quiet=True) == ""


def test_a_terminal_has_one_line_that_is_written_anew():
    clock = iter(range(100)).__next__

    shown = told(Terminal(), clock=lambda: float(clock())).split("\r\x1b[K")

    assert "\n" not in "".join(shown)
    assert shown == ["", "test: pytest", "test: pytest  1 done, 0 failed", "test: pytest  2 done, 1 failed",
                     "test: pytest  2 done, 1 failed", "test: pytest  3 done, 2 failed", "lint: ruff", ""]


def test_a_flood_of_tests_does_not_flood_the_terminal():
    events = [Event(kind="test", text=str(number), status="passed") for number in range(10_000)]

    shown = told(Terminal(), events, clock=lambda: 1.0).split("\r\x1b[K")

    assert len(shown) == 3


def test_secrets_are_masked_while_the_trial_runs_too(capsys):
    with progress_of({"test": {"TOKEN": "s3cret-value"}}, quiet=False) as progress:
        progress(Event(kind="test", text="test[s3cret-value]", status="failed"))

    assert capsys.readouterr().err == "  failed  test[********]\n"


def test_the_samples_are_as_hostile_as_they_say():
    assert {"\x1b", "\x00", "\u202e", "\ud800"} <= set(EVIL)
