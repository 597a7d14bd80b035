"""Rules of the user's own: what they match, what they make, and how a bad file is refused."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.mutation.custom import read_rules
from windtunnel.mutation.python import mutants, mutated


def rules(*pairs):
    lines = ["version: 1", "rules:"]
    for number, (pattern, replacement) in enumerate(pairs):
        lines += [f"- name: rule-{number}", f"  pattern: '{pattern}'", f"  replacement: '{replacement}'"]
    return read_rules("\n".join(lines).encode(), file="rules.yaml")


def made(text, *pairs):
    custom, source = rules(*pairs), text.encode()
    return [mutated(source, mutant).decode() for mutant in mutants(
        source, path="a.py", custom=custom, operators=[operator.name for operator in custom])]


@pytest.mark.parametrize(("text", "pattern", "replacement", "expected"), [
    ("fetch(u, retries=3)\n", "fetch($url, retries=$n)", "fetch($url, retries=0)", "fetch(u, retries=0)\n"),
    ("fetch( u,\n  retries = 3 )\n", "fetch($url, retries=$n)", "fetch($url)", "fetch(u)\n"),
    ("x = a + a\n", "$a + $a", "$a * 2", "x = a * 2\n"),
    ("x = (b*2 + b * 2) * 3\n", "$a + $a", "$a - 1", "x = ((b*2) - 1) * 3\n"),
    ("x = f(a) * 2\n", "f($a)", "$a + 1", "x = (a + 1) * 2\n"),
    ('x = d["k"]\n', 'd["k"]', 'd["j"]', 'x = d["j"]\n'),
    ("log(k, 1, x=2)\n", "log($k, $*rest)", "log($*rest)", "log(1, x=2)\n"),
    ("log(k)\n", "log($k, $*rest)", "log($*rest)", "log()\n"),
    ("self.a = 1; b = 2\n", "self.$name = $value", "self.$name = None", "self.a = None; b = 2\n"),
    ("if a:\n    commit()\n", "commit()", "rollback()", "if a:\n    rollback()\n"),
    ("def f():\n    raise A(b)\n", "raise A($x)", "return $x", "def f():\n    return b\n"),
])
def test_a_rule_replaces_what_its_pattern_fits(text, pattern, replacement, expected):
    assert made(text, (pattern, replacement)) == [expected]


@pytest.mark.parametrize(("text", "pattern"), [
    ("fetch(u)\n", "fetch($url, retries=$n)"), ("x = a + b\n", "$a + $a"), ("x = g(a)\n", "f($a)"), ("x = f(a, b)\n", "f($a)"),
    ("x = f(*a)\n", "f($a)"), ("x = f(k=a)\n", "f($a)"), ("logger.info(f(a))\n", "f($a)"), ("x = 'f(a)'\n", "f($a)"),
])
def test_a_rule_leaves_the_rest_alone(text, pattern):
    assert made(text, (pattern, "None")) == []


def test_a_rule_is_an_operator_among_the_others():
    custom = rules(("f($a)", "$a"))

    found = list(mutants(b"x = f(a) + 1\n", path="a.py", custom=custom))

    assert [mutant.operator for mutant in found] == ["custom:rule-0", "arithmetic", "constants"]


HEAD = "version: 1\nrules:\n- "


@pytest.mark.parametrize(("content", "reason"), [
    ("", "rules.yaml:1:1: not a document"),
    ("version: 2\n", "rules.yaml:1:10: version: not 1"),
    ("rules: []\n", "rules.yaml:1:1: version: missing"),
    ("version: 1\nrule: []\n", "rules.yaml:2:1: 'rule': unknown"),
    ("version: 1\nversion: 1\n", "rules.yaml:2:1: version: there twice"),
    ("version: 1\nrules: [[[]]]\n", "rules.yaml:2:9: not a rule"),
    ("version: 1\nrules: &a [*a]\n", "rules.yaml:2:8: anchors"),
    ("version: !!python/name:os.system 1\n", "rules.yaml:1:10: anchors"),
    ("version: 1\n---\nversion: 1\n", "rules.yaml:2:1: not the end"),
    ("version: [\n", "rules.yaml:1:10: not a text"),
    ("version: 1\nrules: 'a\n", "rules.yaml:3:1: not YAML"),
    (HEAD + "name: a\n", "rules.yaml:3:3: pattern: missing"),
    (HEAD + "{name: A, pattern: f(), replacement: g()}\n", "rules.yaml:3:10: name: not a name"),
    (HEAD + "{name: a, pattern: $x, replacement: g()}\n", "rules.yaml:3:22: pattern: a hole alone"),
    (HEAD + "{name: a, pattern: f() g(), replacement: g()}\n", "rules.yaml:3:22: pattern: not one expression"),
    (HEAD + "{name: a, pattern: 'if x: y', replacement: g()}\n", "rules.yaml:3:22: pattern: not one expression"),
    (HEAD + "{name: a, pattern: f($x), replacement: $y}\n", "rules.yaml:3:42: replacement: .y is not in the pattern"),
    (HEAD + "{name: a, pattern: f($x), replacement: pass}\n", "rules.yaml:3:42: replacement: a statement cannot"),
    (HEAD + "{name: a, pattern: f( ), replacement: f( )}\n", "rules.yaml:3:41: replacement: the same as"),
    (HEAD + "{name: a, pattern: f(), replacement: g()}\n- {name: a, pattern: f(), replacement: h()}\n",
     "rules.yaml:4:10: name: 'a' is there twice"),
    (HEAD + f"{{name: a, pattern: {'f(' * 100}{')' * 100}, replacement: g()}}\n", "rules.yaml:3:22: pattern: not one"),
    (HEAD + f"{{name: a, pattern: {'a' * 501}, replacement: g()}}\n", "rules.yaml:3:22: pattern: not a text of 1 to 500"),
    ("version: 1\nrules:\n" + "- {name: a, pattern: f(), replacement: g()}\n" * 101, "rules.yaml:103:3: more than 100"),
    ("[" * 50_000, "rules.yaml:1:1: not a table"),
    ("#" * 70_000, "rules.yaml: more than 65536 bytes"),
])
def test_a_bad_file_of_rules_is_refused_with_its_place(content, reason):
    with pytest.raises(UsageError, match=reason):
        read_rules(content.encode(), file="rules.yaml")


def test_a_file_of_rules_that_is_no_text_is_refused():
    with pytest.raises(UsageError, match=r"rules\.yaml: not UTF-8 at byte 0"):
        read_rules(b"\xff", file="rules.yaml")
