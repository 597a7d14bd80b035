"""Questions that wait for a person: durable, bound to what was asked, decided once, used once."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from windtunnel.core.approval import State
from windtunnel.core.errors import UsageError
from windtunnel.store import approvals as module
from windtunnel.store.approvals import Approvals
from windtunnel.store.database import Database

ASKED = {"verb": "apply", "requester": "ann", "digest": "d" * 64, "summary": "3 files of /p", "rule": "r1", "policy": "p" * 64,
         "reason": "changes to CI files", "expires_seconds": 3600.0, "project": "/p"}


@pytest.fixture
def approvals(tmp_path):
    made = Approvals(tmp_path / "approvals.db")
    yield made
    made.close()


def at(monkeypatch, **later):
    """The clock shows another time."""
    class Other(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(**later)

    monkeypatch.setattr(module, "datetime", Other)


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

    at(monkeypatch, hours=2)

    assert (use(approvals), approvals.get(asked.id).state) == (None, State.EXPIRED)


def test_what_was_seen_to_be_over_its_time_stays_so_when_the_clock_comes_back(approvals, monkeypatch):
    asked = approvals.request(**ASKED)
    at(monkeypatch, hours=25)
    with pytest.raises(UsageError, match="is expired already"):
        approvals.decide(asked.id, by="bob", approve=True)
    at(monkeypatch, hours=0)

    with pytest.raises(UsageError, match="is expired already"):
        approvals.decide(asked.id, by="bob", approve=True)

    assert approvals.get(asked.id).state is State.EXPIRED


@pytest.mark.parametrize("name", ["ANN", " ann", "\uff41nn", "\u0430\u043f\u043f", "\u0391\u039d\u039d", "a\u034fnn"])
def test_another_way_of_writing_a_name_is_no_other_person(approvals, name):
    asked = approvals.request(**ASKED)

    with pytest.raises(UsageError, match="asked for it, and somebody else has to decide"):
        approvals.decide(asked.id, by=name, approve=True)


def test_a_name_of_mixed_letters_does_not_decide(approvals):
    asked = approvals.request(**{**ASKED, "requester": "root"})

    with pytest.raises(UsageError, match="mixes letters of CYRILLIC and LATIN"):
        approvals.decide(asked.id, by="r\u043e\u043et", approve=True)

    assert approvals.get(asked.id).state is State.REQUESTED


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


@pytest.mark.parametrize("name", ["Ann", " ann ", "ANN", "\uff41\uff4e\uff4e"])
def test_who_asks_does_not_decide_by_another_spelling_of_the_name(approvals, name):
    asked = approvals.request(**ASKED)

    with pytest.raises(UsageError, match="somebody else has to decide"):
        approvals.decide(asked.id, by=name, approve=True)


def test_of_two_who_decide_at_once_one_does_and_the_other_is_told(approvals):
    asked, start, got = approvals.request(**ASKED), threading.Barrier(8), []

    def work(number):
        start.wait(30)
        try:
            got.append(approvals.decide(asked.id, by=f"person {number}", approve=number % 2 == 0).decided_by)
        except UsageError as error:
            got.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    decided = approvals.get(asked.id)
    assert sorted(got) == sorted([decided.decided_by, *[f"approval: {asked.id} is {decided.state} already"] * 7])


def test_nothing_is_decided_by_less_than_six_letters_of_its_id(approvals):
    asked = approvals.request(**ASKED)

    with pytest.raises(UsageError, match="name at least 6 letters of it"):
        approvals.decide(asked.id[:5], by="bob", approve=True)

    assert approvals.get(asked.id).state is State.REQUESTED


@pytest.mark.parametrize("forged", ["0" * 12, "x' OR '1'='1", "______", "%%%%%%", "\x00" * 6, "a" * 5000])
def test_an_id_that_was_never_given_decides_nothing(approvals, forged):
    approvals.request(**ASKED)

    with pytest.raises(UsageError, match="there is no approval that begins with"):
        approvals.decide(forged, by="bob", approve=True)

    assert [one.state for one in approvals.all()] == [State.REQUESTED]


@pytest.mark.parametrize("approve", [True, None])
def test_by_a_clock_set_back_to_before_it_was_asked_a_question_and_its_approval_are_worth_nothing(approvals, monkeypatch, approve):
    asked = approvals.request(**ASKED)
    if approve:
        approvals.decide(asked.id, by="bob", approve=True)
    at(monkeypatch, days=-30)

    assert (use(approvals), approvals.get(asked.id).state) == (None, State.EXPIRED)


def test_a_clock_that_is_kept_right_takes_nothing_away(approvals, monkeypatch):
    approvals.decide(approvals.request(**ASKED).id, by="bob", approve=True)
    at(monkeypatch, seconds=-20)

    assert use(approvals) is not None


def test_an_approval_given_by_a_clock_ahead_is_worth_nothing_when_it_is_right_again(approvals, monkeypatch):
    asked = approvals.request(**ASKED)
    with monkeypatch.context() as ahead:
        at(ahead, minutes=30)
        approvals.decide(asked.id, by="bob", approve=True)

    assert (use(approvals), approvals.get(asked.id).state) == (None, State.EXPIRED)


def test_nobody_is_buried_under_questions(approvals, monkeypatch):
    monkeypatch.setattr(module, "_MOST_OPEN", 3)
    for number in range(3):
        approvals.request(**{**ASKED, "digest": str(number)})

    with pytest.raises(UsageError, match="ann has 3 questions open already"):
        approvals.request(**{**ASKED, "digest": "one more"})

    assert (len(approvals.all()), approvals.request(**{**ASKED, "digest": "2"}).digest, approvals.request(**{**ASKED, "requester": "eve"}).requester) == (3, "2", "eve")


def test_what_is_to_be_done_can_be_looked_at(approvals):
    asked = approvals.request(**ASKED, inputs='{"code": "…"}')

    assert (approvals.inputs(asked.id[:8]), approvals.inputs(approvals.request(**{**ASKED, "digest": "e"}).id)) == ('{"code": "…"}', "")


def test_the_key_of_the_digests_stays_the_same(approvals, tmp_path):
    first = approvals.secret()
    approvals.close()

    assert (len(first), Approvals(tmp_path / "approvals.db").secret()) == (32, first)


def test_a_file_of_the_first_version_keeps_its_questions(tmp_path):
    before = Database(tmp_path / "approvals.db", replace(module.SHAPE, migrations=module.SHAPE.migrations[:1]))
    row = ("abcdef012345", "apply", "ann", "d" * 64, "s", "r", "p" * 64, "why", "2026-01-01T00:00:00.000000+00:00", "2999-01-01T00:00:00.000000+00:00",
           "requested", "/p", 0, "", "", "")
    before.do(lambda connection: connection.execute(f"INSERT INTO approvals VALUES ({', '.join('?' * len(row))})", row))
    before.close()

    assert (Approvals(tmp_path / "approvals.db").all()[0].id, Approvals(tmp_path / "approvals.db").inputs("abcdef")) == ("abcdef012345", "")
