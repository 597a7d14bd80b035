"""``try_change`` from end to end in the real sandbox: what the verdict rests on, and what it leaves alone."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from trials import (
    BROKEN_SHOP,
    CALC,
    ONE_RUNNER,
    OTHER,
    QUICK,
    SHOP,
    TESTS,
    WRONG,
    create,
    delete,
    modify,
    state,
    try_numbered,
    write,
)

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.plain import plain
from windtunnel.core.result import Level, Reason
from windtunnel.core.trial import Channel, Delta, Status, Verdict
from windtunnel.engine.premises import TRIAL_LIMITS, trial_limits
from windtunnel.engine.trial import Trial, try_change

ALL_FATES = """\
import os
import unittest

import calc
import pytest


def test_fixed(): assert calc.add(1, 1) == 2
def test_broken(): assert calc.double(2) == 4
def test_still_failing(): assert calc.add(1, 1) == 3
def test_silenced(): calc.perhaps()
def test_flaky(): assert os.environ.get("RUN") != "3"
def test_still_passing(): assert True


@pytest.mark.parametrize("case", calc.CASES)
def test_case(case): assert case < 4
"""
BEFORE = WRONG + "def double(a):\n    return 2 * a\ndef perhaps():\n    pass\nCASES = (1, 2)\n"
AFTER = (CALC + "def double(a):\n    return 3 * a\n"
         "def perhaps():\n    import unittest\n    raise unittest.SkipTest('not today')\nCASES = (1, 3, 4)\n")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Both tests pass; only read by the tests of this file."""
    return write(tmp_path_factory.mktemp("shop"), SHOP)


@pytest.fixture(scope="module")
def broken_shop(tmp_path_factory):
    return write(tmp_path_factory.mktemp("broken"), BROKEN_SHOP)


@pytest.fixture
def try_in(tunnel):
    def act(project, changes, **options):
        return tunnel.try_change(project, changes, **{**ONE_RUNNER, **options})

    return act


# --- the verdict ---

