import hashlib
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.policy import Effect, Request
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.policy.asking import request_from
from windtunnel.policy.reading import read_policy
from windtunnel.policy.review import run_tests, warnings
from windtunnel.policy.rules import Approvals, Example
from windtunnel.policy.tree import from_plain, read_json

WHOLE = b"""\
# Who may do what here.
version: 1
default: deny
min_isolation: process
caps: {memory_bytes: 4g, wall_seconds: 60, processes: 50}
rules:
  - id: no-secrets
    effect: deny
    tool: [try, "app*"]
    paths: ["**/.env", secrets/**]
    reason: secrets stay where they are
  - id: big
    effect: ask
    tool: apply
    when: |
      request.change_lines > 500 ||
        request.risk == "high"
  - {id: rest, effect: allow, min_isolation: container, caps: {cores: 2}}
approvals: {self_approval: true, expires: 30m}
tests:
  - name: a small change
    request: {verb: apply, paths: [src/a.py], network: [example.com], level: vm, limits: {memory_bytes: 1g}}
    expect: allow
    rule: rest
"""


def refusal(content, file="p.yaml"):
    with pytest.raises(UsageError) as caught:
        read_policy(content if isinstance(content, bytes) else content.encode(), file=file)
    assert caught.value.field == "policy"
    return str(caught.value)


def test_a_whole_policy_is_read():
    policy = read_policy(WHOLE, file="p.yaml")

    assert (policy.file, policy.sha256, policy.default, policy.min_isolation, policy.caps) == (
        "p.yaml", hashlib.sha256(WHOLE).hexdigest(), Effect.DENY, Level.PROCESS,
        {"memory_bytes": 4 * GIB, "wall_seconds": 60.0, "processes": 50})
    assert [(rule.id, rule.effect, rule.tools, rule.paths, rule.when and rule.when.source, rule.reason, rule.min_isolation,
             rule.caps, rule.line) for rule in policy.rules] == [
        ("no-secrets", Effect.DENY, ("try", "app*"), ("**/.env", "secrets/**"), None, "secrets stay where they are", None, {}, 7),
        ("big", Effect.ASK, ("apply",), (), 'request.change_lines > 500 ||\n  request.risk == "high"\n', "", None, {}, 12),
        ("rest", Effect.ALLOW, ("*",), (), None, "", Level.CONTAINER, {"cores": 2.0}, 18)]
    assert policy.approvals == Approvals(self_approval=True, expires_seconds=1800.0)
    assert policy.tests == (Example(
        name="a small change", expect=Effect.ALLOW, rule="rest", line=21, request=Request(
            verb="apply", paths=("src/a.py",), network=Network(allow_hosts=("example.com",)), level=Level.VM,
            limits=Limits(memory_bytes=GIB))),)


def test_the_shortest_policy_asks_for_everything():
    policy = read_policy(b"version: 1", file="p.yaml")

    assert (policy.default, policy.min_isolation, policy.caps, policy.rules, policy.approvals, policy.tests) == (
        Effect.ASK, None, {}, (), Approvals(self_approval=False, expires_seconds=86_400.0), ())


def test_two_approvals_together_are_as_strict_as_the_stricter():
    lax, strict = Approvals(self_approval=True, expires_seconds=60.0), Approvals(expires_seconds=3600.0)

    assert lax.stricter(strict) == Approvals(self_approval=False, expires_seconds=60.0)


