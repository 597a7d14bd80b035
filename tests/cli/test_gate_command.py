"""``windtunnel gate`` as a person starts it, on a small project."""

import difflib
import json

import pytest

from windtunnel.api.exports.text import line_ranges
from windtunnel.cli.gate_text import gate_page
from windtunnel.core.gate import Doubt, GateResult, GateState, GateVerdict, Revert, Survivor, Witness
from windtunnel.core.mutation import Fate

SHOP = "def price(amount, discount):\n    total = amount - discount\n    return total\n"
FIXED = SHOP.replace("    return total\n", "    if total < 0:\n        return 0\n    return total\n")
TESTS = "from shop import price\n\n\ndef test_price():\n    assert price(5, 2) == 3\n"
NEW_TEST = TESTS + "\n\ndef test_never_below_nothing():\n    assert price(2, 5) == 0\n    assert price(3, 2) == 1\n"
ESCAPE = "\x1b[2J"


def patch(name, old, new):
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}")
    return "".join(lines)


@pytest.fixture
def gate(cli, tmp_path):
    """The command on a project with one test; patches come by standard input."""
    project = tmp_path / "shop"
    project.mkdir()
    (project / "shop.py").write_text(SHOP)
    (project / "test_shop.py").write_text(TESTS)
    (tmp_path / "fixed.txt").write_text(FIXED)
    quick = ("--test", "pytest", "--env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", "--compare", "0")

    def run(*arguments, stdin=""):
        return cli("gate", "--project", str(project), *quick, *arguments, stdin=stdin, seconds=150)

    return run


def test_a_sound_fix_is_good_and_says_which_test_fails_without_it(gate):
    done = gate("-", stdin=patch("shop.py", SHOP, FIXED) + patch("test_shop.py", TESTS, NEW_TEST))

    assert (done.returncode, done.stdout.split()[0]) == (0, "GOOD")
    assert "put back   the whole change: noticed by test_shop.py::test_never_below_nothing\n" in done.stdout


def test_a_hollow_fix_is_not_good_and_its_hunk_is_shown(gate, tmp_path):
    done = gate("--change", f"shop.py={tmp_path / 'fixed.txt'}")

    assert (done.returncode, done.stdout.startswith("NOT GOOD  hollow: no test fails without the change  (")) == (1, True)
    assert "hollow     shop.py:3-4  no test fails without it\n             -    if total < 0:\n" in done.stdout


def test_a_hollow_fix_can_be_allowed(gate):
    done = gate("-", "--allow-hollow", "--least", "0", stdin=patch("shop.py", SHOP, FIXED))

    assert done.returncode == 0


def test_a_change_of_tests_alone_is_nothing_judged(gate):
    done = gate("-", stdin=patch("test_shop.py", TESTS, NEW_TEST))

    assert (done.returncode, done.stdout.startswith("NOTHING JUDGED  the change touches tests alone  (")) == (2, True)


def test_the_whole_verdict_comes_as_json(gate):
    done = gate("-", "--json", stdin=patch("shop.py", SHOP, FIXED))
    told = json.loads(done.stdout)

    assert (done.returncode, told["verdict"], told["state"], told["hollow"], told["success"], told["hollow_parts"]) == (
        1, "not good", "judged", True, False, ["shop.py:3"])


@pytest.mark.parametrize("arguments", [("-", "--least", "2"), ("-", "--most-survivors", "-1"), ("-", "--jobs", "0"), ()])
def test_a_wrong_request_is_refused_before_anything_runs(gate, arguments):
    done = gate(*arguments, stdin=patch("shop.py", SHOP, FIXED))

    assert (done.returncode, done.stdout) == (2, "")


def test_the_act_is_in_the_audit_log(gate, cli):
    gate("-", stdin=patch("test_shop.py", TESTS, NEW_TEST))
    [told] = json.loads(cli("audit", "log", "--json").stdout)

    assert (told["kind"], told["outcome"], told["details"]["state"]) == (
        "gate", "nothing judged", "the change touches tests alone")


def test_a_policy_is_asked_by_the_name_of_the_verb(gate, cli, tmp_path):
    (tmp_path / "policy.yaml").write_text(
        "version: 1\ndefault: allow\nrules:\n  - id: no-gate\n    effect: deny\n    tool: gate\n    reason: not here\n")
    cli.env["WINDTUNNEL_POLICY"] = str(tmp_path / "policy.yaml")
    done = gate("-", stdin=patch("shop.py", SHOP, FIXED))

    assert (done.returncode, done.stdout, "not here" in done.stderr) == (2, "", True)


