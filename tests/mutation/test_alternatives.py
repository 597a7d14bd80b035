"""Other patches than the one at hand: which functions a change touches, and what is made of them."""

from __future__ import annotations

import ast

import pytest

from windtunnel.mutation.alternatives import alternatives, changed_functions, changed_names
from windtunnel.mutation.alternatives.functions import text
from windtunnel.mutation.alternatives.made import MOST, constants, new_literals

OLD = '''\
RATE = 2


def kept(a):
    """Unchanged."""
    return a


def price(amount, discount):
    """What is to be paid."""
    return amount - discount


class Till:
    @staticmethod
    def total(items: list[int]) -> int:
        return sum(items)

    def rated(self, n):
        return n * RATE
'''
NEW = OLD.replace("    return amount - discount\n", "    if amount < discount:\n        return 0\n    return amount - discount\n")


def parsed(old=OLD, new=NEW):
    return ast.parse(old), ast.parse(new)


def price():
    return changed_functions("shop.py", *parsed())[0]


def test_a_changed_function_is_found_with_its_line_and_both_texts():
    target = price()

    assert (target.path, target.qualified, target.line, target.changed) == ("shop.py", "price", 9, True)
    assert text(target.before) == "def price(amount, discount):\n    return amount - discount"
    assert text(target.after) == (
        "def price(amount, discount):\n    if amount < discount:\n        return 0\n    return amount - discount")


def test_only_words_about_a_function_are_no_change_of_it():
    assert changed_functions("shop.py", *parsed(new=OLD.replace("Unchanged.", "Other words.").replace(": list[int]", ""))) == []


def test_a_method_is_found_at_its_decorator_with_its_class():
    found = changed_functions("shop.py", *parsed(new=OLD.replace("sum(items)", "sum(items) + 1")))

    assert [(one.qualified, one.classes, one.line) for one in found] == [("Till.total", ("Till",), 15)]


def test_a_function_that_was_not_there_has_no_text_before():
    found = changed_functions("shop.py", *parsed(new=OLD + "\n\ndef added():\n    return 1\n"))

    assert [(one.name, one.before) for one in found] == [("added", None)]


def test_functions_that_use_a_changed_name_of_their_module_are_found():
    found = changed_names("shop.py", *parsed(new=OLD.replace("RATE = 2", "RATE = 3")))

    assert [(one.qualified, one.changed) for one in found] == [("Till.rated", False)]


@pytest.mark.parametrize(("base", "kind", "line"), [
    ("old", "operator", "return amount + discount"),
    ("old", "clamp", "return max(amount - discount, 0)"),
    ("old", "operand", "return discount - amount"),
    ("fix", "comparison", "if amount <= discount:"),
    ("fix", "condition", "if True:"),
    ("fix", "boundary", "if amount < discount + 1:"),
    ("fix", "constant 0", "return 1"),
    ("fix", "name", "if discount < discount:"),
])
def test_small_edits_of_the_old_code_and_of_the_change_are_made(base, kind, line):
    made = [one for one in alternatives(price(), 0) if (one.base, one.kind) == (base, kind)]

    assert line in [part.strip() for one in made for part in one.text.splitlines()]


def test_every_alternative_compiles_and_no_two_are_the_same_text():
    made = [one.text for one in alternatives(price(), 0)]

    assert [len(set(made)), [compile(one, "made", "exec").co_name for one in made[:3]]] == [len(made), ["<module>"] * 3]


def test_the_change_itself_is_not_altered_by_making_alternatives():
    target = price()
    before = ast.dump(target.after)
    alternatives(target, 0)

    assert ast.dump(target.after) == before


def test_of_a_long_function_only_so_many_are_made():
    body = "".join(f"    if a > {number} and b < {number}:\n        a = b + {number}\n" for number in range(60))
    old, new = (f"def long(a, b):\n{body}    return a{end}\n" for end in ("", " + 1"))

    assert len(alternatives(changed_functions("a.py", *parsed(old, new))[0], 0)) == MOST


def test_nothing_is_made_of_a_function_that_is_too_large_to_look_at():
    body = "".join(f"    a = a + {number} * b\n" for number in range(600))
    old, new = (f"def large(a, b):\n{body}    return a{end}\n" for end in ("", " + 1"))

    assert alternatives(changed_functions("a.py", *parsed(old, new))[0], 0) == []


def test_literals_that_a_change_brings_are_told_without_the_usual_ones():
    new = NEW.replace("amount < discount", "amount == 417 or amount < 1 or discount == 'x'")

    assert new_literals(changed_functions("shop.py", *parsed(new=new))) == [417, "x"]


def test_words_about_a_function_bring_no_literal():
    new = NEW.replace("What is to be paid.", "What is to be paid, at most 417.")

    assert new_literals(changed_functions("shop.py", *parsed(new=new))) == []


def test_huge_numbers_and_long_texts_are_no_constants():
    function = ast.parse(f"def f():\n    return [7, {10**15}, 'a', {'b' * 100!r}, True]\n").body[0]

    assert constants([function, None]) == [7, "a"]