RULE = "version: 1\nrules:\n  - id: a\n    effect: deny\n"
TEST = "version: 1\ntests:\n  - name: t\n    expect: deny\n    request:\n      verb: run\n"
REFUSED = [
    # the file
    ("", "p.yaml:1:1: policy: not a table: nothing"),
    ("[]", "p.yaml:1:1: policy: not a table: a list"),
    ("just words", "p.yaml:1:1: policy: not a table: just words"),
    ("rules: []", "p.yaml:1:1: version: missing"),
    ("version: 2", "p.yaml:1:10: version: not 1, the only one there is"),
    ("version: '1'", "p.yaml:1:10: version: not a number of 0 or more: 1"),
    ("version: true", "p.yaml:1:10: version: not a number of 0 or more: True"),
    ("version: 1.0", "p.yaml:1:10: version: not a whole number: 1.0"),
    ("version: 1\nversion: 1", "p.yaml:2:1: version: there twice (first on line 1)"),
    ("version: 1\n---\nversion: 1", "p.yaml:2:1: a second document (one file has one policy)"),
    ("version: 1\nrule: []", "p.yaml:2:1: rule: unknown (known: version, default, min_isolation, caps, rules, budgets, approvals, tests)"),
    ('version: 1\n"\\e[2J": 1', "p.yaml:2:1: \\x1b[2J: unknown (known: version"),
    ("version: 1\n<<: {default: allow}", "p.yaml:2:1: <<: unknown"),
    ("version: 1\n? [a]\n: 1", "p.yaml:2:3: not a key: a list"),
    ("version: 1\n1: 2", "p.yaml:2:1: not a key: 1"),
    ("version: 1\ndefault: no", "p.yaml:2:10: default: not one of allow, ask, deny: no"),
    ("version: 1\ndefault: ALLOW", "p.yaml:2:10: default: not one of allow, ask, deny: ALLOW"),
    ("version: 1\ndefault:", "p.yaml:2:9: default: not one of allow, ask, deny: nothing"),
    ("version: 1\nmin_isolation: none", "p.yaml:2:16: min_isolation: not one of restricted, process, container, vm: none"),
    ("version: 1\ncaps: []", "p.yaml:2:7: caps: not a table: a list"),
    ("version: 1\ncaps: {memory: 1g}", "p.yaml:2:8: caps.memory: unknown (known: wall_seconds"),
    ("version: 1\ncaps: {memory_bytes: 1 GB}", "p.yaml:2:22: caps.memory_bytes: not a size: '1 GB'"),
    ("version: 1\ncaps: {memory_bytes: 1}", "p.yaml:2:22: caps.memory_bytes: out of range (from 8m to"),
    ("version: 1\ncaps: {wall_seconds: -1}", "p.yaml:2:22: caps.wall_seconds: out of range"),
    ("version: 1\ncaps: {wall_seconds: .inf}", "p.yaml:2:22: caps.wall_seconds: not a number: '.inf'"),
    ("version: 1\ncaps: {wall_seconds: 1e3}", "p.yaml:2:22: caps.wall_seconds: not a number: '1e3'"),
    ("version: 1\ncaps: {cpu_seconds: null}", "p.yaml:2:21: caps.cpu_seconds: not a number: nothing"),
    ("version: 1\ncaps: {processes: 1.5}", "p.yaml:2:19: caps.processes: not a number: 1.5"),
    ("version: 1\ncaps: {processes: true}", "p.yaml:2:19: caps.processes: not a number: True"),
    ("version: 1\ncaps: {processes: 99999999999999999999}", "p.yaml:2:19: caps.processes: not a number: '99999999999999999999'"),
    # rules
    ("version: 1\nrules: {a: 1}", "p.yaml:2:8: rules: not a list of at most 500: a table"),
    ("version: 1\nrules: [a]", "p.yaml:2:9: rules[0]: not a table: a"),
    ("version: 1\nrules: [{effect: deny}]", "p.yaml:2:9: rules[0].id: missing"),
    ("version: 1\nrules: [{id: a}]", "p.yaml:2:9: rules[0].effect: missing"),
    ("version: 1\nrules: [{id: a, effect: block}]", "p.yaml:2:25: rules[0].effect: not one of allow, ask, deny: block"),
    ("version: 1\nrules: [{id: A b, effect: deny}]", "p.yaml:2:14: rules[0].id: not an id of a rule: A b"),
    ("version: 1\nrules: [{id: 7, effect: deny}]", "p.yaml:2:14: rules[0].id: not an id of a rule: 7"),
    ("version: 1\nrules: [{id: default, effect: deny}]", "p.yaml:2:14: rules[0].id: not an id of a rule: default"),
    ("version: 1\nrules: [{id: caps.files, effect: deny}]", "p.yaml:2:14: rules[0].id: not an id of a rule: caps.files"),
    (RULE + "  - id: a\n    effect: allow", "p.yaml:5:9: rules[1].id: a is there twice (first on line 3)"),
    (RULE + "    tools: run", "p.yaml:5:5: rules[0].tools: unknown (known: id, effect, tool, paths, when, reason, min_isolation, caps)"),
    (RULE + "    effect: allow", "p.yaml:5:5: effect: there twice (first on line 4)"),
    (RULE + "    tool: []", "p.yaml:5:11: rules[0].tool: an empty list matches nothing"),
    (RULE + "    tool: [run, 1]", "p.yaml:5:17: rules[0].tool[1]: not a text: 1"),
    (RULE + "    tool: '{run,try}'", "p.yaml:5:11: rules[0].tool: {run,try}: {a,b} is not known here"),
    (RULE + "    paths: [a, ../b]", "p.yaml:5:16: rules[0].paths[1]: ../b: not a relative path"),
    (RULE + "    paths: 'a**'", "p.yaml:5:12: rules[0].paths: a**: ** stands alone"),
    (RULE + "    paths: {a: b}", "p.yaml:5:12: rules[0].paths: not a list of at most 100: a table"),
    (RULE + "    paths: [" + "a," * 101 + "]", "p.yaml:5:12: rules[0].paths: not a list of at most 100: a list"),
    (RULE + "    when: request.actr == 1", "p.yaml:5:11: rules[0].when: letter 1: request.actr is not known"),
    (RULE + "    when: |\n      true &&\n      && true", "p.yaml:5:11: rules[0].when: line 2, letter 1: Syntax error"),
    (RULE + "    when: 1", "p.yaml:5:11: rules[0].when: not a text: 1"),
    (RULE + "    when: ''", "p.yaml:5:11: rules[0].when: not a text: "),
    (RULE + '    reason: "a\\nb"', "p.yaml:5:13: rules[0].reason: not a text of one line: a\\nb"),
    (RULE + "    reason: [a]", "p.yaml:5:13: rules[0].reason: not a text: a list"),
    # approvals
    ("version: 1\napprovals: {self_approval: no}", "p.yaml:2:28: approvals.self_approval: neither true nor false: no"),
    ("version: 1\napprovals: {expires: never}", "p.yaml:2:22: approvals.expires: not a time: never (try 90s, 30m, 24h or 7d)"),
    ("version: 1\napprovals: {expires: 0}", "p.yaml:2:22: approvals.expires: not a time: 0"),
    ("version: 1\napprovals: {expires: 24:00}", "p.yaml:2:22: approvals.expires: not a time: 24:00"),
    # tests
    (TEST + "      path: a", "p.yaml:7:7: tests[0].request.path: unknown (known: verb, actor"),
    (TEST + "      paths: [/etc/passwd]", "p.yaml:7:14: tests[0].request.paths: not a plain relative path: '/etc/passwd'"),
    (TEST + "      risk: huge", "p.yaml:7:13: tests[0].request.risk: not one of low, medium, high: huge"),
    (TEST + "      network: all", "p.yaml:7:16: tests[0].request.network: not none, host or a list of hosts: all"),
    (TEST + "      change_files: -1", "p.yaml:7:21: tests[0].request.change_files: not a number of 0 or more: -1"),
    (TEST + "    rule: b", "p.yaml:7:11: tests[0].rule: there is no rule b"),
    ("version: 1\ntests: [{name: a, expect: deny, request: {}}]", "p.yaml:2:42: tests[0].request.verb: missing"),
    ("version: 1\ntests: [{name: a, request: {verb: run}}]", "p.yaml:2:9: tests[0].expect: missing"),
    # YAML that is hostile or no YAML
    ("version: 1\ncaps: &a {}\nrules: *a", "p.yaml:2:7: anchors and aliases (& and *) are not known here"),
    ("version: *a", "p.yaml:1:10: anchors and aliases"),
    ("version: !!python/object/apply:os.system [id]", "p.yaml:1:10: tags are not known here: tag:yaml.org,2002:python/object/apply"),
    ("version: !x 1", "p.yaml:1:10: tags are not known here: !x"),
    ("version: !!int 1", "p.yaml:1:10: tags are not known here: tag:yaml.org,2002:int"),
    ("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]", "p.yaml:1:4: anchors and aliases"),
    ("version: 1\nrules: " + "[" * 5000, "p.yaml:2:20: nested deeper than 12"),
    ("{a: " * 5000, "p.yaml:1:50: nested deeper than 12"),
    ("- " * 5000, "p.yaml:1:27: nested deeper than 12"),
    ("version: 1\nrules: [" + "a," * 60_000 + "]", "more than 50000 values"),
    ("version: [1", "not YAML: "),
    ("version: 1\n\tdefault: ask", "p.yaml:2:1: not YAML: found"),
    ("version: 1\n default: ask", "not YAML: "),
    ("'unclosed", "not YAML: found unexpected end of stream"),
    ("%YAML 3.0\n---\nversion: 1", "not YAML: "),
    ("\0", "not YAML: "),
    (b"version: \xff", "p.yaml: not UTF-8 at byte 9"),
    (b"\xff\xfev\0e\0", "p.yaml: not UTF-8 at byte 0"),
    (b"version: 1\n#" + b"x" * 1024**2, "p.yaml: refused: more than 1048576 bytes"),
]