def test_each_test_stands_in_the_list_of_what_became_of_it(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": BEFORE, "test_calc.py": ALL_FATES})

    result, _ = try_numbered(tunnel, project, [modify("calc.py", AFTER)])

    assert result.delta == Delta(
        fixed=("test_calc.py::test_fixed",), broken=("test_calc.py::test_broken",),
        still_failing=("test_calc.py::test_still_failing",), new=("test_calc.py::test_case[3]",),
        new_failing=("test_calc.py::test_case[4]",), vanished=("test_calc.py::test_case[2]",),
        silenced=("test_calc.py::test_silenced",), flaky=("test_calc.py::test_flaky",), still_passing=2)
    assert result.verdict is Verdict.NOT_GOOD
    assert [reason.split(":")[0] for reason in result.reasons if ":" in reason][:4] == [
        "1 test broken", "1 test new and failing", "1 test no longer reported", "1 test no longer run"]


def test_a_fix_is_good_and_says_what_it_fixed(try_in, broken_shop):
    result = try_in(broken_shop, [modify("calc.py", CALC)])

    assert (result.verdict, result.reasons, result.tamper, result.workspace, result.level) == (
        Verdict.GOOD, ("1 test fixed: test_calc.py::test_add",), (), "overlay", Level.PROCESS)
    assert {test.id: test.status for test in result.test_results} == {
        "test_calc.py::test_add": Status.PASSED, "test_calc.py::test_zero": Status.PASSED}
    assert [report.channel for report in result.reports] == [Channel.LIVE]
    assert result.enforced["network"] == "none"


def test_a_flaky_test_is_not_held_against_the_change(tunnel, tmp_path):
    flaky = "import os\ndef test_flaky():\n    assert os.environ['RUN'] != '2'\n"
    project = write(tmp_path, {**SHOP, "test_other.py": flaky})

    result, jobs = try_numbered(tunnel, project, [modify("calc.py", OTHER)])

    assert (result.verdict, result.delta.flaky, result.delta.broken) == (Verdict.GOOD, ("test_other.py::test_flaky",), ())
    assert len(jobs) == 5, "baseline, changed, that test again on both sides, all tests again"


def test_without_a_second_run_the_same_test_counts_as_broken(tunnel, tmp_path):
    flaky = "import os\ndef test_flaky():\n    assert os.environ['RUN'] != '2'\n"
    project = write(tmp_path, {**SHOP, "test_other.py": flaky})

    result, jobs = try_numbered(tunnel, project, [modify("calc.py", OTHER)], rerun=False)

    assert (result.verdict, result.delta.broken, len(jobs)) == (Verdict.NOT_GOOD, ("test_other.py::test_flaky",), 2)


def test_a_test_that_fails_only_after_another_one_is_broken_not_flaky(try_in, shop):
    spoilt = "seen = []\ndef add(a, b):\n    seen.append(a)\n    return a + b if len(seen) < 2 else 7\n"

    result = try_in(shop, [modify("calc.py", spoilt)])

    assert (result.verdict, result.delta.broken) == (Verdict.NOT_GOOD, ("test_calc.py::test_zero",))


def test_a_pattern_that_no_runner_understands_is_never_a_pass(try_in, shop):
    assert try_in(shop, [modify("calc.py", OTHER)], pattern="(((").verdict is Verdict.NOT_GOOD


def test_a_pattern_leaves_the_other_tests_out_on_both_sides(try_in, shop):
    result = try_in(shop, [modify("calc.py", WRONG)], pattern="zero")

    assert (result.verdict, result.delta) == (Verdict.GOOD, Delta(still_passing=1))


def test_a_new_failing_test_counts_also_when_only_affected_tests_are_asked_for(try_in, shop):
    result = try_in(shop, [modify("calc.py", OTHER), create("test_new.py", "def test_new(): assert False\n")], only_affected=True)

    assert (result.verdict, result.delta.new_failing) == (Verdict.NOT_GOOD, ("test_new.py::test_new",))


def test_new_tests_of_a_change_run_and_count(try_in, shop):
    result = try_in(shop, [create("test_new.py", "def test_good(): pass\ndef test_bad(): assert 0\n")])

    assert (result.verdict, result.delta.new, result.delta.new_failing) == (
        Verdict.NOT_GOOD, ("test_new.py::test_good",), ("test_new.py::test_bad",))


def test_only_the_tests_that_a_change_reaches_are_run_when_asked_for(try_in, tmp_path):
    project = write(tmp_path, {**SHOP, "far.py": "def far(): return 1\n", "test_far.py": "import far\ndef test_far(): assert far.far()\n"})

    result = try_in(project, [modify("far.py", "def far(): return 2\n")], only_affected=True)

    assert (result.verdict, [test.id for test in result.test_results]) == (Verdict.GOOD, ["test_far.py::test_far"])


def test_an_expected_test_file_whose_new_version_fails_is_not_good(try_in, shop):
    result = try_in(shop, [modify("calc.py", "def add(a, b):\n    return 7\n"), modify("test_calc.py", TESTS + "# looked at\n")],
                    expected_tests=["test_calc.py"])

    assert result.verdict is Verdict.NOT_GOOD


def test_an_empty_change_is_tried_and_breaks_nothing(try_in, shop):
    result = try_in(shop, [])

    assert (result.verdict, result.delta, len(result.changes)) == (Verdict.GOOD, Delta(still_passing=2), 0)


def test_a_change_of_documents_alone_is_good(try_in, shop):
    result = try_in(shop, [create("docs/index.md", "# Shop\n")])

    assert (result.verdict, result.delta, result.effects.unexpected) == (Verdict.GOOD, Delta(still_passing=2), ())


def test_a_change_of_an_empty_project_with_no_test_is_never_a_pass(try_in, tmp_path):
    result = try_in(write(tmp_path, {"calc.py": CALC}), [modify("calc.py", OTHER)])

    assert (result.verdict, result.reasons[0]) == (Verdict.NOT_GOOD, "no test was executed")


def test_fail_fast_ends_at_the_first_test_that_breaks(try_in, tmp_path):
    slow = "import calc, time\ndef test_first(): assert calc.add(1, 2) == 3\n" + "".join(
        f"def test_{number}(): time.sleep(0.05)\n" for number in range(20))
    project = write(tmp_path, {"calc.py": CALC, "test_slow.py": slow})

    result = try_in(project, [modify("calc.py", WRONG)], fail_fast=True)

    assert (result.verdict, result.delta.broken, result.delta.vanished) == (Verdict.NOT_GOOD, ("test_slow.py::test_first",), ())
    assert len(result.test_results) < 15


def test_fail_fast_does_not_let_a_flaky_test_decide(tunnel, tmp_path):
    flaky = "import os\ndef test_flaky():\n    assert os.environ['RUN'] != '2'\n"
    project = write(tmp_path, {**SHOP, "test_other.py": flaky})

    result, _ = try_numbered(tunnel, project, [modify("calc.py", OTHER)], fail_fast=True)

    assert result.verdict is Verdict.GOOD


@pytest.mark.slow
def test_four_trials_at_once_give_the_verdicts_of_four_alone(tunnel, broken_shop):
    contents = [CALC, OTHER, WRONG + "# same\n", "def add(a, b):\n    return 9\n"]
    found = [None] * 4

    def act(number):
        found[number] = tunnel.try_change(broken_shop, [modify("calc.py", contents[number])], **ONE_RUNNER)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert [(result.verdict, result.delta) for result in found] == [
        (Verdict.GOOD, Delta(fixed=("test_calc.py::test_add",), still_passing=1)),
        (Verdict.GOOD, Delta(fixed=("test_calc.py::test_add",), still_passing=1)),
        (Verdict.GOOD, Delta(still_failing=("test_calc.py::test_add",), still_passing=1)),
        (Verdict.NOT_GOOD, Delta(broken=("test_calc.py::test_zero",), still_failing=("test_calc.py::test_add",)))]


def test_a_project_of_unittest_is_judged_test_by_test(tunnel, tmp_path):
    tests = "import unittest, calc\nclass Adds(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"
    project = write(tmp_path, {"calc.py": WRONG, "test_calc.py": tests})

    result = tunnel.try_change(project, [modify("calc.py", CALC)], build="", lint="")

    assert (result.verdict, [check.tool for check in result.checks.checks], len(result.delta.fixed)) == (Verdict.GOOD, ["unittest"], 1)
    assert result.reports[0].channel is Channel.LIVE


def test_a_project_of_node_is_judged_test_by_test(tunnel, tmp_path):
    tests = ("const test = require('node:test'), assert = require('node:assert'), { add } = require('./calc.js');\n"
             "test('adds', () => assert.strictEqual(add(2, 3), 5));\ntest('zero', () => assert.strictEqual(add(0, 0), 0));\n")
    code = "exports.add = (a, b) => a {} b;\n"
    settings = json.dumps({"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test"}})
    project = write(tmp_path, {"calc.js": code.format("-"), "calc.test.js": tests, "package.json": settings})
    if not any(Path(folder, "node").exists() for folder in os.get_exec_path()):
        pytest.skip("node is not installed here")

    result = tunnel.try_change(project, [modify("calc.js", code.format("+"))], build="", lint="")

    assert (result.verdict, len(result.delta.fixed), result.delta.still_passing) == (Verdict.GOOD, 1, 1), result.notes


