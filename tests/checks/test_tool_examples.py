"""Every tool understands its own examples, and survives whatever else it is given."""

from __future__ import annotations

import pytest

from windtunnel.checks import TOOLS
from windtunnel.core.tool import Ask, Output, Reading
from windtunnel.core.trial import Check

EXAMPLES = [pytest.param(tool, example, id=f"{tool.name}-{number}")
            for tool in TOOLS for number, example in enumerate(tool.examples)]
TABLE = [pytest.param(tool, id=tool.name) for tool in TOOLS]
DEEP = b'{"a":' * 50_000
HOSTILE = [
    Output(exit_code=0), Output(exit_code=-9, stderr=b"\xff\xfe\0words"), Output(exit_code=1, stdout=b"\x1e\x1f\x1b[31m" * 100),
    Output(exit_code=1, stdout=DEEP), Output(exit_code=1, stdout=b"[" * 100_000), Output(exit_code=0, stdout=b"null"),
    Output(exit_code=1, stdout=b'[null, 3, {}, {"location": 3, "code": [], "line": 1e999, "path": {}}]'),
    Output(exit_code=1, stdout=b'{"generalDiagnostics": [3, {"range": []}], "runs": [], "testResults": [3, {}], "Action": 3}'),
    Output(exit_code=1, stdout=b'{"reason": "compiler-message", "message": 3}\n{"reason": 3}\n{"type": "test", "event": []}\n'),
    Output(exit_code=1, stdout=b'{"line": ' + b"9" * 10_000 + b"}"), Output(exit_code=0, stdout=b"a:" * 50_000),
    Output(exit_code=1, files={"../x": b"<a", "a.xml": b"<testsuite><testcase/></testsuite>", "b.json": b"[{}]", "": DEEP}),
    Output(exit_code=1, files={"a.xml": b'<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuites><testsuite>&a;</testsuite></testsuites>'}),
    Output(exit_code=0, records=({}, {"kind": 3}, {"kind": "test"}, {"kind": "test", "id": 3, "status": []}, {"kind": "end"}),
           forged=3),
    *(Output(exit_code=1, stdout=(line[:3900] + b"\n") * 100, stderr=(line[:3900] + b"\n") * 100) for line in (
        b"ok 1 a" + b" " * 3800 + b"b", b"::" * 2000, b"a.py:1:1: error: a" + b" " * 3800 + b"[b] c", b"test " * 1000,
        b"a " * 2000, b"/a" * 2000, b"at a (" * 700)),
]


def check_of(tool):
    return Check(kind=tool.kind, tool=tool.name, argv=tuple(tool.name.split()))


@pytest.mark.parametrize(("tool", "example"), EXAMPLES)
def test_an_example_is_read_as_it_says(tool, example):
    assert tool.read(example.output, check_of(tool)) == example.reading


@pytest.mark.parametrize("tool", TABLE)
def test_whatever_the_output_is_it_is_read_without_an_error(tool):
    readings = [tool.read(output, check_of(tool)) for output in HOSTILE]

    assert [type(reading) for reading in readings] == [Reading] * len(HOSTILE)


@pytest.mark.parametrize("tool", TABLE)
def test_a_prepared_command_never_holds_the_key(tool):
    invocation = tool.prepare(check_of(tool), Ask(key="k3y"))

    assert invocation.argv
    assert "k3y" not in "".join((*invocation.argv, *invocation.env.values()))
    assert not any(b"k3y" in data for data in invocation.files.values())


@pytest.mark.parametrize("tool", TABLE)
def test_every_tool_says_what_to_install(tool):
    assert len(tool.install.split()) > 1
