"""Questions that wait for a person: durable, bound to what was asked, decided once, used once."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel.core.approval import State
from windtunnel.core.errors import UsageError
from windtunnel.store import approvals as module
from windtunnel.store.approvals import Approvals

ASKED = {"verb": "apply", "requester": "ann", "digest": "d" * 64, "summary": "3 files of /p", "rule": "r1", "policy": "p" * 64,
         "reason": "changes to CI files", "expires_seconds": 3600.0, "project": "/p"}


@pytest.fixture
def approvals(tmp_path):
    made = Approvals(tmp_path / "approvals.db")
    yield made
    made.close()


def use(approvals, **fields):
    return approvals.use(**{"digest": "d" * 64, "requester": "ann", "policy": "p" * 64, **fields})


def test_a_question_is_asked_once_however_often_it_is_put(approvals):
    first = approvals.request(**ASKED)

    assert (approvals.request(**ASKED), approvals.all(), first.state) == (first, [first], State.REQUESTED)


def test_an_approval_lets_one_act_go_on_once(approvals):
    asked = approvals.request(**ASKED)
    assert use(approvals) is None
    decided = approvals.decide(asked.id[:6], by="bob", approve=True, note="fine\nby me")

    used = use(approvals)

    assert (decided.state, decided.decided_by, decided.note) == (State.APPROVED, "bob", "fine by me")
    assert (used.id, used.state, use(approvals)) == (asked.id, State.USED, None)


@pytest.mark.parametrize("other", [{"digest": "e" * 64}, {"requester": "eve"}, {"policy": "q" * 64}])
def test_an_approval_is_for_exactly_what_was_asked(approvals, other):
    approvals.decide(approvals.request(**ASKED).id, by="bob", approve=True)

    assert use(approvals, **other) is None
    assert use(approvals) is not None


def test_who_asks_does_not_decide(approvals):
    asked = approvals.request(**ASKED)

    with pytest.raises(UsageError, match="ann asked for it, and somebody else has to decide"):
        approvals.decide(asked.id, by="ann", approve=True)

    assert approvals.get(asked.id).state is State.REQUESTED


def test_who_asks_may_decide_where_the_policy_says_so(approvals):
    asked = approvals.request(**ASKED, self_approval=True)

    assert approvals.decide(asked.id, by="ann", approve=True).state is State.APPROVED


def test_what_was_denied_stays_denied_and_may_be_asked_anew(approvals):
    asked = approvals.request(**ASKED)
    approvals.decide(asked.id, by="bob", approve=False)

    with pytest.raises(UsageError, match="is denied already"):
        approvals.decide(asked.id, by="carl", approve=True)

    assert (use(approvals), approvals.request(**ASKED).id == asked.id) == (None, False)


@pytest.mark.parametrize("approve", [True, None])
def test_after_its_time_a_question_and_its_approval_are_worth_nothing(approvals, monkeypatch, approve):
    asked = approvals.request(**ASKED)
    if approve:
        approvals.decide(asked.id, by="bob", approve=True)

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(hours=2)

    monkeypatch.setattr(module, "datetime", Later)

    assert (use(approvals), approvals.get(asked.id).state) == (None, State.EXPIRED)


def test_approvals_survive_a_restart(approvals, tmp_path):
    asked = approvals.request(**ASKED)
    approvals.close()

    assert Approvals(tmp_path / "approvals.db").all(State.REQUESTED) == [asked]


def test_of_many_who_use_one_approval_at_once_one_does(approvals):
    approvals.decide(approvals.request(**ASKED).id, by="bob", approve=True)
    start, got = threading.Barrier(8), []

    def work():
        start.wait(10)
        got.append(use(approvals))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert len([one for one in got if one is not None]) == 1


@pytest.mark.parametrize("name", ["", "zz", "%", "_"])
def test_a_name_that_is_none_is_said(approvals, name):
    approvals.request(**ASKED)

    with pytest.raises(UsageError, match="there is no approval that begins with"):
        approvals.get(name)


def test_a_name_that_could_be_two_is_said(approvals, monkeypatch):
    ids = iter(["ab1", "ab2"])
    monkeypatch.setattr(module.secrets, "token_hex", lambda _: next(ids))
    approvals.request(**ASKED)
    approvals.request(**{**ASKED, "digest": "e" * 64})

    with pytest.raises(UsageError, match="more than one approval begins with 'ab'"):
        approvals.get("ab")


def test_times_are_utc(approvals):
    asked = approvals.request(**ASKED)

    assert timedelta(seconds=3590) < datetime.fromisoformat(asked.expires) - datetime.now(UTC) <= timedelta(seconds=3600)