# --- what surrounds the tests ---

SURROUNDED = {
    **SHOP,
    "build.sh": "mkdir -p out\necho made > out/product.txt\nprintf '%s' \"$DEPLOY\" > out/key.txt\nenv\necho hacked > calc.py\n",
    "lint.sh": "env\n",
    "test_around.py": """
import os, pathlib, pytest

TOKEN = os.environ.get("TOKEN", "none")

def test_sees_the_product(): assert pathlib.Path("out/product.txt").read_text() == "made\\n"
def test_has_the_secret(): assert TOKEN == "s3cret-of-the-tests"
def test_has_the_variable(): assert os.environ["PLAIN"] == "yes"
def test_has_no_secret_of_the_build(): assert "DEPLOY" not in os.environ
def test_tells_the_secret():
    print("said", TOKEN, TOKEN[::-1])
    assert False, "token is " + TOKEN
@pytest.mark.parametrize("token", [TOKEN])
def test_named(token): pass
""",
}
SECRET, DEPLOY = "s3cret-of-the-tests", "k3y-of-the-build"


class Surrounded:
    """One trial with everything around it, and what could be heard of it."""

    def __init__(self, tunnel, project):
        self.project, self.told = project, []
        self.changes = [modify("calc.py", CALC + f"# {SECRET}\n")]
        self.result = tunnel.try_change(
            project, self.changes, test="pytest", build="sh build.sh", lint="sh lint.sh", env={**QUICK, "PLAIN": "yes"},
            secrets={"test": {"TOKEN": SECRET}, "build": {"DEPLOY": DEPLOY}}, tell=self.told.append)

    @property
    def statuses(self):
        return {test.id.partition("::")[2]: test.status for test in self.result.test_results}

    def told_of(self, kind):
        return next(report for report in self.result.reports if report.check.kind == kind)


