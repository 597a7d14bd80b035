"""Inputs that somebody gives: read strictly here, tried in the sandbox."""

from __future__ import annotations

import sys

import pytest
from section_samples import ends, explored, write

from windtunnel.core.errors import UsageError
from windtunnel.core.section import Stubs
from windtunnel.engine.simulate.remarks import remarks_of
from windtunnel.sections.stubs import joined, read_history, read_plugins, read_stubs, stubs_from

GREET = {"m.py": "def greet(name, times=1):\n    if name == 'Zaphod':\n        return 'two heads'\n    return name * times\n"}


@pytest.mark.parametrize(("text", "stubs"), [
    ('[{"a": 1}, {"b": [2]}]', Stubs(everywhere=({"a": 1}, {"b": [2]}))),
    ('{"a": 1, "b": [2]}', Stubs(everywhere=({"a": 1, "b": [2]},))),
    ('{"greet": [{"name": "x"}]}', Stubs(by_section={"greet": ({"name": "x"},)})),
    ("[]", Stubs()),
])
def test_stubs_are_read_in_each_form(text, stubs):
    assert read_stubs(text) == stubs


@pytest.mark.parametrize("text", [
    "", "{", "3", '"a"', "[3]", '[{"not a name": 1}]', "[NaN]", '{"a": NaN}', "[" * 5000, '{"a": ' + "[" * 40 + "]" * 40 + "}",
    " " * 2**21])
def test_what_is_no_stub_is_refused_with_the_field(text):
    with pytest.raises(UsageError) as refused:
        read_stubs(text)

    assert (refused.value.field, str(refused.value)[:19]) == ("SANDBOX_INPUT_STUBS", "SANDBOX_INPUT_STUBS")


def test_history_is_read_line_by_line():
    text = '{"a": 1}\n\n{"section": "m.py:f", "arguments": {"b": 2}}\n'

    assert read_history(text) == Stubs(everywhere=({"a": 1},), by_section={"m.py:f": ({"b": 2},)})


def test_history_that_is_no_json_is_refused():
    with pytest.raises(UsageError, match="SANDBOX_INPUT_HISTORY: not JSON"):
        read_history('{"a": 1}\nnothing\n')


def test_given_stubs_come_in_the_place_of_history_and_templates(tmp_path):
    (tmp_path / "history").write_text('{"b": 2}\n')
    (tmp_path / "templates").write_text('[{"c": 3}]')
    files = {"SANDBOX_INPUT_HISTORY": str(tmp_path / "history"), "SANDBOX_INPUT_TEMPLATES_FILE": str(tmp_path / "templates")}

    assert (stubs_from({"SANDBOX_INPUT_STUBS": '[{"a": 1}]', **files}), stubs_from(files), stubs_from({})) == (
        Stubs(everywhere=({"a": 1},)), Stubs(everywhere=({"b": 2}, {"c": 3})), Stubs())


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        stubs_from({"SANDBOX_INPUT_HISTORY": str(tmp_path / "none")})


def test_plugins_are_read_and_not_run(tmp_path):
    (tmp_path / "a b.py").write_text("raise SystemExit")

    assert read_plugins(str(tmp_path)) == {"stub_plugin_0_a_b.py": b"raise SystemExit"}


def test_stubs_of_several_places_are_joined():
    one, other = Stubs(everywhere=({"a": 1},), by_section={"f": ({"b": 1},)}), Stubs(by_section={"f": ({"b": 2},)})

    assert joined(one, other) == Stubs(everywhere=({"a": 1},), by_section={"f": ({"b": 1}, {"b": 2})})


def test_a_given_stub_is_called_and_kept(tunnel, tmp_path):
    found = explored(tunnel, write(tmp_path, GREET), stubs=Stubs(everywhere=({"name": "Ford", "times": 3},)), calls=1)

    assert ends(found["greet"]) == [("greet(name='Ford', times=3)", "returned", "")]


def test_a_plugin_adds_inputs_and_a_bad_one_hurts_nothing(tunnel, tmp_path):
    plugins = {"stub_plugin_0_a.py": b"raise SystemExit(3)\n", "stub_plugin_1_b.py": b"import os\nos._exit(4)\n",
               "stub_plugin_2_c.py": b"def generate_stubs(stubs, context):\n    return [{'name': context['target'].upper()}]\n"}
    found = explored(tunnel, write(tmp_path, GREET), stubs=Stubs(plugins=plugins), calls=1)

    assert ends(found["greet"])[:1] == [("greet(name='GREET')", "returned", "")]
    assert found["greet"].remarks == ("stub plugin stub_plugin_0_a.py: raised SystemExit: 3",
                                      "stub plugin stub_plugin_1_b.py: ended with exit code 4")


def test_a_stub_that_fits_no_section_is_remarked_on(tunnel, tmp_path):
    stubs = Stubs(everywhere=({"name": "Ford"}, {"nosuch": 5}), by_section={"gone": ({"name": "x"},)})
    found = explored(tunnel, write(tmp_path, GREET), stubs=stubs, calls=1)

    assert remarks_of(list(found.values()), stubs) == (
        "the stub {'nosuch': 5} fits no section: none has all of its parameters",
        "the stubs for 'gone' fit no section: none has that name")


def test_hypothesis_draws_where_it_is_installed(tunnel, tmp_path, monkeypatch):
    pytest.importorskip("hypothesis")
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    files = {"m.py": "import datetime\n\n\ndef f(a: complex):\n    if a.imag == 0:\n        raise ValueError(a)\n    return a\n"}

    assert explored(tunnel, write(tmp_path, files), seconds=10.0)["f"].returned
