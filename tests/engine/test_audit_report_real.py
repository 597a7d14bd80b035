"""A report of real acts: what tunnels write down is what a report reads."""

from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, WRONG, modify, write

from windtunnel import Tunnel, config
from windtunnel.core.errors import ApprovalNeeded, Refused
from windtunnel.engine.audit import trail_in
from windtunnel.engine.receipt import sign_receipt
from windtunnel.engine.report.check import check_pack
from windtunnel.engine.report.pack import make_pack
from windtunnel.engine.report.summary import Wanted

POLICY = """\
version: 1
default: allow
rules:
  - {id: ask-apply, effect: ask, tool: apply, reason: a person looks at every change}
  - {id: no-shell, effect: deny, tool: run, when: "'bash' in request.languages", reason: no shells here}
"""


@pytest.fixture(scope="module")
def acted(tmp_path_factory):
    """A change that was tried, asked for, approved by somebody else and applied; a run that was denied; their report."""
    folder = tmp_path_factory.mktemp("acted")
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "shop").mkdir()
    shop = write(folder / "shop", {"calc.py": WRONG, "test_calc.py": "import calc\ndef test_add():\n    assert calc.add(2, 3) == 5\n"})
    base = replace(config.load(), state_dir=folder / "state", cache_dir=folder / "cache", pool_size=0, policy=folder / "policy.yaml")
    with Tunnel(replace(base, actor="ann")) as ann, Tunnel(replace(base, actor="bob")) as bob:
        result = ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
        with pytest.raises(ApprovalNeeded) as asked:
            ann.apply(shop, result)
        bob.decide(asked.value.approval, approve=True, note="fine")
        ann.apply(shop, result)
        with pytest.raises(Refused):
            ann.run("echo hi", "bash")
    trail = trail_in(folder / "state")
    receipt = sign_receipt(result, trail.keys.current())
    make_pack(trail, Wanted(until="9999"), folder / "pack", actor="ann", receipts=[receipt])
    yield result, asked.value.approval, check_pack(folder / "pack", trail.keys.public()).report
    trail.log.close()


def rows(report, name, *fields):
    return [tuple(row[field] for field in fields) for row in report["content"][name]["rows"]]


def test_the_apply_has_its_change_verdict_approver_rule_and_policy(acted):
    result, approval, report = acted
    (policy,) = report["content"]["policies"]["in_force"]

    assert rows(report, "applies", "actor", "change", "trial", "tree", "files", "verdict", "approver", "approval", "approval_seen", "rule", "policy") == [
        ("ann", result.changes.digest(), result.id, result.tree, 1, "good", "bob", approval, True, "ask-apply", policy["hash"])]


def test_the_question_and_the_answer_are_there(acted):
    _, approval, report = acted

    assert rows(report, "asked", "kind", "actor", "approval", "rule", "reason") == [
        ("apply", "ann", approval, "ask-apply", "a person looks at every change")]
    assert rows(report, "decided", "decision", "actor", "requester", "approval", "rule", "note") == [
        ("approve", "bob", "ann", approval, "ask-apply", "fine")]


def test_the_denial_is_there_with_its_rule(acted):
    *_, report = acted

    assert rows(report, "refusals", "kind", "outcome", "rule", "why") == [
        ("run", "denied", "no-shell", "refused by policy: no shells here (no-shell)")]


def test_the_trial_is_there_with_its_receipt_and_what_held(acted):
    result, _, report = acted

    assert rows(report, "trials", "trial", "verdict", "change", "tree", "level") == [
        (result.id, "good", result.changes.digest(), result.tree, str(result.level))]
    assert [(one["trial"], one["verdict"]) for one in report["receipts"]] == [(result.id, "good")]
    assert {row["name"] for row in report["content"]["isolation"]["levels"]} == {str(result.level)}
    assert set(result.enforced) <= set(report["content"]["isolation"]["controls"])