@pytest.fixture(scope="module")
def surrounded(tunnel, tmp_path_factory):
    return Surrounded(tunnel, write(tmp_path_factory.mktemp("surrounded"), SURROUNDED))


@pytest.mark.parametrize("name", [
    "test_sees_the_product", "test_has_the_secret", "test_has_the_variable", "test_has_no_secret_of_the_build"])
def test_a_test_gets_what_it_is_given_and_nothing_else(surrounded, name):
    assert surrounded.statuses[name] is Status.PASSED, surrounded.result.notes


def test_a_build_does_not_rewrite_what_is_being_tried(surrounded):
    assert (surrounded.statuses["test_add"], surrounded.statuses["test_zero"]) == (Status.PASSED, Status.PASSED)


def test_a_linter_gets_the_variables_and_no_secret(surrounded):
    lines = surrounded.told_of("lint").stdout.splitlines()

    assert "PLAIN=yes" in lines
    assert [line for line in lines if line.startswith(("TOKEN", "DEPLOY"))] == []


def test_a_build_gets_its_own_secret_alone(surrounded):
    names = {line.partition("=")[0] for line in surrounded.told_of("build").stdout.splitlines()}

    assert names & {"TOKEN", "DEPLOY", "PLAIN"} == {"DEPLOY", "PLAIN"}, sorted(names)


def test_a_secret_of_the_tests_is_masked_in_every_field(surrounded):
    masked = replace(surrounded.result, changes=ChangeSet(changes=()))
    text = json.dumps(masked, default=plain) + repr(masked)

    assert SECRET not in text
    assert SECRET[::-1] not in text
    message = next(test.message for test in surrounded.result.test_results if "tells" in test.id)
    assert "token is ********" in message
    assert "test_around.py::test_named[********]" in {test.id for test in surrounded.result.test_results}


def test_a_test_that_is_named_by_a_secret_is_the_same_test_on_both_sides(surrounded):
    delta = surrounded.result.delta

    assert [name for name in (*delta.vanished, *delta.new) if "test_named" in name] == []


def test_what_would_be_applied_is_not_masked(surrounded):
    assert [change.data for change in surrounded.result.changes] == [surrounded.changes[0].data]


def test_a_secret_of_the_build_is_masked_in_its_products(surrounded):
    assert DEPLOY not in repr(surrounded.result)


def test_a_secret_is_masked_in_what_is_told_on_the_way(surrounded):
    assert [event for event in surrounded.told if SECRET in event.text] == []


def test_a_secret_is_in_no_file_of_ours(surrounded, tunnel):
    folders = (tunnel.settings.cache_dir, tunnel.settings.state_dir)
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]

    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


def test_a_baseline_without_a_secret_does_not_stand_for_one_with_it(tunnel, tmp_path):
    project = write(tmp_path, {**SHOP, "test_needs.py": "import os\ndef test_needs(): assert 'TOKEN' in os.environ\n"})
    tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)

    result = tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER, secrets={"test": {"TOKEN": SECRET}})

    assert result.delta == Delta(still_passing=3)


@pytest.mark.parametrize("secrets", [{"deploy": {"A": "abcdefgh"}}, {"test": {"A": "short"}}, {"test": {"A": "has a \0 in it"}}])
def test_secrets_that_cannot_be_kept_are_refused(try_in, shop, secrets):
    with pytest.raises(UsageError) as refused:
        try_in(shop, [], secrets=secrets)

    assert refused.value.field == "secrets"


# --- the network ---

def reach(*targets):
    return CALC + "import socket\n" + "".join(
        f"try: socket.create_connection({target!r}, 2)\nexcept OSError: pass\n" for target in targets)


def test_there_is_no_network_and_attempts_are_told(try_in, shop):
    result = try_in(shop, [modify("calc.py", reach(("192.0.2.1", 80), ("192.0.2.1", 80), ("192.0.2.7", 443)))])

    assert [(attempt.target, attempt.outcome, attempt.rule, attempt.count) for attempt in result.effects.network] == [
        ("192.0.2.1:80", "refused", "no network", 2), ("192.0.2.7:443", "refused", "no network", 1)]
    assert result.side_effects_detected


