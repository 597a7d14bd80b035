"""The page of a mutation run as it is written, before any browser reads it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from mutation_samples import HOSTILE, PRICES, SOURCES, empty, evil, judged, mixed, sound, unproven
from windtunnel.api.exports.mutation_html import embedded, mutation_html, rules
from windtunnel.core.mutation import Fate, MutationResult, State


class Read(HTMLParser):
    """What a reader of HTML finds: elements, and what is in scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.scripts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script" and data.strip():
            self.scripts.append(data)


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text).group(1))


@pytest.mark.parametrize(("result", "sources"), [(mixed(), SOURCES), evil(), (empty(), {})], ids=["mixed", "evil", "empty"])
def test_the_page_has_two_scripts_and_no_element_or_attribute_that_could_ask_or_act(result, sources):
    read = Read(mutation_html(result, sources))

    names = {name for name, _ in read.attributes}
    assert (read.tags.count("script"), set(read.tags) & {"img", "iframe", "link", "object", "form", "base"}) == (2, set())
    assert [name for name in names if name.startswith("on") or name in {"src", "href", "style", "action"}] == []


def test_the_rules_allow_our_style_and_our_script_by_hash_and_nothing_else():
    assert re.fullmatch(r"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'", rules())


def test_data_cannot_end_the_element_that_holds_it():
    text = embedded({"name": HOSTILE, "half": "\udc80"})

    assert (re.findall("[<>&\u2028]|[^\x20-\x7e]", text), json.loads(text)) == ([], {"name": HOSTILE, "half": "\udc80"})


def test_marks_that_turn_a_text_around_are_shown_by_their_number():
    result, sources = evil()

    text = mutation_html(result, sources)

    assert (r"\u202e" in data_of(text)["files"][0]["lines"][0], "\u202e" in text) == (True, False)


def test_a_line_that_nobody_can_read_is_cut():
    result, sources = evil()

    assert [len(line) for line in data_of(mutation_html(result, sources))["files"][0]["lines"]][1] == 2000


def test_names_of_tests_are_written_once():
    tests = tuple(f"tests/test_a.py::test_{number}" for number in range(60))
    result = MutationResult(state=State.JUDGED, judged=tuple(
        judged(Fate.SURVIVED, PRICES, "total >= 50", "total > 50", path="shop/prices.py", number=number, tests=tests) for number in range(20)))

    told = data_of(mutation_html(result, SOURCES))

    assert (told["names"].count(tests[0]), len(told["files"][0]["mutants"][0]["tests"]), told["files"][0]["mutants"][0]["more"]) == (1, 50, 10)


def test_without_a_script_the_verdict_the_figures_and_the_files_are_there():
    text = mutation_html(mixed(), SOURCES)

    wanted = ["Tests would not have noticed 3 mutants", "50.0 %", "12 tests used", "4 fates found in memory were found again", "1 differed",
              "between 25.0 % and 75.0 %", "test set aside: fail without any mutant", "tests/test_net.py::test_sometimes", "asserts nothing",
              "shop/names.py", "2 survived, 1 untested, 1 timeout"]
    assert [words for words in wanted if words not in text] == []


@pytest.mark.parametrize(("result", "of"), [(sound(), "banner good"), (mixed(), "banner warn"), (unproven(), "banner bad"), (empty(), "banner bad")],
                         ids=["sound", "mixed", "unproven", "empty"])
def test_only_a_run_in_which_all_was_noticed_has_the_banner_of_a_good_one(result, of):
    found = [value for name, value in Read(mutation_html(result, SOURCES)).attributes if name == "class" and value.startswith("banner")]

    assert found == [of]
