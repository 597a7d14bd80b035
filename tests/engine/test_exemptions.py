"""Comments by which a change would keep its own lines from being mutated."""

from __future__ import annotations

import pytest
from trials import QUICK, modify, write

from windtunnel.core.gate import GateVerdict, Thresholds
from windtunnel.engine.exemptions import distrusted, told
from windtunnel.engine.gate import Gate, gate
from windtunnel.engine.reverts import ChangedFile
from windtunnel.mutation.screening import screened

PLAIN = "def price(amount):\n    return amount\n"
EXEMPT = "def price(amount):\n    return amount + 1  # pragma: no mutate\n"
REGION = "# pragma: no mutate start\nA = 1\n# pragma: no mutate end\n\n\ndef price(amount):\n    return amount\n"
TESTS = "import shop\n\n\ndef test_price():\n    assert shop.price(1) == 2\n"


def changed(old, new):
    return ChangedFile("shop.py", old.encode(), new.encode())


def mutated(old, new):
    """The lines that are mutated when the change is judged."""
    file = changed(old, new)
    found = screened(file.after, path="shop.py", lines=file.lines, distrusted=distrusted(file))
    return {mutant.line for mutant in found.mutants}


@pytest.mark.parametrize(("old", "new", "lines"), [
    pytest.param(PLAIN, EXEMPT, {2}, id="beside the line"),
    pytest.param(PLAIN, "def price(amount):  # pragma: no mutate\n    return amount + 1\n", {2}, id="behind the head"),
    pytest.param(PLAIN, "@same  # pragma: no cover\n" + EXEMPT, {1, 3}, id="beside a decorator"),
    pytest.param(PLAIN, "# pragma: no mutate start\ndef price(amount):\n    return amount + 1\n", {3}, id="begun above"),
    pytest.param(REGION, REGION.replace("# pragma: no mutate end\n", "").replace("return amount", "return amount + 1"), {6},
                 id="an end taken away"),
    pytest.param(REGION, REGION.replace("# pragma: no mutate end\n", "").replace("return amount", "return amount + 1")
                 + "# pragma: no mutate end\n", {6}, id="an end moved down"),
])
def test_a_change_cannot_exempt_its_own_lines(old, new, lines):
    assert mutated(old, new) == lines


def test_without_that_a_comment_of_the_change_would_exempt_it():
    file = changed(PLAIN, EXEMPT)

    assert screened(file.after, path="shop.py", lines=file.lines).mutants == ()


def test_a_comment_that_was_there_before_still_exempts_what_stands_below_it():
    before = "def price(amount):  # pragma: no mutate\n    return amount\n"

    assert mutated(before, before.replace("return amount", "return amount + 1")) == set()


def test_what_the_change_asked_for_is_told_with_its_place():
    ended = REGION.replace("# pragma: no mutate end\n", "")

    assert told([changed(PLAIN, EXEMPT), changed(PLAIN, PLAIN + "X = '# pragma: no mutate'\n"), changed(REGION, ended)]) == (
        "shop.py:2: # pragma: no mutate", "shop.py: takes away the end of what a comment exempts")


@pytest.mark.slow
def test_the_gate_mutates_what_the_change_would_exempt_and_shows_it(tunnel, tmp_path):
    project = write(tmp_path, {"shop.py": PLAIN, "test_shop.py": TESTS})

    result = gate(tunnel.rig, Gate(project=project, changes=[modify("shop.py", EXEMPT)], test="pytest", env=QUICK, jobs=2,
                                   sample=0, seconds=150.0, thresholds=Thresholds(least=0)))

    assert (result.verdict, result.exempting, result.score) == (GateVerdict.GOOD, ("shop.py:2: # pragma: no mutate",), 1.0)