@pytest.fixture
def listener():
    """A host that counts who comes."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def came(server):
    try:
        server.accept()[0].close()
    except TimeoutError:
        return False
    return True


def test_a_listener_of_the_host_is_not_reached(try_in, shop, listener):
    try_in(shop, [modify("calc.py", reach(listener.getsockname()))])

    assert not came(listener)


def test_the_same_listener_is_reached_with_the_network_of_the_host(try_in, shop, listener):
    try_in(shop, [modify("calc.py", reach(listener.getsockname()))], network_enabled=True)

    assert came(listener)


@pytest.mark.parametrize("wish", [{"network_enabled": True}, {"build_hosts": ["index.example"]}])
def test_a_network_that_the_operator_forbids_is_refused(tunnel, shop, wish):
    with pytest.raises(UsageError):
        try_change(replace(tunnel.rig, allow_network=False), Trial(project=shop, changes=[], **ONE_RUNNER, **wish))


def test_allowed_hosts_are_for_the_build_alone(tunnel, tmp_path):
    project = write(tmp_path, {**SHOP, "build.sh": "true\n"})

    _, jobs = try_numbered(tunnel, project, [modify("calc.py", OTHER)], build="sh build.sh", lint="true", build_hosts=["index.example"])

    networks = {(job.command.argv[-1], job.network.allow_hosts, job.network.host) for job in jobs}
    assert ("build.sh", ("index.example",), False) in networks
    assert {hosts for command, hosts, _ in networks if command != "build.sh"} == {()}
    assert not any(host for _, _, host in networks)


# --- what is not touched ---

HAVOC = """
import os, pathlib, shutil, subprocess
for path in ("calc.py", "README.md"):
    os.utime(path); os.chmod(path, 0o600)
shutil.rmtree("data")
pathlib.Path("README.md").write_text("gone")
os.rename("keep.txt", "kept.txt")
os.symlink("/etc/passwd", "link")
os.mkfifo("pipe")
os.remove("lib.py")
"""


def test_a_project_stays_as_it_is_whatever_its_tests_do(try_in, tmp_path):
    project = write(tmp_path / "project", {
        **SHOP, "README.md": "read me\n", "data/a.txt": "a", "keep.txt": "k", "lib.py": "x = 1\n", "bin.dat": bytes(range(256))})
    before = state(tmp_path)

    result = try_in(project, [modify("calc.py", HAVOC + CALC)])

    assert state(tmp_path) == before
    assert {(file.path.removeprefix("/workspace/"), file.act) for file in result.effects.unexpected if file.kind != "folder"} >= {
        ("README.md", "changed"), ("data/a.txt", "deleted"), ("lib.py", "deleted"), ("link", "made"), ("pipe", "made")}


def test_the_same_acts_do_harm_without_the_sandbox(tmp_path):
    from trials import applied, naive

    project = write(tmp_path / "project", {**SHOP, "README.md": "r", "data/a.txt": "a", "keep.txt": "k", "lib.py": ""})
    copy = applied(tmp_path / "copy", project, [modify("calc.py", HAVOC + CALC)])

    assert naive(copy).returncode == 0
    assert (copy / "README.md").read_text() == "gone"


def test_caches_land_in_the_layer(try_in, tmp_path):
    project = write(tmp_path / "project", SHOP)

    result = try_in(project, [modify("calc.py", OTHER)])

    assert {file.litter for file in result.effects.files} == {"bytecode cache", "pytest cache"}
    assert sorted(path.name for path in project.rglob("*")) == ["calc.py", "test_calc.py"]


def test_names_and_contents_that_are_no_text_are_taken_as_they_are(try_in, tmp_path):
    project = write(tmp_path / "project", {**SHOP, "latin.txt": b"caf\xe9"})
    Path(os.fsdecode(os.fsencode(project) + b"/\xff.bin")).write_bytes(b"\0\xff")
    reads = "def test_bytes(): assert open('latin.txt', 'rb').read() == b'th\\xe8'\n"

    result = try_in(project, [modify("latin.txt", b"th\xe8"), create("bytes.dat", bytes(range(256))), create("test_bytes.py", reads)])

    assert (result.verdict, result.delta.new) == (Verdict.GOOD, ("test_bytes.py::test_bytes",))


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A project with an environment of its own, and a package in it that is installed by its path on the host."""
    project = write(tmp_path_factory.mktemp("environment"), {
        "calc.py": CALC, "src/editable.py": "WHERE = __file__\n", "test_environment.py": """
import sys, unittest
import calc
class Environment(unittest.TestCase):
    def test_interpreter(self): self.assertTrue(sys.prefix.endswith("/.venv"), sys.prefix)
    def test_installed(self):
        import installed
        self.assertEqual(calc.add(installed.VALUE, 1), 42)
    def test_editable(self):
        import editable
        self.assertTrue(editable.WHERE.endswith("src/editable.py"), editable.WHERE)
"""})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", project / ".venv"], check=True)
    (packages,) = (project / ".venv" / "lib").glob("python3*/site-packages")
    write(packages, {"installed.py": "VALUE = 41\n", "further/__init__.py": "", "editable.pth": f"{project / 'src'}\n"})
    return project


