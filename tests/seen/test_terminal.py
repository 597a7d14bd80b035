"""Heat maps, sparklines and progress as a terminal shows them."""

import io
import os

import pytest
from samples import BROKEN, HEAT, HOSTILE, NOT_RUN, OK, SLOW

from windtunnel.cli.heat import breadth, fit, heat_lines
from windtunnel.cli.run_progress import RunProgress
from windtunnel.cli.sparkline import series_line, sparkline
from windtunnel.core.errors import UsageError
from windtunnel.core.seen import HeatMap, Plot


def test_a_heat_map_says_the_same_without_colour():
    assert list(heat_lines(HEAT, width=80)) == [
        "          1 2 3",
        "calc.add  · ·  ",
        "net.fetch ▒ █ ·",
        "",
        " 1  slow network",
        " 2  disk full",
        " 3  few descriptors",
        "· ok (3)  ▒ slow (1)  █ broken (1)  blank not run (1)"]


def test_shares_are_shown_in_five_steps():
    heat = HeatMap(rows=("f",), columns=tuple("abcdef"), cells=((0.0, 0.2, 0.5, 0.79, 0.8, 1.0),))

    lines = list(heat_lines(heat, width=80))

    assert (lines[1], lines[-1]) == ("f" + " " * 7 + " · ░ ▒ ▓ █ █", "· 0 to 0.2  ░ 0.2 to 0.4  ▒ 0.4 to 0.6  ▓ 0.6 to 0.8  █ 0.8 to 1")


@pytest.mark.parametrize("width", [1, 20, 33, 80, 200])
@pytest.mark.parametrize("columns", [0, 3, 300])
def test_no_line_is_wider_than_the_terminal(width, columns):
    names = (HOSTILE, "界" * 100, "n" * 500)
    heat = HeatMap(rows=names, columns=names[:1] * columns, cells=((BROKEN,) * columns,) * 3)

    widest = max(breadth(line) for line in heat_lines(heat, width=width))

    assert widest <= max(width, 20)


def test_what_does_not_fit_is_counted():
    heat = HeatMap(rows=tuple(map(str, range(50))), columns=tuple(map(str, range(90))), cells=((OK,) * 90,) * 50)

    lines = list(heat_lines(heat, width=40))

    assert [line for line in lines if line.startswith("and ")] == ["and 10 more rows", "and 74 more columns"]


def test_a_hostile_name_cannot_write_to_the_terminal():
    heat = HeatMap(rows=(HOSTILE,), columns=(HOSTILE,), cells=((SLOW,),))

    text = "".join(heat_lines(heat, width=300))

    assert [char for char in text if not char.isprintable()] == []


class Terminal(io.StringIO):
    """A stream that a person reads."""

    def isatty(self):
        return True


def test_a_person_sees_it_in_colour(monkeypatch):
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert list(heat_lines(HEAT, width=80))[2] == (
        "net.fetch \x1b[33m▒\x1b[0m \x1b[31m█\x1b[0m \x1b[32m·\x1b[0m")


@pytest.mark.parametrize("cells", [((OK,),), ((OK, OK), (OK,)), ((OK, 1.5), (OK, OK)), ((OK, True), (OK, OK)),
                                   ((OK, float("nan")), (OK, OK)), ((OK, "ok"), (OK, OK))])
def test_what_is_not_a_map_is_refused(cells):
    with pytest.raises(UsageError, match="cells: "):
        HeatMap(rows=("a", "b"), columns=("x", "y"), cells=cells)


def test_states_are_counted():
    assert HEAT.counts == {OK: 3, SLOW: 1, BROKEN: 1, NOT_RUN: 1}


@pytest.mark.parametrize(("text", "width", "wanted"), [
    ("abc", 5, "abc  "), ("abcdef", 5, "abcd…"), ("界界界", 5, "界界…"), ("界界界", 4, "界… "), ("e\u0301a", 2, "e\u0301a")])
def test_texts_are_cut_by_the_columns_that_they_take(text, width, wanted):
    assert fit(text, width) == wanted


@pytest.mark.parametrize(("values", "wanted"), [
    ((), ""), ((1, 2, 3, 4, 5), "▁▂▃▅▇"), ((5, 5), "▃▃"), ((0, None, 1), "▁ ▇"), ((None, float("nan")), "  "),
    ((-1.7e308, 0, 1.7e308), "▁▃▇"), ((0, float("inf"), 1), "▁ ▇")])
def test_a_sparkline_goes_from_the_least_to_the_most(values, wanted):
    assert sparkline(values) == wanted


def test_a_long_series_is_drawn_by_means():
    assert sparkline([0] * 50 + [1] * 50 + [None] * 50 + [2] * 50, width=4) == "▁▃ ▇"


def test_a_series_says_where_it_stands_and_where_it_goes():
    plot = Plot(name="security_score", actual=(0.5, 0.7, 0.82), predicted=(None, None, 0.8, 0.84),
                low=(None, None, 0.7, 0.8), high=(None, None, 0.9, 0.88), unit="%")

    assert series_line(plot) == "security_score            ▁▅▇ 0.82 %, next 0.84 (0.8 to 0.88)"


def test_a_series_without_a_forecast_says_none():
    assert series_line(Plot(name=HOSTILE, actual=(1.0, None))).endswith("▃  1")


@pytest.mark.parametrize("wrong", [{"low": (1.0,)}, {"actual": (float("nan"),)}, {"predicted": ("1",)}, {"actual": (True,)}])
def test_a_plot_of_what_is_no_number_is_refused(wrong):
    with pytest.raises(UsageError):
        Plot(**{"name": "m", "actual": (1.0,), **wrong})


class Clock:
    """Goes on by ten seconds each time it is asked."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 10
        return self.now


def test_plain_lines_say_how_far_it_is_and_how_long_the_rest_takes():
    file = io.StringIO()
    with RunProgress(4, file=file, clock=Clock()) as progress:
        for bad in (False, True, False, False):
            progress("f", bad=bad)

    assert file.getvalue().splitlines() == [
        "1 of 4 section runs, 0 broken, about 30 s left", "2 of 4 section runs, 1 broken, about 20 s left",
        "3 of 4 section runs, 1 broken, about 10 s left", "4 of 4 section runs, 1 broken"]


def test_a_run_of_many_parts_is_told_in_few_lines():
    file = io.StringIO()
    with RunProgress(1000, file=file) as progress:
        for _ in range(1000):
            progress()

    assert len(file.getvalue().splitlines()) == 10


def test_a_machine_is_told_nothing():
    file = io.StringIO()
    with RunProgress(1, file=file, quiet=True) as progress:
        progress()

    assert file.getvalue() == ""


def test_a_terminal_has_one_line_that_is_written_anew(monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 24)))
    file = Terminal()
    with RunProgress(2, file=file, clock=Clock()) as progress:
        progress("net.fetch\n\x1b[2J")
        progress("b" * 100, bad=True)

    first, second, last = file.getvalue().split("\r\x1b[K")[1:]
    assert (first, second, last) == (
        "██████████░░░░░░░░░░ 1 of 2 section runs, 0 broken, about …",
        "████████████████████ 2 of 2 section runs, 1 broken  bbbbbb…", "")
