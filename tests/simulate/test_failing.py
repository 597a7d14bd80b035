"""Which sections break with no condition at all by a mistake that no input explains."""

from __future__ import annotations

from windtunnel.core.section import Call, Called, Ended, Ending, Section, SectionKind
from windtunnel.core.simulation import Failing
from windtunnel.engine.simulate.failing import failing_of

SECTION = Section(path="shop.py", name="total", kind=SectionKind.FUNCTION, module="shop")
START = "import importlib, sys; sys.path.insert(0, '.'); globals().update(vars(importlib.import_module('shop')))"


def raised(*errors):
    call = Call(section=SECTION, arguments=(("prices", "[2]"),))
    return Called(section=SECTION, ends=tuple(Ended(call=call, how=Ending.RAISED, error=error, message="words") for error in errors))


def test_a_section_that_always_raises_a_name_error_is_shown_by_one_of_its_calls():
    assert failing_of([raised("NameError", "UnboundLocalError")], ()) == (
        Failing(section="shop.py:total", error="NameError: words", program=f"{START}; total(prices=[2])"),)


def test_what_a_section_may_raise_on_purpose_is_left_alone():
    assert failing_of([raised("NameError", "ValueError"), raised("RuntimeError"), raised("TypeError"), raised()], ()) == ()


def test_a_file_that_cannot_be_imported_for_a_name_is_shown_by_its_import():
    called = Called(section=SECTION, failed="NameError: name 'jsn' is not defined")

    assert failing_of([called], ()) == (
        Failing(section="shop.py:total", error="NameError: name 'jsn' is not defined", program=START),)


def test_a_missing_dependency_is_nobodys_mistake():
    assert failing_of([Called(section=SECTION, failed="ModuleNotFoundError: No module named 'numpy'")], ()) == ()


def test_a_file_that_does_not_parse_is_shown_by_reading_it():
    whole = Section(path="shop.py", name="", kind=SectionKind.FILE, reason="a syntax error in line 1: expected ':'")

    assert failing_of((), [whole]) == (
        Failing(section="shop.py:", error=whole.reason, program="compile(open('shop.py', 'rb').read(), 'shop.py', 'exec')"),)


def test_a_call_too_long_for_a_command_is_left_out():
    call = Call(section=SECTION, arguments=(("prices", "1" * 4000),))
    assert failing_of([Called(section=SECTION, ends=(Ended(call=call, how=Ending.RAISED, error="NameError"),))], ()) == ()