def test_the_environment_in_a_project_is_used(try_in, environment):
    before = state(environment)

    result = try_in(environment, [modify("calc.py", OTHER)], test="python -m unittest")

    assert (result.verdict, result.delta) == (Verdict.GOOD, Delta(still_passing=3)), result.notes
    assert state(environment) == before


def test_a_change_may_load_one_more_package_of_the_environment(try_in, environment):
    assert try_in(environment, [modify("calc.py", "import further\n" + CALC)], test="python -m unittest").verdict is Verdict.GOOD


# --- bad input ---

@pytest.fixture
def places(tunnel, tmp_path):
    (tmp_path / "link").symlink_to(write(tmp_path / "project", SHOP))
    (tmp_path / "file").write_text("x")
    inside = tunnel.settings.state_dir / "inside"
    inside.mkdir(parents=True, exist_ok=True)
    return {"missing": tmp_path / "missing", "file": tmp_path / "file", "link": tmp_path / "link", "root": "/", "home": Path.home(),
            "inside our state": inside, "our state": tunnel.settings.state_dir, "around our state": tunnel.settings.state_dir.parent,
            "number": 5, "nothing": None, "NUL": "a\0b", "system": "/usr/lib"}


@pytest.mark.parametrize("name", ["missing", "file", "link", "root", "home", "inside our state", "our state", "around our state",
                                  "number", "nothing", "NUL", "system"])
def test_a_folder_that_is_no_project_is_refused_by_name(try_in, places, name):
    with pytest.raises(UsageError) as refused:
        try_in(places[name], [])

    assert (refused.value.field, str(refused.value).startswith("project: ")) == ("project", True)


@pytest.mark.parametrize(("options", "field"), [
    ({"test": "no-such-program-here"}, "test_command"), ({"test": "./no-such-script"}, "test"), ({"test": "pytest 'unclosed"}, "test_command"),
    ({"test": ""}, "test"), ({"limits": 5}, "limits"), ({"nonsense": 1}, "nonsense")])
def test_options_that_cannot_be_followed_are_refused_by_name(try_in, shop, options, field):
    with pytest.raises(UsageError) as refused:
        try_in(shop, [modify("calc.py", OTHER)], **options)

    assert refused.value.field == field


@pytest.mark.parametrize("options", [
    {"env": []}, {"env": {"A": 5}}, {"env": {"A\0": "x"}}, {"env": {"A=B": "x"}}, {"env": {"LD_PRELOAD": "/workspace/evil.so"}},
    {"secrets": []}, {"secrets": {"test": "abc"}}, {"secrets": {"test": {"A\0": "abcdefgh"}}}, {"jobs": "two"}, {"jobs": -1},
    {"test": 5}, {"pattern": 5}, {"tell": 5}, {"expected_tests": "test_calc.py"}, {"build_hosts": "index.example"}, {"build_hosts": ["http://x/"]},
], ids=str)
def test_options_of_a_wrong_kind_are_refused(try_in, shop, options):
    with pytest.raises(UsageError):
        try_in(shop, [modify("calc.py", OTHER)], **{"rerun": False, **options})


def test_a_project_without_a_test_command_says_what_to_do(tunnel, tmp_path):
    with pytest.raises(UsageError, match=r"no test command found in .* \(name one"):
        tunnel.try_change(write(tmp_path, {"notes.txt": "x"}), [])


@pytest.mark.parametrize("changes", [
    [modify("missing.py", "x")], [create("calc.py", "x")], [delete("missing.py")], [create("../out.py", "x")], [create("/etc/x", "x")],
    [modify("calc.py", "a"), modify("calc.py", "b")], ["calc.py"], [create("a", "x"), create("a/b", "x")]], ids=str)
def test_a_change_that_does_not_apply_is_refused_before_anything_changes(try_in, shop, changes):
    before = state(shop)

    with pytest.raises(UsageError) as refused:
        try_in(shop, changes)

    assert refused.value.field == "changes"
    assert state(shop) == before


