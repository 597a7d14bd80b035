"""The report of a simulation in a real browser: people see it, nothing in it is obeyed, nobody is asked for anything."""

import pytest
from samples import hostile_report, report

from windtunnel.engine.report_simulation.page import write_page

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
        self.asked.remove(path.as_uri())

    def width(self):
        return self.page.evaluate("document.documentElement.scrollWidth")


@pytest.fixture
def opened(browser, tmp_path):
    """Writes a report and opens it."""
    made = []

    def opening(given, **options):
        write_page(given, tmp_path / "report.html")
        made.append(Seen(browser, tmp_path / "report.html", **options))
        return made[-1]

    yield opening
    for one in made:
        one.page.close()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_desk_and_a_phone_and_asks_nobody(opened, viewport, scheme):
    seen = opened(report(), viewport=viewport, color_scheme=scheme)

    assert (seen.width(), seen.said, seen.asked) == (viewport["width"], [], [])


def test_people_see_the_map_and_the_plots(opened):
    seen = opened(report(), viewport=WIDE)

    colours = seen.page.evaluate("""['ok', 'slow', 'broken'].map(
        name => getComputedStyle(document.querySelector(`td.${name}`)).backgroundColor)""")
    sizes = seen.page.evaluate("""Array.from(document.querySelectorAll('svg.plot'), one => {
        const box = one.getBoundingClientRect(); return box.width > 300 && box.height > 80; })""")
    texts = seen.page.evaluate("Array.from(document.querySelectorAll('svg.plot text'), one => one.getBoundingClientRect().width > 0)")
    assert (len(set(colours)), sizes, set(texts)) == (3, [True, True], {True})


def test_a_hostile_name_is_shown_and_not_obeyed(opened):
    seen = opened(hostile_report(), viewport=NARROW)

    assert (seen.page.title(), seen.said, seen.asked, seen.width()) == ("Simulation report", [], [], NARROW["width"])
    assert "<script>document.title='owned'</script>" in seen.page.inner_text("body")
