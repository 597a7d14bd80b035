"""Verdicts of the gate that are kept: taken over only while all that they rest on is the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trials import QUICK, modify, write

from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.gate import GateResult, GateState, GateVerdict, Revert, Survivor, Thresholds
from windtunnel.core.limits import Limits
from windtunnel.core.mutation import Fate, Weakness, WeakTest
from windtunnel.engine.gate import Gate
from windtunnel.engine.gate_memory import keep, kept, key_of
from windtunnel.store.fates import Fates

SHOP = "def price(amount, discount):\n    return amount - discount\n"
FIXED = "def price(amount, discount):\n    return max(amount - discount, 0)\n"
TESTS = "from shop import price\n\n\ndef test_price():\n    assert (price(5, 2), price(2, 5)) == (3, 0)\n"
FILES = {"shop.py": SHOP, "test_shop.py": TESTS, "data.txt": "x", "conftest.py": ""}
CHANGE = modify("shop.py", FIXED)
FOUND = GateResult(
    verdict=GateVerdict.GOOD, state=GateState.JUDGED, reasons=("why",), score=0.5, counts={Fate.KILLED: 1, Fate.SURVIVED: 1},
    survivors=(Survivor(path="a.py", line=1, operator="o", description="d", fate=Fate.SURVIVED, diff="-a\n+b"),),
    untested={"a.py": (1, 2)}, reverts=(Revert(part="change", path="a.py", line=1, end_line=2, fate=Fate.KILLED, by="t"),),
    hollow=False, tests=1, weak=(WeakTest(test="t", reason=Weakness.NEVER_FIRST, reached=1),), notes=("note",))


class Kept:
    """A place for verdicts, in memory."""

    def __init__(self):
        self.rows = {}

    def verdict(self, project, key):
        return self.rows.get((project, key))

    def keep_verdict(self, project, key, text):
        self.rows[project, key] = (0.0, text)


class Broken(Kept):
    def verdict(self, project, key):
        raise SandboxFailure("no such file")

    def keep_verdict(self, project, key, text):
        raise SandboxFailure("no such file")


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "shop", FILES)


@pytest.fixture
def key(tunnel, project):
    """The digest of what a verdict rests on."""
    def of(change=CHANGE, thresholds=None, rig=None, **options):
        asked = Gate(project=project, changes=[change], **{"test": "pytest", **options})
        return key_of(rig or tunnel.rig, asked, ChangeSet(changes=(change,)), folder=Folder(project),
                      thresholds=thresholds or Thresholds())

    return of


def test_the_same_rests_on_the_same(key):
    assert key() == key() != ""


@pytest.mark.parametrize("files", [
    {"shop.py": SHOP + "#\n"}, {"test_shop.py": TESTS + "#\n"}, {"data.txt": "y"}, {"conftest.py": "x = 1\n"}, {"new.txt": ""},
    {"pytest.ini": "[pytest]\n"}], ids=lambda files: next(iter(files)))
def test_any_other_file_is_something_else_to_rest_on(key, project, files):
    before = key()
    write(project, files)

    assert key() != before


@pytest.mark.parametrize("asked", [
    {"change": modify("shop.py", FIXED + "#\n")}, {"test": "pytest -v"}, {"env": {"A": "1"}}, {"sample": 0}, {"seconds": 1.0},
    {"files": ("test_shop.py",)}, {"limits": Limits(wall_seconds=9.0)}, {"thresholds": Thresholds(least=0.9)}], ids=lambda asked: next(iter(asked)))
def test_any_other_question_is_something_else_to_rest_on(key, asked):
    assert key(**asked) != key()


def test_another_mode_or_a_link_is_something_else_to_rest_on(key, project):
    found = [key()]
    (project / "data.txt").chmod(0o755)
    found.append(key())
    (project / "link").symlink_to("data.txt")
    found.append(key())

    assert len(set(found)) == 3


def test_what_installed_tests_do_not_run_by_pytest_is_not_kept(key):
    assert key(test="true") == ""


def test_a_verdict_comes_back_whole_with_a_word_about_its_age():
    asked = Gate(project=".", changes=(), verdicts=Kept())
    keep(asked, "p", "k", result=FOUND)
    found = kept(asked, "p", "k")

    assert replace(found, id=FOUND.id, notes=found.notes[:-1]) == FOUND
    assert "nothing that it rests on has changed since, so nothing was run" in found.notes[-1]
    assert found.id != FOUND.id


@pytest.mark.parametrize(("result", "asked"), [
    (replace(FOUND, verdict=GateVerdict.NOTHING_JUDGED), "k"), (replace(FOUND, set_aside=("t",)), "k"), (FOUND, "")],
    ids=["nothing judged", "a test set aside", "no digest"])
def test_what_chance_took_part_in_is_not_kept(result, asked):
    place = Kept()
    keep(Gate(project=".", changes=(), verdicts=place), "p", asked, result=result)

    assert place.rows == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"verdict": "good"}', '{"verdict": "good", "state": "judged", "other": 1}', "nothing"])
def test_what_is_no_verdict_is_found_anew(text):
    place = Kept()
    place.keep_verdict("p", "k", text)

    assert kept(Gate(project=".", changes=(), verdicts=place), "p", "k") is None


def test_where_nothing_can_be_kept_the_gate_does_without():
    asked = Gate(project=".", changes=(), verdicts=Broken())

    assert (kept(asked, "p", "k"), keep(asked, "p", "k", result=FOUND)) == (None, None)


def test_the_newest_verdicts_of_a_project_are_kept(tmp_path):
    now = iter(range(1000))
    fates = Fates(tmp_path / "fates.db", clock=lambda: float(next(now)))
    for number in range(205):
        fates.keep_verdict("p", str(number), "{}")
    found = [number for number in range(205) if fates.verdict("p", str(number)) is not None]
    fates.close()

    assert found == list(range(5, 205))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_who_asks_the_same_again_gets_the_same_answer_and_anew_on_demand(tunnel, project):
    def ask(**options):
        return tunnel.gate(project, [CHANGE], test="pytest", env=QUICK, sample=0, seconds=150.0,
                           thresholds=Thresholds(least=0, doubt="skip"), **options)

    first, second, third = ask(), ask(), ask(keep=False)

    assert [("found on" in "".join(one.notes), one.verdict, one.counts) for one in (first, second, third)] == [
        (False, first.verdict, first.counts), (True, first.verdict, first.counts), (False, first.verdict, first.counts)]