def test_a_change_that_no_sandbox_can_hold_is_a_typed_error(try_in, shop):
    with pytest.raises(WindtunnelError):
        try_in(shop, [create("big.bin", "x" * (3 * MIB))], limits=Limits(disk_bytes=MIB))


@pytest.mark.parametrize(("limits", "reason"), [
    (Limits(wall_seconds=0.01), Reason.TIMEOUT), (Limits(cpu_seconds=0.01), Reason.CPU_TIME), (Limits(memory_bytes=8 * MIB), Reason.OUT_OF_MEMORY)])
def test_limits_too_low_for_any_test_are_the_reason_and_never_a_pass(try_in, shop, grouped, limits, reason):
    result = try_in(shop, [modify("calc.py", OTHER)], limits=limits)

    assert (result.verdict, [report.reason for report in result.reports]) == (Verdict.NOT_GOOD, [reason])
    assert f"pytest: stopped, {reason.replace('_', ' ')}" in result.reasons


def test_limits_over_the_caps_are_refused(tunnel):
    with pytest.raises(UsageError) as refused:
        trial_limits(Limits(memory_bytes=2**49), caps=tunnel.rig.caps)

    assert refused.value.field == "memory_bytes"


def test_limits_without_a_word_are_the_usual_ones_within_the_caps():
    caps = Limits(wall_seconds=20, memory_bytes=100 * MIB, cores=1.0, processes=50, disk_bytes=50 * MIB, files=100, open_files=64)

    found = trial_limits(None, caps=caps)

    assert found == replace(caps, output_bytes=min(TRIAL_LIMITS.output_bytes, caps.output_bytes))


# --- tests that misbehave ---

SMALL = Limits(wall_seconds=20, memory_bytes=256 * MIB, disk_bytes=32 * MIB, processes=60, files=2000)
MISBEHAVED = {
    "forks without end": ("while True: os.fork()", None),
    "fills the disk": ("with open('/workspace/big', 'wb') as file:\n    while True: file.write(b'x' * 10 ** 6)", Reason.OUT_OF_DISK),
    "kills itself": ("os.kill(os.getpid(), 9)", Reason.EXITED),
    "kills its parent": ("os.kill(os.getppid(), 9)", None),
    "kills everything": ("os.kill(-1, 9)", None),
    "pretends to be out of time": ("os._exit(124)", Reason.EXITED),
    "pretends to be out of memory": ("os._exit(137)", Reason.EXITED),
}


def acting(body):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return [modify("calc.py", f"import os, subprocess, sys, time\n{CALC}def act():\n{lines}")]


@pytest.fixture(scope="module")
def actor(tmp_path_factory):
    return write(tmp_path_factory.mktemp("actor"), {
        "calc.py": CALC + "def act():\n    pass\n", "test_act.py": "import calc\ndef test_act(): calc.act()\ndef test_other(): pass\n"})


OTHERS = re.compile(rf"windtunnel-(?!{os.getpid()}-)(\d+-|filter|host)|/wt-(docker|podman)-|/run/netns|/docker/netns")
"""What tests of containers, at work beside these, mount and leave for a while."""


def leftovers():
    """Folders that a trial could leave on the host."""
    found = [path for folder in ("/tmp", "/dev/shm", "/var/tmp") for path in Path(folder).iterdir()]
    return {path for path in found if "windtunnel" in path.name and not OTHERS.search(path.name)}


def mounts():
    """All but those of others; without their numbers, which the kernel gives away again."""
    lines = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if not OTHERS.search(line)]
    return sorted(line.split(" ", 2)[2] for line in lines)


@pytest.mark.parametrize("name", MISBEHAVED)
def test_a_test_that_misbehaves_is_not_good_and_the_reason_is_ours(try_in, actor, name):
    body, reason = MISBEHAVED[name]
    before = leftovers(), mounts()

    result = try_in(actor, acting(body), limits=SMALL, rerun=False)

    assert (result.verdict, result.delta.broken[:1]) == (Verdict.NOT_GOOD, ("test_act.py::test_act",))
    assert reason is None or [report.reason for report in result.reports] == [reason]
    assert (leftovers(), mounts()) == before


