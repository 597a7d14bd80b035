"""The page of a report in a real browser: people see it, nothing in it is obeyed, nobody is asked for anything."""

from __future__ import annotations

import pytest
from audit_trails import HOSTILE, hostile_acts, trail_in, worked

from windtunnel.engine.report import page as audit_report_page
from windtunnel.engine.report import parts as audit_report_parts
from windtunnel.engine.report.pack import make_pack
from windtunnel.engine.report.page import page
from windtunnel.engine.report.summary import Wanted

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

pytestmark = pytest.mark.xdist_group("chromium")


class Seen:
    """A page that was opened, with all that it did on the way."""

    def __init__(self, browser, path, **options):
        self.page = browser.new_page(**options)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri(), timeout=120_000)
        self.own = path.as_uri()

    @property
    def asked_of_others(self):
        return [url for url in self.asked if url != self.own]

    def width(self):
        return self.page.evaluate("document.documentElement.scrollWidth")

    def background(self):
        return self.page.evaluate("getComputedStyle(document.body).backgroundColor")

    def words(self):
        return self.page.inner_text("body")


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    trail = worked(folder / "state")
    make_pack(trail, Wanted(until="9999"), folder / "pack", actor="ann")
    trail.log.close()
    return folder / "pack" / "index.html"


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    trail = trail_in(folder / "state")
    trail.log.append_all(hostile_acts())
    made = make_pack(trail, Wanted(until="9999", actor=HOSTILE), folder / "pack", actor=HOSTILE)
    trail.log.close()
    return made.report


@pytest.fixture
def opened(browser):
    """Opens pages, and closes them."""
    made = []

    def opening(path, **options):
        made.append(Seen(browser, path, **options))
        return made[-1]

    yield opening
    for one in made:
        one.page.close()


def test_people_see_what_was_done(opened, work):
    seen = opened(work, viewport=WIDE)

    shown = seen.words()
    wanted = ["The log was whole when this was made", "Changes applied", "bob", "refused by policy: no shells here (no-shell)",
              "a person looks at every change", "allow-list x 4", "a token was printed", "What this cannot show"]
    assert [words for words in wanted if words not in shown] == []


def test_the_page_is_quiet_and_asks_nobody(opened, work):
    seen = opened(work, viewport=WIDE)

    assert (seen.said, seen.asked_of_others) == ([], [])


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_desk_and_a_phone_by_day_and_by_night(opened, work, viewport, scheme):
    seen = opened(work, viewport=viewport, color_scheme=scheme)

    paper = {"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 28)"}[scheme]
    assert (seen.width(), seen.background()) == (viewport["width"], paper)


def test_on_paper_it_is_black_on_white(opened, work):
    seen = opened(work, viewport=WIDE, color_scheme="dark")
    seen.page.emulate_media(media="print")

    colours = seen.page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]


def test_a_hostile_field_is_shown_and_not_obeyed(opened, hostile_report, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(hostile_report))

    seen = opened(path, viewport=NARROW)

    assert (seen.page.title(), seen.said, seen.asked_of_others, seen.width()) == ("Audit report", [], [], NARROW["width"])
    assert "<script>document.title='owned'</script>" in seen.words()


def unescaped(monkeypatch):
    """Fields go into the page as they are."""
    def raw(value):
        return str(value).encode("utf-8", "replace").decode().replace('"', "&quot;")

    monkeypatch.setattr(audit_report_parts, "attribute", raw)
    monkeypatch.setattr(audit_report_parts, "text", lambda value: audit_report_parts.Markup(str(value).encode("utf-8", "replace").decode()))


def test_unescaped_the_same_field_would_be_stopped_by_the_rules_of_the_page(opened, hostile_report, tmp_path, monkeypatch):
    unescaped(monkeypatch)
    path = tmp_path / "page.html"
    path.write_text(page(hostile_report))

    seen = opened(path, viewport=WIDE)

    assert (seen.page.title(), any("Content Security Policy" in line for line in seen.said)) == ("Audit report", True)


def test_unescaped_and_without_rules_the_same_field_takes_over(opened, hostile_report, tmp_path, monkeypatch):
    unescaped(monkeypatch)
    monkeypatch.setattr(audit_report_page, "_RULES", "")
    path = tmp_path / "page.html"
    path.write_text(page(hostile_report))

    seen = opened(path, viewport=WIDE)

    assert seen.page.title() == "owned"
