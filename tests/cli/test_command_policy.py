import json

import pytest

POLICY = """\
version: 1
min_isolation: process
caps: {memory_bytes: 4g}
rules:
- {id: secrets, effect: deny, paths: ["secrets/**"], reason: secrets stay where they are}
- {id: documents, effect: allow, tool: apply, paths: docs/**}
- {id: pages, effect: allow, tool: apply, paths: docs/**}
tests:
- {name: documents are free, request: {verb: apply, paths: [docs/a.md]}, expect: allow, rule: documents}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return path


def test_check_tells_how_many_rules_the_hash_and_what_never_decides(cli, file):
    done = cli("policy", "check", str(file))

    import hashlib

    assert (done.returncode, done.stderr, done.stdout.splitlines()) == (0, "", [
        f"{file}: rules: 3, tests: 1, default: ask", f"sha256 {hashlib.sha256(POLICY.encode()).hexdigest()}",
        "warning: line 7: pages: it never decides: the rule documents comes first (allow) and matches all that it does"])


def test_check_as_json(cli, file):
    [told] = json.loads(cli("policy", "check", str(file), "--json").stdout)["policies"]

    assert (told["rules"], told["tests"], told["default"], [warned["rule"] for warned in told["warnings"]]) == (
        3, 1, "ask", ["pages"])


def test_a_broken_policy_is_2_with_its_place(cli, file):
    file.write_text("version: 1\nrules: {}")

    done = cli("policy", "check", str(file))

    assert (done.returncode, done.stdout, done.stderr) == (
        2, "", f"windtunnel: {file}:2:8: rules: not a list of at most 500: a table\n")


def test_a_policy_that_is_not_there_is_2(cli):
    done = cli("policy", "check", "nowhere.yaml")

    assert (done.returncode, done.stderr) == (2, "windtunnel: FILE: there is no 'nowhere.yaml'\n")


def test_explain_tells_the_decision_and_each_rule(cli, file):
    done = cli("policy", "explain", str(file), "--verb", "apply", "--path", "docs/a.md", "--path", "secrets/key")

    assert (done.returncode, done.stdout.splitlines()[:3], done.stdout.splitlines()[3].split()) == (0, [
        "DENY by secrets: secrets stay where they are", "at least the process level", "at most memory_bytes 4g"],
        ["rule", "effect", "matched", "why", "policy"])
    assert done.stdout.splitlines()[4].split() == ["secrets", "deny", "yes", "matched", str(file)]


def test_explain_as_json_has_the_whole_decision(cli, file):
    told = json.loads(cli("policy", "explain", str(file), "--json", "--verb", "apply", "--path", "docs/a.md").stdout)

    assert (told["effect"], told["rule"], told["min_isolation"], told["caps"], len(told["explanation"])) == (
        "allow", "documents", "process", {"memory_bytes": 4 * 1024**3}, 3)


@pytest.mark.parametrize(("options", "first"), [
    (["--verb", "run", "--limit", "memory_bytes=8g"], "DENY by caps.memory_bytes: memory_bytes: 8g is over the ceiling of 4g"),
    (["--verb", "run", "--level", "restricted"], "DENY by min_isolation: the restricted level is below the process level that is wanted here"),
    (["--verb", "run", "--actor", "ann", "--role", "lead", "--language", "python", "--command", "make", "--risk", "low",
      "--network", "a.example", "--network", "b.example", "--project", "p", "--change-files", "1", "--change-lines", "2",
      "--limit", "wall_seconds=1.5"], "ASK by default: no rule matches, and the default is ask"),
])
def test_explain_takes_the_request_by_options(cli, file, options, first):
    done = cli("policy", "explain", str(file), *options)

    assert (done.returncode, done.stdout.splitlines()[0]) == (0, first)


def test_explain_takes_the_request_from_a_file(cli, file, tmp_path):
    request = tmp_path / "request.json"
    request.write_text('{"verb": "apply", "paths": ["docs/a.md"]}')

    done = cli("policy", "explain", str(file), "--request", str(request))

    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "ALLOW by documents: the rule documents says allow")


@pytest.mark.parametrize(("options", "message"), [
    ([], "--verb: say what is asked"),
    (["--verb", "run", "--request", "x.json"], "--request: the whole request is in the file"),
    (["--request", "nowhere.json"], "--request: there is no 'nowhere.json'"),
    (["--verb", "run", "--path", "../x"], "the request: request.paths: not a plain relative path: '../x'"),
    (["--verb", "run", "--limit", "memory=1"], "the request: request.limits.memory: unknown"),
    (["--verb", "run", "--network", "none", "--network", "host"], "the request: request.network: none and host stand alone"),
    (["--verb", "run", "--risk", "huge"], "the request: request.risk: not one of low, medium, high: huge"),
])
def test_a_wrong_request_is_2(cli, file, options, message):
    done = cli("policy", "explain", str(file), *options)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"windtunnel: {message}")


def test_the_tests_of_a_policy_pass_or_end_with_1(cli, file):
    good = cli("policy", "test", str(file))
    file.write_text(POLICY + "- {name: running, request: {verb: run}, expect: deny, rule: secrets}\n")
    bad = cli("policy", "test", str(file))

    assert (good.returncode, good.stdout) == (0, "1 of 1 tests passed\n")
    assert (bad.returncode, bad.stdout.splitlines()) == (1, [
        f"{file}:10: FAILED running: ask by default, not deny by secrets", "1 of 2 tests passed"])


def test_the_outcomes_as_json(cli, file):
    [told] = json.loads(cli("policy", "test", str(file), "--json").stdout)

    assert told == {"file": str(file), "name": "documents are free", "line": 9, "passed": True, "expect": "allow",
                    "expect_rule": "documents", "effect": "allow", "rule": "documents"}


def test_without_a_file_those_in_force_are_meant(cli, file, tmp_path):
    cli.env["WINDTUNNEL_POLICY"] = str(file)
    own = tmp_path / "project" / ".windtunnel"
    own.mkdir(parents=True)
    (own / "policy.yaml").write_text("version: 1\ndefault: deny\n")

    done = cli("policy", "explain", "--in", str(own.parent), "--verb", "apply", "--path", "docs/a.md")

    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "DENY by default: no rule matches, and the default is deny")


def test_where_there_is_none_everything_is_allowed(cli, tmp_path):
    done = [cli("policy", act, "--in", str(tmp_path), *more) for act, *more in (["check"], ["test"], ["explain", "--verb", "run"])]

    assert [(one.returncode, one.stdout.splitlines()[-1]) for one in done] == [
        (0, "there is no policy here: everything is allowed"), (0, "0 of 0 tests passed"),
        (0, "there is no policy here: everything is allowed")]


def test_hostile_words_of_a_policy_do_not_reach_the_terminal(cli, file):
    file.write_text('version: 1\nrules: [{id: a, effect: deny, reason: "\\e[2Jgone"}]')

    done = cli("policy", "explain", str(file), "--verb", "run")

    assert (done.returncode, "\x1b" in done.stdout + done.stderr) == (2, False)