@pytest.mark.slow
def test_a_test_that_hangs_ends_with_its_time_and_leaves_nothing(try_in, actor):
    before = leftovers(), mounts()
    begun = time.monotonic()

    result = try_in(actor, acting("time.sleep(60)"), limits=replace(SMALL, wall_seconds=3))

    assert time.monotonic() - begun < 15
    assert (result.verdict, [report.reason for report in result.reports]) == (Verdict.NOT_GOOD, [Reason.TIMEOUT])
    assert "pytest: stopped, timeout" in result.reasons
    assert result.delta.broken == ("test_act.py::test_act",)
    assert (leftovers(), mounts()) == before


def test_a_flood_of_output_is_cut_and_costs_us_nothing(try_in, actor):
    try_in(actor, acting("pass"), limits=SMALL)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = try_in(actor, acting("for _ in range(200): os.write(1, b'x' * 10 ** 6)\nraise SystemError"), test="pytest -s", limits=SMALL, rerun=False)

    assert result.verdict is Verdict.NOT_GOOD
    assert len(result.stdout) < 300_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024, "in KiB"


def test_a_process_that_outlives_the_tests_is_told_and_dead(try_in, actor):
    result = try_in(actor, acting("subprocess.Popen(['sleep', '8125'], start_new_session=True)"), limits=SMALL)

    assert (result.verdict, result.effects.processes_left) == (Verdict.GOOD, ("sleep",))
    assert result.side_effects_detected
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"8125" in words(path)] == []


def words(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_sandbox_that_is_closed_in_the_middle_gives_no_good_verdict(new_tunnel, actor):
    tunnel = new_tunnel()

    def close(event):
        if event.kind == "test" and event.side == "changed":
            threading.Thread(target=tunnel.rig.sandbox.close).start()

    tests = "import calc, time\ndef test_act(): calc.add(0, 0)\ndef test_other(): time.sleep(calc.add(0, 0))\n"
    project = write(actor.parent / "closed", {"calc.py": CALC, "test_act.py": tests})

    result = tunnel.try_change(project, [modify("calc.py", "def add(a, b):\n    return 20\n")], **ONE_RUNNER, tell=close)

    assert (result.verdict, [report.reason for report in result.reports]) == (Verdict.NOT_GOOD, [Reason.CANCELLED])


# --- when we ourselves are ended ---

SUPERVISOR = """
import sys
from pathlib import Path
from windtunnel.config import Settings
from windtunnel.core.change import FileChange
from windtunnel.tunnel import Tunnel
folder = Path(sys.argv[1])
with Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache")) as tunnel:
    tunnel.try_change(
        folder / "project", [FileChange("calc.py", "modify", "import time\\ntime.sleep(50)\\n")], test="pytest", build="", lint="",
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, tell=lambda event: print(event.kind, event.side, flush=True))
"""


@pytest.fixture
def interrupted(tmp_path):
    """A process in the middle of a trial, and everything below it."""
    write(tmp_path / "project", SHOP)
    process = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert any(line == "step changed\n" for line in process.stdout), "the trial did not begin"
    assert wait_until(lambda: any(words(Path(f"/proc/{pid}/cmdline")).find(b"windtunnel_pytest") >= 0 for pid in descendants(process.pid)))
    yield process, descendants(process.pid)
    process.kill()
    process.wait()
    process.stdout.close()


def descendants(pid):
    found, pending = [], [pid]
    while pending:
        for task in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
            children = [int(word) for word in words(task).split()]
            found += children
            pending += children
    return found


def wait_until(true, seconds=10.0):
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def alive(pids):
    return [pid for pid in pids if words(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()[:1] not in ([], [b"Z"])]


def groups_of(pid):
    return {f"{folder}/{name}" for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names
            if name.startswith("windtunnel-") and f"-{pid}-" in name}


def test_a_trial_whose_process_is_killed_leaves_nothing(interrupted, tmp_path, new_tunnel):
    process, below = interrupted
    project, folders = state(tmp_path / "project"), leftovers()
    assert alive(below)

    process.kill()
    process.wait()

    assert wait_until(lambda: not alive(below), seconds=3), alive(below)
    assert new_tunnel().try_change(tmp_path / "project", [], **ONE_RUNNER).verdict is Verdict.GOOD
    assert groups_of(process.pid) == set()
    assert leftovers() <= folders
    assert not [line for line in mounts() if str(tmp_path) in line]
    assert state(tmp_path / "project") == project


def test_a_trial_that_is_interrupted_ends_soon(interrupted):
    process, below = interrupted

    process.send_signal(signal.SIGINT)

    assert wait_until(lambda: process.poll() is not None, seconds=5)
    assert wait_until(lambda: not alive(below), seconds=3), alive(below)
