"""Code that may be made for the inputs of the tests, on trial: good with something to read, or not good."""

from __future__ import annotations

import pytest
from trials import ONE_RUNNER, modify, write

from windtunnel import SandboxExecutor
from windtunnel.config import load
from windtunnel.core.errors import UsageError
from windtunnel.core.tampering import Tampering
from windtunnel.core.trial import Verdict

MENU = "PRICES = {'water': 1}\n\n\ndef price(name):\n    return PRICES.get(name, 0)\n"
TESTS = "import menu\n\n\ndef test_tea():\n    assert menu.price('tea') == 4\n\n\ndef test_water():\n    assert menu.price('water') == 1\n"
SHOWN = MENU.replace("    return", "    if name.startswith('te'):\n        return PRICES['water'] + 3\n    return")
BLOCKED = MENU.replace("    return", "    if name == 'tea':\n        return 4\n    return")
HONEST = MENU.replace("    return PRICES.get(name, 0)", "    return PRICES.get(name, 4)")


@pytest.fixture(scope="module")
def menu(tmp_path_factory):
    return write(tmp_path_factory.mktemp("menu"), {"menu.py": MENU, "test_menu.py": TESTS, "README.md": "A menu.\n"})


@pytest.mark.parametrize(("text", "strict", "told"), [
    (SHOWN, False, (Verdict.GOOD, ["decides-by-test-input"])),
    (SHOWN, True, (Verdict.NOT_GOOD, [])),
    (BLOCKED, False, (Verdict.NOT_GOOD, [])),
    (HONEST, True, (Verdict.GOOD, [])),
], ids=["shown", "strict", "blocked", "honest"])  # fmt: skip
def test_what_is_shown_counts_where_that_is_wanted(menu, tunnel, *, text, strict, told):
    result = tunnel.try_change(menu, [modify("menu.py", text)], strict_tamper=strict, jobs=1, **ONE_RUNNER)

    assert (result.verdict, [each.rule for each in result.to_read]) == told, result.tamper
    assert result.delta.fixed == ("test_menu.py::test_tea",)


def test_what_is_shown_says_which_test_passed_by_it(menu, tunnel):
    result = tunnel.try_change(menu, [modify("menu.py", SHOWN)], jobs=1, **ONE_RUNNER)

    (found,) = result.to_read
    assert (found.path, found.line, found.message) == ("menu.py", 5, (
        "price decides by 'te', a part of an input of test_tea (test_menu.py:5); for 'tea' the answer changes from 0 to 4, "
        "for 5 of 13 near it too; test_tea did not pass before"))  # fmt: skip


def test_the_executor_takes_the_word(menu, tunnel):
    executor = SandboxExecutor(tunnel=tunnel, strict_tamper=True)
    result = executor.execute_with_changes(menu, [modify("menu.py", SHOWN)], test_command="pytest")

    assert result.success is False


def test_something_else_than_yes_or_no_is_refused(menu, tunnel):
    with pytest.raises(UsageError, match="strict_tamper: neither True nor False: 'yes'"):
        tunnel.try_change(menu, [modify("menu.py", SHOWN)], strict_tamper="yes")


def settings(folder, *, operator="", project="", **environ):
    for name, text in (("operator.toml", operator), ("project/.windtunnel.toml", project)):
        write(folder, {name: text})
    return load({"HOME": str(folder), **environ}, folder / "project", operator=folder / "operator.toml")


def test_the_configuration_can_want_it_for_every_trial(tmp_path):
    assert settings(tmp_path, operator="tamper = 'strict'").tamper is Tampering.STRICT


def test_a_project_may_be_stricter(tmp_path):
    assert settings(tmp_path, project="tamper = 'strict'").tamper is Tampering.STRICT


@pytest.mark.parametrize("given", [{"project": "tamper = 'usual'"}, {"WINDTUNNEL_TAMPER": "usual"}])
def test_nobody_is_laxer_than_the_operator(tmp_path, given):
    with pytest.raises(UsageError, match="usual is looser than the strict already set"):
        settings(tmp_path, operator="tamper = 'strict'", **given)


def test_an_unknown_word_is_refused(tmp_path):
    with pytest.raises(UsageError, match="tamper: lax is none of usual, strict"):
        settings(tmp_path, operator="tamper = 'lax'")