@pytest.mark.parametrize(("content", "message"), REFUSED, ids=lambda text: ascii(text)[:60])
def test_a_wrong_policy_is_refused_with_file_line_and_column(content, message):
    said = refusal(content)

    assert message in said
    assert said.startswith("p.yaml:")
    assert (said.isprintable(), len(said) < 700) == (True, True)


def test_conditions_that_are_too_costly_together_are_refused():
    rule = "- id: r%d\n  effect: deny\n  when: request.paths.exists(p, p.matches(r'%s'))"
    content = "version: 1\nrules:\n" + "\n".join(rule % (number, r"\w\d" * 40) for number in range(40))

    began = time.process_time()

    assert refusal(content) == "p.yaml:74:9: rules[23].when: too costly, with those before it (try fewer or plainer patterns)"
    assert time.process_time() - began < 10


def test_more_globs_than_can_be_compiled_in_a_moment_are_refused():
    rule = "- {id: r%d, effect: deny, paths: ['%s%d']}"
    content = "version: 1\nrules:\n" + "\n".join(rule % (number, "*a" * 200, number) for number in range(490))

    assert refusal(content) == "p.yaml:165:3: rules[162]: the globs of the rules up to here have more than 65536 letters"


def test_the_largest_file_of_aliases_is_refused_at_once():
    bomb = "a: &a [" + "x," * 100 + "]\n" + "".join(f"b{number}: [{'*a,' * 1000}]\n" for number in range(300))
    began = time.process_time()

    assert "anchors and aliases" in refusal(bomb)
    assert time.process_time() - began < 2


