"""Nothing that a change holds makes the gate raise or hang."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import pristine, scan
from windtunnel.tamper.tokens import tokens

PATHS = [
    "a.py",
    "tests/test_a.py",
    "conftest.py",
    "a.js",
    "a.test.js",
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "Makefile",
    "jest.config.js",
    "a_test.go",
    "src/lib.rs",
    "__snapshots__/a.snap",
    "tests/x.ambr",
]
PIECES = [
    "def test_a():\n",
    "    assert f(1) == 2\n",
    "@pytest.mark.skip\n",
    "`${",
    "}`",
    "/*",
    "*/",
    "//",
    "'",
    '"',
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "expect(a).toBe(1);",
    "it('x', () => {",
    "it(",
    "expect",
    "expect(",
    "import os\n",
    "os._exit(0)\n",
    "\\",
    "\x00",
    "\n",
    "= ",
    "const a = ",
    "{ exit } = process",
    "process.exit",
    "if (",
    "a === 1 ? 2 : 3",
    "?",
    "case 1: return 2",
    "1e999",
    "0x",
    "[tool.pytest]\n",
    "\tx\n",
    "test:",
    "import",
    "from",
    "require('",
    ".each",
    "catch",
    "try {",
    "return",
    "-",
    "/x/",
    "function",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)


@settings(deadline=None, max_examples=150)
@given(path=st.sampled_from(PATHS), old=texts, new=texts)
def test_any_text_gives_findings(path, old, new):
    change = ChangeSet(changes=(FileChange(path, "modify", new),))

    assert isinstance(
        scan(change, before={path: old.encode("utf-8", "replace")}.get, tests={path: new.encode("utf-8", "replace")}),
        tuple,
    )
    assert len(pristine(change, before={path: old.encode("utf-8", "replace")}.get).changes) <= 1


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("unit", ["(", "[", "{", "`${", "a.", "'", "/", "x = [" , "-", "not ", "a=b\n", "if x:\n", "it('a', () => {", "expect(", "1 ? ",
                                  "function (", "a(b,", "const a = ", "@x\n", "# name: a\n", "exports[`a`] = `", "a = a + a\n", "a => "])  # fmt: skip
def test_a_long_repetition_is_read_within_two_seconds(path, unit):
    text = unit * (20_000 // len(unit))
    started = time.process_time()

    scan(ChangeSet(changes=(FileChange(path, "modify", text),)), before={path: b"x = 1\n"}.get)

    assert time.process_time() - started < 2


def test_variables_that_double_at_every_step_are_not_followed_for_ever():
    lines = "".join(f"    a{n + 1} = a{n} + a{n}\n" for n in range(60))
    text = f"def test_a():\n    a0 = f()\n{lines}    assert a60 == 1\n"
    started = time.process_time()

    scan(
        ChangeSet(changes=(FileChange("tests/test_a.py", "modify", text),)),
        before={"tests/test_a.py": b"def test_a(): pass\n"}.get,
    )

    assert time.process_time() - started < 2


def test_a_script_is_cut_into_its_tokens():
    found = [(each.kind, each.text) for each in tokens("a?.b = /x'[/]/g / 2; `p${q}` // r\n'\\u0073' + 0x1F")]

    assert found == [
        ("name", "a"),
        ("mark", "."),
        ("name", "b"),
        ("mark", "="),
        ("pattern", "/x'[/]/g"),
        ("mark", "/"),
        ("number", "2"),
        ("mark", ";"),
        ("template", "`p${q}`"),
        ("name", "q"),
        ("string", "s"),
        ("mark", "+"),
        ("number", "0x1F"),
    ]