@pytest.mark.parametrize("command", ["try", "apply"])
def test_a_trial_with_the_gate_refuses_a_hollow_fix_and_applies_nothing(cli, tmp_path, gate, command):
    project = tmp_path / "shop"
    done = cli(command, "--project", str(project), "--gate", "-", "--test", "pytest", "--no-lint", "--no-build",
               "--env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", stdin=patch("shop.py", SHOP, FIXED), seconds=150)

    assert (done.returncode, (project / "shop.py").read_text()) == (1, SHOP)
    assert done.stdout.startswith("NOT GOOD  gate: hollow: no test fails without the change; ")


def test_thresholds_without_the_gate_are_refused(cli, tmp_path, gate):
    done = cli("try", "--project", str(tmp_path / "shop"), "--least", "0.9", "-", stdin=patch("shop.py", SHOP, FIXED))

    assert (done.returncode, "give --gate too" in done.stderr) == (2, True)


def test_nothing_that_a_terminal_would_obey_is_printed():
    survivor = Survivor(path=f"a{ESCAPE}.py", line=1, operator=ESCAPE, description=ESCAPE, fate=Fate.SURVIVED, diff=f"-{ESCAPE}\n+{ESCAPE}")
    revert = Revert(part="hunk", path=ESCAPE, line=1, end_line=2, fate=Fate.SURVIVED, by=ESCAPE, diff=f"-{ESCAPE}")
    page = gate_page(GateResult(
        verdict=GateVerdict.NOT_GOOD, state=GateState.JUDGED, reasons=(ESCAPE, ESCAPE), survivors=(survivor,), reverts=(revert,),
        untested={ESCAPE: (1,)}, set_aside=(ESCAPE,), notes=(ESCAPE,), hollow=True))

    assert [text for text, _ in page if "\x1b" in text] == []


def test_another_patch_that_cannot_be_read_is_named(gate):
    done = gate("-", "--alternative", "nowhere.patch", stdin=patch("shop.py", SHOP, FIXED))

    assert (done.returncode, "nowhere.patch" in done.stderr) == (2, True)


def doubted(state, **more):
    return gate_page(GateResult(verdict=GateVerdict.GOOD, state=GateState.JUDGED, doubt=Doubt(state=state, **more)))[1:]


def test_a_doubt_is_shown_with_its_witness():
    witness = Witness(function="price", arguments="amount=1", change="2", other="3", before="raises ValueError")

    assert doubted("hollow", reason="why", witness=witness) == [
        ("doubt      why", "red"),
        ("             price(amount=1)  the change: 2, another patch that passes: 3, before: raises ValueError", "")]


def test_what_could_not_be_compared_says_so():
    assert doubted("not judged", reason="no test calls the changed code") == [
        ("doubt      not judged: no test calls the changed code", "grey")]


def test_no_doubt_takes_no_line():
    assert doubted("none") == []


def test_nothing_in_a_witness_is_obeyed_by_a_terminal():
    witness = Witness(function=ESCAPE, arguments=ESCAPE, change=ESCAPE, other=ESCAPE, before=ESCAPE)

    assert [text for text, _ in doubted("doubtful", reason=ESCAPE, witness=witness) if "\x1b" in text] == []


def test_comments_by_which_the_change_would_exempt_itself_are_to_be_read_and_obeyed_by_no_terminal():
    page = gate_page(GateResult(verdict=GateVerdict.GOOD, state=GateState.JUDGED, exempting=(f"a.py:3: # pragma: no mutate {ESCAPE}",)))

    assert [text for text, _ in page if text.startswith("to read")] == [
        "to read    a.py:3: # pragma: no mutate \\x1b[2J  (mutated all the same)"]


def test_many_survivors_are_counted_and_not_all_listed():
    survivor = Survivor(path="a.py", line=1, operator="constants", description="1 → 2", fate=Fate.UNTESTED, diff="-1\n+2")
    page = gate_page(GateResult(verdict=GateVerdict.NOT_GOOD, state=GateState.JUDGED, survivors=(survivor,) * 30))

    assert page[-1] == ("           … 20 more", "grey")


@pytest.mark.parametrize(("lines", "words"), [((3,), "line 3"), ((3, 4, 5, 9), "lines 3-5, 9"), ((1, 3), "lines 1, 3")])
def test_lines_are_told_as_ranges(lines, words):
    assert line_ranges(lines) == words
