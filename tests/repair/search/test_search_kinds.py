"""Each sort of edit does what its example says, within its bound."""

from __future__ import annotations

import ast
from itertools import islice

import pytest

from windtunnel.core.repair import Scene
from windtunnel.repair.search import KINDS, search
from windtunnel.repair.search.places import sites


def shown(text: str, **more) -> Scene:
    return Scene(paths=("code.py",), read={"code.py": text}.get, **more)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_sort_of_edit_makes_its_example(kind):
    made = [site.module.text.spliced(edit.splices) for site in sites(shown(kind.before)) for edit in kind.edits(site) if edit.splices]

    assert kind.after in made


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_edit_is_likelier_than_its_sort_allows(kind):
    examples = [kind.before, KINDS[1].before, KINDS[-4].before]
    above = [(edit.prior, edit.explained()) for text in examples for site in sites(shown(text)) for edit in kind.edits(site)
             if edit.prior > kind.bound]

    assert above == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_is_among_what_the_search_proposes(kind):
    assert any(one.edits[0].text == kind.after for one in search(shown(kind.before)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_whatever_is_proposed_parses_and_comes_once(kind):
    found = [one.edits[0].text for one in islice(search(shown(kind.before)), 300)]

    assert [text for text in found if ast.parse(text) is None] == []
    assert len(found) == len(set(found))


def test_names_of_sorts_are_whole_words_and_unique():
    names = [kind.name for kind in KINDS]

    assert len(names) == len(set(names))
    assert [name for name in names if not name.replace("-", "").isalpha()] == []
