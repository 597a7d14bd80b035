"""The report of a simulation as HTML: whole, escaped, the same each time."""

import re
from html.parser import HTMLParser

import pytest
from samples import BROKEN, OK, hostile_report, report

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.seen import HeatMap, Plot, SectionRow
from windtunnel.engine.report_simulation.page import page, write_page

VOID = {"meta", "br", "img", "link", "input"}
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "b", "code", "bdi", "span", "div", "ul",
    "li", "nav", "a", "section", "table", "thead", "tbody", "tr", "th", "td", "i", "svg", "line", "text", "polygon",
    "polyline", "circle", "rect", "details", "summary"}


class Reader(HTMLParser):
    """Each element must be ended in its turn, and none may be of a kind that the report does not use."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes, self.words = [], set(), set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def test_all_that_it_was_given_stands_in_it():
    text = Reader(page(report())).text

    wanted = ["shop", "r1", "seed 7", "2026-01-02 03:04:05", "1 of 2 sections break under some condition", "slow network",
              "net.fetch", "12.3 ms", "FAILURE_MODES:disk_full", "needs an argument of an unknown type", "roi (points)",
              "NETWORK_LATENCY_MS", "200", "199.6", "no cgroups here", "about", "2 sections were skipped",
              "ok (3)", "not run (1)"]
    assert [words for words in wanted if words not in text] == []


@pytest.mark.parametrize("given", [report(), hostile_report()], ids=["plain", "hostile"])
def test_it_is_whole_and_made_of_known_elements(given):
    found = Reader(page(given))

    assert (found.open, found.seen - ELEMENTS, [name for name in found.attributes if name.startswith("on")]) == ([], set(), [])


def test_hostile_names_are_shown_as_letters():
    text = page(hostile_report())

    assert (text.count("<script"), text.count("<img"), "\x1b" in text, "\u202e" in text) == (0, 0, False, False)
    assert "<script>document.title='owned'</script>" in Reader(text).text
    assert text.encode()


def test_it_asks_nobody_for_anything():
    text = page(report())

    assert re.findall(r"https?://|url\(|src=|@import", text) == []
    assert "default-src &#x27;none&#x27;; style-src &#x27;sha256-" in text
    assert "style=" not in text


def test_the_same_report_gives_the_same_page():
    assert page(report()) == page(report())


def polylines(text, of):
    return re.findall(rf'<polyline class="{of}" points="([^"]*)"', text)


def test_a_line_has_a_gap_where_nothing_was_measured():
    text = page(report(plots=(Plot(name="m", actual=(1.0, 2.0, None, 1.0, 2.0)),)))

    assert polylines(text, "actual") == ["64.0,168.5 205.0,17.5", "487.0,168.5 628.0,17.5"]


def test_a_forecast_has_its_band():
    text = page(report())

    assert (len(polylines(text, "predicted")), len(re.findall(r'<polygon class="band" points="((?:[0-9.]+,[0-9.]+ ?){8})"', text))) == (1, 1)


@pytest.mark.parametrize("actual", [(), (None,), (0.0,), (1.0, 1.0), (1.7e308, -1.7e308), (5e-324, 0.0), (-3.0, None, 1e-300)])
def test_no_series_draws_outside_of_its_picture(actual):
    text = page(report(plots=(Plot(name="m", actual=actual, predicted=actual, low=actual, high=actual),)))

    spots = [tuple(map(float, spot)) for line in re.findall(r'points="([^"]*)"', text)
             for spot in (one.split(",") for one in line.split())]
    spots += [tuple(map(float, spot)) for spot in re.findall(r'cx="([^"]*)" cy="([^"]*)"', text)]
    assert [spot for spot in spots if not (0 <= spot[0] <= 640 and 0 <= spot[1] <= 200)] == []


def test_a_long_run_stays_a_small_file():
    values = tuple(float(number % 97) for number in range(200_000))
    sections = tuple(SectionRow(name=f"f{number}", file="f.py") for number in range(5000))
    heat = HeatMap(rows=("f",) * 5000, columns=("s",) * 200, cells=((OK,) * 199 + (BROKEN,),) * 5000)

    text = page(report(plots=(Plot(name="m", actual=values, predicted=values, low=values, high=values),),
                       sections=sections, heat=heat))

    assert len(text) < 12_000_000
    assert "and 4500 more sections and 100 more scenarios" in text
    assert "and 4000 more sections" in text


def test_a_simulation_of_nothing_has_a_page_too():
    empty = report(heat=HeatMap(rows=(), columns=(), cells=()), sections=(), plots=(), conditions={}, notes=())

    assert "Nothing was run." in Reader(page(empty)).text


def test_a_file_that_cannot_be_written_is_our_failure(tmp_path):
    with pytest.raises(SandboxFailure, match="the report cannot be written: No such file or directory"):
        write_page(report(), tmp_path / "nowhere" / "report.html")


def test_a_hostile_report_can_be_written(tmp_path):
    write_page(hostile_report(), tmp_path / "report.html")

    assert (tmp_path / "report.html").read_text() == page(hostile_report())
