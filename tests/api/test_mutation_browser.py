"""The page of a mutation run in a real browser: people see and filter, nothing in it is obeyed, nobody is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mutation_samples import SOURCES, empty, evil, mixed, sound, unproven
from windtunnel.api.exports import mutation_html as page_module
from windtunnel.api.exports.mutation_elements import mutation_elements
from windtunnel.api.exports.mutation_html import embedded, mutation_html
from windtunnel.core.mutation import Fate, Judged, Mutant, MutationResult, State

VIEWER = Path(__file__).parents[2] / ".tools/mutation-test-elements.js"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

pytestmark = pytest.mark.xdist_group("chromium")


class Seen:
    """A page that was opened, with all that it did on the way."""

    def __init__(self, browser, path, *, mark="", **options):
        self.page = browser.new_page(**{"viewport": WIDE, **options})
        self.page.set_default_timeout(120_000)
        self.said, self.asked, self.own = [], [], path.as_uri()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(self.own + mark)

    def others(self):
        return [url for url in self.asked if url.partition("#")[0] != self.own]

    def quiet(self):
        return (self.said, self.others()) == ([], [])

    def marks(self):
        """Sign by line, of the lines that have one."""
        return dict(self.page.eval_on_selector_all(".line.has", "all => all.map(one => [Number(one.dataset.line), one.firstChild.textContent])"))

    def files(self):
        return self.page.eval_on_selector_all("#files li:not([hidden]) .path", "all => all.map(one => one.textContent)")

    def cards(self):
        return self.page.eval_on_selector_all(".panel h3", "all => all.map(one => one.textContent)")

    def colour(self, selector, of="backgroundColor"):
        return self.page.eval_on_selector(selector, "(one, of) => getComputedStyle(one)[of]", of)

    def width(self):
        return self.page.evaluate("document.documentElement.scrollWidth")


@pytest.fixture
def opened(browser, tmp_path):
    """Writes a page, opens it, and closes it."""
    made = []

    def opening(result, sources=SOURCES, **options):
        path = tmp_path / "report.html"
        path.write_text(mutation_html(result, sources))
        made.append(Seen(browser, path, **options))
        return made[-1]

    yield opening
    for one in made:
        one.page.close()


def test_the_file_with_most_survivors_is_open_with_a_sign_by_each_line(opened):
    seen = opened(mixed())

    assert (seen.page.text_content("#source h2"), seen.marks(), seen.quiet()) == (
        "shop/prices.py", {4: "=", 5: "✓", 6: "✗✓", 7: "◷", 8: "?", 12: "✗", 16: "○", 18: "!"}, True)


def test_lines_of_different_fates_have_different_colours(opened):
    seen = opened(mixed())

    colours = [seen.colour(f'[data-line="{line}"]') for line in (5, 6, 16, 7, 8)]
    assert colours == ["rgb(227, 244, 233)", "rgb(253, 232, 230)", "rgb(253, 242, 216)", "rgb(238, 233, 251)", "rgb(233, 237, 241)"]


def test_a_click_on_a_line_shows_its_mutants_with_diff_operator_fate_and_tests(opened):
    seen = opened(mixed())

    seen.page.click('[data-line="6"] code')

    assert seen.cards() == ["✗ survivedsummed > 100 becomes summed >= 100", "✓ killedsummed > 100 becomes summed <= 100"]
    first, second = (seen.page.locator(".panel .mutant").nth(number).inner_text() for number in (0, 1))
    wanted = ["-     if summed > 100:", "+     if summed >= 100:", "comparison", "tests ran it, and none noticed", "tests/test_prices.py::test_free"]
    assert [words for words in wanted if words not in first] == []
    assert [words for words in ("a test noticed it", "Noticed by", "tests/test_prices.py::test_total") if words not in second] == []
    assert (seen.page.get_attribute('[data-line="6"] .mark', "aria-expanded"), seen.quiet()) == ("true", True)


def test_a_second_click_closes_it(opened):
    seen = opened(mixed())

    seen.page.click('[data-line="12"] .mark')
    seen.page.click('[data-line="12"] .mark')

    assert (seen.cards(), seen.page.get_attribute('[data-line="12"] .mark', "aria-expanded")) == ([], "false")


def test_a_filter_by_fate_leaves_those_alone(opened):
    seen = opened(mixed())

    seen.page.click(".chip.untested")
    seen.page.click(".chip.timeout")

    assert (seen.marks(), seen.files(), seen.page.text_content("#told")) == ({7: "◷", 16: "○"}, ["shop/prices.py"], "2 mutants in 1 file shown")


def test_a_filter_taken_back_shows_all_again(opened):
    seen = opened(mixed())

    seen.page.click(".chip.untested")
    seen.page.click(".chip.untested")

    assert (len(seen.marks()), seen.page.text_content("#told")) == (8, "10 mutants in 2 files shown")


def test_a_filter_opens_a_file_that_has_what_is_wanted(opened):
    seen = opened(mixed())

    seen.page.fill("#wanted", "NAMES")

    assert (seen.files(), seen.page.text_content("#source h2"), seen.marks()) == (["shop/names.py"], "shop/names.py", {2: "✓"})


def test_a_click_in_the_list_opens_the_file(opened):
    seen = opened(mixed())

    seen.page.click("text=shop/names.py")

    assert (seen.page.text_content("#source h2"), seen.page.get_attribute('[data-file="0"]', "aria-current")) == ("shop/names.py", "true")


def test_the_keyboard_alone_goes_from_mutant_to_mutant_and_over_files(opened):
    seen = opened(mixed())

    lines = []
    for key in ("j", "j", "k", "k"):
        seen.page.keyboard.press(key)
        lines.append((seen.page.text_content("#source h2"), seen.page.get_attribute("*:focus", "aria-label"), len(seen.cards())))

    assert lines == [("shop/prices.py", "line 4: 1 same", 1), ("shop/prices.py", "line 5: 1 killed", 1),
                     ("shop/prices.py", "line 4: 1 same", 1), ("shop/names.py", "line 2: 1 killed", 1)]


def test_a_sign_is_a_button_that_the_keyboard_presses(opened):
    seen = opened(mixed())

    seen.page.focus('[data-line="12"] .mark')
    seen.page.keyboard.press("Enter")
    shown = seen.cards()
    seen.page.keyboard.press("Escape")

    assert (shown, seen.cards()) == (["✗ survivedtotal >= 50 becomes total > 50"], [])


def test_an_address_with_the_id_of_a_mutant_opens_it(opened):
    seen = opened(mixed(), mark=f"#{10:016x}")

    assert (seen.page.text_content("#source h2"), seen.cards()) == ("shop/names.py", ["✓ killed'!' becomes ''"])


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_desk_and_a_phone_by_day_and_by_night(opened, viewport, scheme):
    seen = opened(mixed(), viewport=viewport, color_scheme=scheme)
    seen.page.click('[data-line="6"] .mark')

    paper = {"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 28)"}[scheme]
    assert (seen.width(), seen.colour("body")) == (viewport["width"], paper)


def test_on_paper_it_is_black_on_white_and_lists_what_tests_did_not_notice(opened):
    seen = opened(mixed(), color_scheme="dark")
    seen.page.emulate_media(media="print")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")

    listed = seen.page.eval_on_selector_all("#paper h3 .tag", "all => all.map(one => one.textContent)")
    assert (seen.colour("body"), seen.colour("body", "color"), listed, seen.page.is_visible("#source")) == (
        "rgb(255, 255, 255)", "rgb(0, 0, 0)", ["✗ survived", "✗ survived", "○ untested"], False)


def test_a_browser_prints_it(opened):
    seen = opened(mixed())

    assert seen.page.pdf()[:5] == b"%PDF-"


def greens(seen):
    """Elements in the colours of what was noticed."""
    return seen.page.evaluate("""() => [...document.querySelectorAll("main *")].filter(one => {
        const style = getComputedStyle(one), green = ["rgb(23, 107, 58)", "rgb(227, 244, 233)"];
        return green.includes(style.backgroundColor) || green.includes(style.color) || (one.tagName === "rect" && green.includes(style.fill));
    }).length""")


@pytest.mark.parametrize("result", [unproven(), empty()], ids=["unproven", "empty"])
def test_what_was_not_judged_is_green_nowhere(opened, result):
    seen = opened(result)

    assert (greens(seen), "Nothing was judged" in seen.page.inner_text(".banner"), seen.quiet()) == (0, True, True)


def test_what_was_noticed_is_green(opened):
    assert greens(opened(sound())) > 0


def test_mutants_of_a_file_that_was_not_given_are_still_there(opened):
    seen = opened(mixed(), {})

    seen.page.click('[data-line="12"] .mark')

    assert (seen.cards(), seen.page.inner_text(".panel .diff").split("\n"), seen.quiet()) == (
        ["✗ survivedtotal >= 50 becomes total > 50"], ["- total >= 50", "+ total > 50"], True)


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["desk", "phone"])
def test_hostile_words_are_shown_and_not_obeyed(opened, viewport):
    seen = opened(*evil(), viewport=viewport)
    seen.page.click('[data-line="1"] .mark')
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")

    shown = seen.page.inner_text("#source")
    assert (seen.page.title(), seen.quiet(), seen.width(), seen.page.locator("img").count()) == ("Mutation report", True, viewport["width"], 0)
    assert shown.count("</script><img src=x onerror=") >= 8


def unescaped(monkeypatch):
    """Data goes into the page as it is."""
    monkeypatch.setattr(page_module, "embedded", lambda data: json.dumps(data, ensure_ascii=False).replace('\\"', '"').encode("utf-8", "replace").decode())


def test_unescaped_the_same_words_would_be_stopped_by_the_rules_of_the_page(opened, monkeypatch):
    unescaped(monkeypatch)

    seen = opened(*evil())

    assert (seen.page.title(), any("Content Security Policy" in line for line in seen.said)) == ("Mutation report", True)


def test_unescaped_and_without_rules_the_same_words_take_over(opened, monkeypatch):
    unescaped(monkeypatch)
    monkeypatch.setattr(page_module, "rules", lambda: "")

    assert opened(*evil()).page.title() == "owned"


def large():
    """5,000 mutants in 20,000 lines of one file."""
    line = b"    value = compute(value, offset) + other  # a line\n"
    at = line.index(b"+")
    found = [Judged(fate=list(Fate)[number % 5], reached=3, tests=(f"tests/test_a.py::test_{number % 900}",), mutant=Mutant(
        id=f"{number:016x}", path="a.py", operator="arithmetic", line=4 * number + 1, column=at, end_line=4 * number + 1, end_column=at + 1,
        original="+", replacement="-", start=4 * number * len(line) + at, end=4 * number * len(line) + at + 1, function="f", scope="function",
        description="+ becomes -")) for number in range(5000)]
    return MutationResult(state=State.JUDGED, judged=tuple(found)), {"a.py": line * 20_000}


@pytest.mark.slow
def test_a_large_report_is_there_and_filtered(opened):
    seen = opened(*large())
    lines = seen.page.locator(".line").count()
    seen.page.click(".chip.survived")

    assert (lines, len(seen.marks()), seen.page.text_content("#told"), seen.quiet()) == (20_000, 1000, "1000 mutants in 1 file shown", True)


def test_a_line_of_very_many_mutants_shows_some_and_counts_the_rest(opened):
    one = sound().judged[0]
    seen = opened(replace(sound(), judged=tuple(replace(one, mutant=replace(one.mutant, id=f"{number:016x}")) for number in range(130))))

    seen.page.click('[data-line="12"] .mark')

    assert (len(seen.cards()), seen.page.inner_text(".panel > p")) == (100, "… 30 more in this line")


# --- the viewer of Stryker ---

@pytest.fixture
def viewed(browser, tmp_path):
    """Our JSON in the real viewer."""
    if not VIEWER.is_file():
        pytest.skip("the viewer mutation-testing-elements is not here (sh tools/system-packages fetches it)")
    made = []

    def viewing(result, sources=SOURCES, mark=""):
        data = embedded(json.loads(mutation_elements(result, sources)))
        path = tmp_path / "viewer.html"
        path.write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><mutation-test-report-app></mutation-test-report-app><script>{VIEWER.read_text()}</script>'
            f'<script type="application/json" id="data">{data}</script><script>document.querySelector("mutation-test-report-app").report = '
            'JSON.parse(document.getElementById("data").textContent)</script>')
        made.append(Seen(browser, path, mark=mark))
        made[-1].page.wait_for_selector("mte-metrics-table")
        return made[-1]

    yield viewing
    for one in made:
        one.page.close()


def rows(seen):
    """The numbers of each file as the viewer counts them."""
    found = seen.page.locator("mte-metrics-table tbody tr").all_inner_texts()
    return [text.split() for text in found]


def test_the_viewer_of_stryker_counts_what_we_count(viewed):
    seen = viewed(mixed())

    # Killed, survived, timeout, no coverage, ignored, runtime errors, compile errors, detected, undetected, total; the viewer scores timeouts.
    assert ([row[-10:] for row in rows(seen)], seen.quiet()) == (
        [["3", "2", "1", "1", "1", "1", "0", "4", "3", "10"], ["1", "0", "0", "0", "0", "0", "0", "1", "0", "1"],
         ["2", "2", "1", "1", "1", "1", "0", "3", "3", "9"]], True)


def test_the_viewer_of_stryker_finds_the_mutated_code_at_its_place(viewed):
    seen = viewed(mixed(), mark="#mutant/prices.py")
    seen.page.wait_for_selector("mte-file .mutant.Survived")

    assert "summed > 100" in seen.page.locator("mte-file .mutant.Survived").first.inner_text()


def test_the_viewer_of_stryker_gives_no_score_to_a_run_that_proves_nothing(viewed):
    assert [row[-12:-10] for row in rows(viewed(unproven()))] == [["N/A", "N/A"], ["N/A", "N/A"]]


def test_the_viewer_of_stryker_shows_hostile_words_as_words(viewed):
    seen = viewed(*evil())

    # It reads a path up to its last slash as folders.
    assert (seen.quiet(), "owned" in seen.page.title(), [row[0][:7] for row in rows(seen)]) == (True, False, ["All", "script>"])