def test_without_the_refusal_a_few_lines_of_aliases_become_a_billion_values():
    import yaml

    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 31))
    found = yaml.safe_load(bomb)["a30"]
    depth = 0
    while isinstance(found, list):
        found, depth = found[0], depth + 1

    assert (2**depth, "anchors and aliases" in refusal(bomb)) == (2**31, True)


def test_a_text_that_looks_like_yaml_of_old_stays_a_text():
    policy = read_policy(b"version: 1\nrules:\n- {id: no, effect: deny, tool: [on, off, yes], reason: 1_000}", file="p.yaml")

    [rule] = policy.rules
    assert (rule.id, rule.tools, rule.reason) == ("no", ("on", "off", "yes"), "1_000")


def test_a_bare_true_is_a_condition():
    policy = read_policy(b"version: 1\nrules:\n- {id: a, effect: deny, when: true}", file="p.yaml")

    assert policy.rules[0].when.source == "true"


def test_the_reader_in_python_gives_the_same_answers(monkeypatch):
    import yaml

    cases = [content for content, message in REFUSED if "not YAML" not in message and len(content) < 20_000]
    by_c = [refusal(content) for content in cases]
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)

    assert [refusal(content) for content in cases] == by_c
    assert read_policy(WHOLE, file="p.yaml").sha256 == hashlib.sha256(WHOLE).hexdigest()


@pytest.mark.parametrize(("content", "message"), [
    (b"{", "r.json:1:2: not JSON: Expecting property name"),
    (b'{"verb": "run",\n "x": }', "r.json:2:7: not JSON: Expecting value"),
    (b'{"verb": "run", "verb": "apply"}', "r.json: verb: there twice"),
    (b"[" * 100_000, "r.json: not JSON: maximum recursion depth"),
    (b"[" * 50 + b"]" * 50, "r.json: nested deeper than 12"),
    (b'{"verb": "run", "level": "strong"}', "r.json: request.level: not one of restricted, process, container, vm: strong"),
    (b'{"verb": ""}', "r.json: request.verb: not a text: "),
    (b'{"verb": "run", "limits": {"files": NaN}}', "r.json: request.limits.files: not a number: nan"),
    (b'"run"', "r.json: request: not a table: run"),
    (b"\xff", "r.json: not JSON: "),
    (b"9" * 5000, "r.json: not JSON: Exceeds the limit"),
])
def test_a_wrong_request_is_refused(content, message):
    with pytest.raises(UsageError) as caught:
        request_from(read_json(content, file="r.json"))

    assert str(caught.value).startswith(message)


def test_a_request_can_say_everything():
    made = request_from(from_plain({
        "verb": "image build", "actor": "ann", "roles": ["lead"], "project": "/p", "paths": ["a", "b/c"],
        "languages": ["python"], "level": "vm", "network": "host", "limits": {"memory_bytes": "2g"}, "change_files": 2,
        "change_lines": 3, "risk": "high", "commands": ["make\nall"]}, file="r"))

    assert made == Request(
        verb="image build", actor="ann", roles=("lead",), project="/p", paths=("a", "b/c"), languages=("python",),
        level=Level.VM, network=Network(host=True), limits=Limits(memory_bytes=2 * GIB), change_files=2, change_lines=3,
        risk="high", commands=("make\nall",))


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))))
@example(b"version: 1\nrules: [{id: a, effect: deny, when: 'request.paths'}]")
def test_any_bytes_are_a_policy_or_are_refused(content):
    try:
        found = read_policy(content, file="p.yaml").sha256
    except UsageError as error:
        found = str(error)

    assert found == hashlib.sha256(content).hexdigest() or found.startswith("p.yaml:")


def test_the_policy_of_the_page_passes_its_own_tests():
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()
    [text] = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)

    found = read_policy(text.encode(), file="page")

    assert ([one.name for one in run_tests(found) if not one.passed], len(found.tests), warnings(found)) == ([], 4, ())
