import ast

import pytest

from windtunnel.speedups.propose import edited, propose
from windtunnel.speedups.rules import RULES
from windtunnel.speedups.source import parse

EXAMPLES = [(rule, example) for rule in RULES for example in rule.examples]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=[f"{rule.name}-{at}" for at, (rule, _) in enumerate(EXAMPLES)])
def test_a_rule_does_to_its_examples_what_they_say(rule, example):
    source = parse(example.before)

    found = [edited(source, edit) for edit in rule.find(source)]

    assert found == ([] if example.after is None else [example.after])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_has_an_example_that_must_be_left_alone(rule):
    assert [example.after for example in rule.examples].count(None) >= 1
    assert any(example.after for example in rule.examples)


def test_what_does_not_parse_gets_no_proposals():
    assert list(propose("a.py", "def f(:\n")) == []
    assert list(propose("a.py", "x = 1\0")) == []
    assert list(propose("a.py", "(" * 5000)) == []


def test_a_proposal_says_which_function_it_changes():
    text = "class A:\n    def f(self, a, b):\n        return [x for x in a if x in b]\n"

    found = [(one.rule, one.function, one.first_line, one.last_line) for one in propose("a.py", text)]

    assert found == [("membership", "A.f", 2, 3)]


def test_an_import_goes_below_the_docstring_and_the_future():
    text = '"""Words."""\nfrom __future__ import annotations\n\n\ndef f(x, k):\n    return sorted(x)[:k]\n'

    found = next(propose("a.py", text)).text

    assert found.startswith('"""Words."""\nfrom __future__ import annotations\nimport heapq\n')
    assert ast.parse(found)


def test_letters_of_any_alphabet_do_not_shift_an_edit():
    text = "def f(a, b):\n    return ['é' + x for x in a if x in b]\n"

    found = [one.text for one in propose("a.py", text)]

    assert found == ["def f(a, b):\n    b_set = set(b)\n    return ['é' + x for x in a if x in b_set]\n"]
