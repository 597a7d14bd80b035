"""What is spent and held of budgets: durable, never together more than there is, nothing held for ever."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from budget_worker import COUNTED as SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.allowance import MILLION, Allowance, Counted, Scope, Standing, Window
from windtunnel.core.errors import BudgetSpent, Refused, SandboxFailure
from windtunnel.store.allowances import Allowances

NOON = datetime(2026, 11, 16, 12, 30, tzinfo=UTC).timestamp()
WORKER = Path(__file__).parent / "budget_worker.py"


class Clock:
    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    made = Allowances(tmp_path / "budgets.db", clock=clock)
    yield made
    made.close()


def budget(scope=Scope.ACTOR, name="ann", per=None, id_="b", **amounts):
    return Counted(name=name, allowance=Allowance(id=id_, scope=scope, per=per, policy="p" * 64, amounts={
        kind.replace("_USD", " USD"): amount * MILLION for kind, amount in amounts.items()}))


def stand(store, *counted):
    return [(one.spent, one.reserved, one.left) for one in store.standings(counted)]


def test_what_is_held_is_not_left_and_what_is_settled_is_spent(store):
    day = budget(wall_seconds=10)
    held = store.reserve([day], {"wall_seconds": 4 * MILLION}, seconds=4)
    during = stand(store, day)

    store.settle(held, {"wall_seconds": MILLION})

    assert (held.granted, held.by, during, stand(store, day)) == (
        {"wall_seconds": 4 * MILLION}, {}, [(0, 4 * MILLION, 6 * MILLION)], [(MILLION, 0, 9 * MILLION)])


def test_more_than_is_left_is_lowered_to_it_and_the_budget_is_named(store):
    wide, narrow = budget(wall_seconds=10, id_="wide"), budget(Scope.TOTAL, "", wall_seconds=3, id_="narrow")

    held = store.reserve([wide, narrow], {"wall_seconds": 20 * MILLION}, seconds=20)

    assert (held.granted, held.by["wall_seconds"].budget) == ({"wall_seconds": 3 * MILLION}, "narrow")
    assert stand(store, wide, narrow) == [(0, 3 * MILLION, 7 * MILLION), (0, 3 * MILLION, 0)]


def test_a_spent_budget_is_refused_with_its_name_its_amount_and_its_end(store):
    day = budget(per=Window.DAY, acts=2)
    for _ in range(2):
        store.take([day], {"acts": MILLION})

    with pytest.raises(BudgetSpent) as caught:
        store.take([day], {"acts": MILLION})

    assert isinstance(caught.value, Refused)
    assert str(caught.value) == ("refused by policy: the budget b of the actor ann has 2 acts spent of 2 acts; it begins anew at "
                                 "2026-11-17T00:00:00+00:00 (budgets.b)")
    assert (caught.value.code, caught.value.decision.policy, caught.value.standing) == ("budget-spent", "p" * 64, Standing(
        budget="b", scope=Scope.ACTOR, name="ann", kind="acts", amount=2 * MILLION, spent=2 * MILLION, reserved=0, per=Window.DAY,
        until="2026-11-17T00:00:00+00:00", policy="p" * 64))


def test_money_is_spent_whole_or_not_at_all(store):
    purse = budget(money_USD=1)
    store.take([purse], {"money USD": 600_000})

    with pytest.raises(BudgetSpent, match=r"has 0\.6 USD spent of 1 USD; it never begins anew"):
        store.take([purse], {"money USD": 400_001})

    assert stand(store, purse) == [(600_000, 0, 400_000)]


def test_the_first_of_an_act_is_refused_where_another_kind_is_spent_and_the_rest_is_not(store):
    both = budget(acts=5, money_USD=0)

    with pytest.raises(BudgetSpent, match="0 USD"):
        store.take([both], {"acts": MILLION}, first=True)
    store.take([both], {"acts": MILLION})

    assert stand(store, both)[0] == (MILLION, 0, 4 * MILLION)


@pytest.mark.parametrize(("per", "later"), [
    (Window.HOUR, "2026-11-16T13:00"), (Window.DAY, "2026-11-17T00:00"), (Window.WEEK, "2026-11-23T00:00"), (Window.MONTH, "2026-12-01T00:00")])
def test_a_budget_begins_anew_with_its_window_and_not_before(store, clock, per, later):
    one, until = budget(per=per, acts=3), datetime.fromisoformat(later).replace(tzinfo=UTC).timestamp()
    store.take([one], {"acts": MILLION})

    clock.now = until - 1
    before = stand(store, one)
    clock.now = until

    assert (before, stand(store, one)) == ([(MILLION, 0, 2 * MILLION)], [(0, 0, 3 * MILLION)])


def test_a_budget_without_a_window_never_begins_anew(store, clock):
    ever = budget(acts=3)
    store.take([ever], {"acts": MILLION})
    clock.now += 10 * 365 * 86_400

    assert stand(store, ever) == [(MILLION, 0, 2 * MILLION)]


def test_what_was_spent_counts_also_after_the_clock_was_set_back(store, clock):
    day = budget(per=Window.DAY, acts=1)
    store.take([day], {"acts": MILLION})
    clock.now -= 5 * 86_400

    with pytest.raises(BudgetSpent):
        store.take([day], {"acts": MILLION})


def test_a_renamed_or_raised_budget_goes_on_from_where_it_stood(store):
    store.take([budget(acts=3, id_="old")], {"acts": MILLION})

    assert stand(store, budget(acts=9, per=Window.MONTH, id_="new")) == [(MILLION, 0, 8 * MILLION)]


def test_what_several_budgets_count_is_charged_once(store):
    hour, day = budget(per=Window.HOUR, acts=5, id_="hour"), budget(per=Window.DAY, acts=9, id_="day")

    store.take([hour, day], {"acts": MILLION})

    assert stand(store, hour, day) == [(MILLION, 0, 4 * MILLION), (MILLION, 0, 8 * MILLION)]


def test_one_actor_does_not_spend_anothers(store):
    store.take([budget(name="ann", acts=1)], {"acts": MILLION})

    store.take([budget(name="bob", acts=1)], {"acts": MILLION})

    assert store.names(Scope.ACTOR) == ["ann", "bob"]


def test_more_than_was_held_is_charged_all_the_same(store):
    one = budget(wall_seconds=5)
    held = store.reserve([one], {"wall_seconds": 2 * MILLION}, seconds=2)

    store.settle(held, {"wall_seconds": 3 * MILLION})

    assert stand(store, one) == [(3 * MILLION, 0, 2 * MILLION)]


def test_what_was_settled_once_is_not_charged_again(store):
    one = budget(wall_seconds=5)
    held = store.reserve([one], {"wall_seconds": 2 * MILLION}, seconds=2)
    store.settle(held, {"wall_seconds": MILLION})

    store.settle(held, {"wall_seconds": MILLION})

    assert stand(store, one) == [(MILLION, 0, 4 * MILLION)]


def holding(path, *kinds):
    """A process that was killed while it held something."""
    code = (f"from windtunnel.core.allowance import *; from windtunnel.store.allowances import Allowances; import os, signal\n"
            f"one = Counted(name='ann', allowance=Allowance(id='b', scope=Scope.ACTOR, amounts={{k: 9 * MILLION for k in {kinds!r}}}))\n"
            f"Allowances({str(path)!r}, clock=lambda: {NOON}).reserve([one], {{k: 5 * MILLION for k in {kinds!r}}}, seconds=5)\n"
            "os.kill(os.getpid(), signal.SIGKILL)")
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == -signal.SIGKILL


def test_what_a_killed_process_held_is_charged_by_the_next_with_as_much_as_it_can_have_used(store, clock, tmp_path):
    holding(tmp_path / "budgets.db", "wall_seconds", "money USD")
    clock.now += 2

    assert stand(store, budget(wall_seconds=9, money_USD=9)) == [(2 * MILLION + 1, 0, 7 * MILLION - 1), (5 * MILLION, 0, 4 * MILLION)]


def test_what_a_killed_process_held_is_never_charged_above_what_it_held(store, clock, tmp_path):
    holding(tmp_path / "budgets.db", "wall_seconds")
    clock.now += 2000

    assert stand(store, budget(wall_seconds=9)) == [(5 * MILLION, 0, 4 * MILLION)]


def test_by_a_clock_that_went_back_a_killed_process_is_charged_all_that_it_held(store, clock, tmp_path):
    holding(tmp_path / "budgets.db", "wall_seconds")
    clock.now -= 60

    assert stand(store, budget(wall_seconds=9)) == [(5 * MILLION, 0, 4 * MILLION)]


def test_what_a_process_held_that_cannot_be_judged_from_here_comes_free_long_after_its_time(store, clock, tmp_path):
    one = budget(wall_seconds=9)
    held = store.reserve([one], {"wall_seconds": 5 * MILLION}, seconds=5)
    store.close()
    with sqlite3.connect(tmp_path / "budgets.db") as connection:
        connection.execute("UPDATE held SET owner = 'another-machine/1 boot 7 7'")
    connection.close()
    clock.now += 3600
    meanwhile = stand(store, one)

    clock.now += 25 * 3600
    after = stand(store, one)
    store.settle(held, {"wall_seconds": MILLION})

    assert (meanwhile, after, stand(store, one)) == (
        [(0, 5 * MILLION, 4 * MILLION)], [(5 * MILLION, 0, 4 * MILLION)], [(5 * MILLION, 0, 4 * MILLION)])


def test_sessions_are_forgotten_long_after_their_last_act_and_actors_are_not(store, clock, tmp_path):
    store.take([budget(Scope.SESSION, "s", acts=3), budget(acts=3)], {"acts": MILLION})
    clock.now += 91 * 86_400
    later = Allowances(tmp_path / "budgets.db", clock=clock)

    assert (later.names(Scope.SESSION), later.names(Scope.ACTOR)) == ([], ["ann"])


def test_spending_survives_a_restart(store, tmp_path, clock):
    store.take([budget(acts=3)], {"acts": MILLION})
    store.close()

    assert stand(Allowances(tmp_path / "budgets.db", clock=clock), budget(acts=3)) == [(MILLION, 0, 2 * MILLION)]


def test_a_foreign_file_is_refused_and_stays_as_it_is(tmp_path):
    (tmp_path / "budgets.db").write_bytes(b"not a database, and longer than its head would be" * 99)
    before = (tmp_path / "budgets.db").read_bytes()

    with pytest.raises(SandboxFailure, match="the record of budgets cannot be used"):
        Allowances(tmp_path / "budgets.db").standings([budget(acts=1)])

    assert (tmp_path / "budgets.db").read_bytes() == before


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8), st.booleans()), max_size=25), st.integers(0, 20))
def test_spent_and_held_together_never_exceed_the_budget(tmp_path_factory, acts, amount):
    store = Allowances(tmp_path_factory.mktemp("budget") / "budgets.db", clock=Clock())
    one, open_ = budget(wall_seconds=amount), []
    for wanted, used, settle in acts:
        with contextlib.suppress(BudgetSpent):
            open_.append((store.reserve([one], {"wall_seconds": wanted * MILLION}, seconds=9), used))
        if settle and open_:
            held, part = open_.pop(0)
            store.settle(held, {"wall_seconds": min(part * MILLION, held.granted["wall_seconds"])})
        ((spent, reserved, left),) = stand(store, one)
        assert spent + reserved + left == amount * MILLION
    store.close()


def test_many_threads_take_no_more_than_there_is(store):
    one, start, got = budget(acts=10), threading.Barrier(8), []

    def work():
        start.wait(30)
        for _ in range(4):
            try:
                store.take([one], {"acts": MILLION})
                got.append(1)
            except BudgetSpent:
                got.append(0)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert (len(got), sum(got), stand(store, one)) == (32, 10, [(10 * MILLION, 0, 0)])


def test_what_was_taken_is_given_back_where_another_budget_refuses(store):
    acts, time_ = budget(acts=5), budget(name="bob", wall_seconds=3)
    store.reserve([time_], {"wall_seconds": 3 * MILLION}, seconds=9)
    taken = store.take([acts], {"acts": MILLION})

    with pytest.raises(BudgetSpent, match="wall seconds reserved"):
        store.reserve([acts, time_], {"wall_seconds": MILLION}, seconds=9, back=taken)

    assert stand(store, acts) == [(0, 0, 5 * MILLION)]


def test_what_is_given_back_is_given_back_to_the_hour_that_it_was_taken_from(store, clock):
    hourly, time_ = budget(per=Window.HOUR, acts=5), budget(name="bob", wall_seconds=0)
    taken = store.take([hourly], {"acts": MILLION})
    clock.now += 3600

    with pytest.raises(BudgetSpent):
        store.reserve([time_], {"wall_seconds": MILLION}, seconds=9, back=taken)

    assert stand(store, hourly, budget(acts=5)) == [(0, 0, 5 * MILLION)] * 2


def test_many_processes_of_which_some_are_killed_spend_no_more_than_there_is_and_nothing_is_lost(tmp_path):
    path = tmp_path / "budgets.db"
    workers = [subprocess.Popen([sys.executable, str(WORKER), str(path), str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for seed in range(4)]
    store, seen = Allowances(path), []
    ready = [worker.stdout.readline() for worker in workers]
    for worker in workers:
        worker.stdin.write(b"go\n")
        worker.stdin.close()
    while any(worker.poll() is None for worker in workers):
        seen += stand(store, *SHARED)
    told = [int(line) for worker in workers for line in worker.stdout]
    for worker in workers:
        worker.stdout.close()
    ((spent, reserved, _),) = stand(store, *SHARED)
    store.close()

    assert ([worker.returncode for worker in workers], ready) == ([0, -signal.SIGKILL, 0, -signal.SIGKILL], [b"0\n"] * 4)
    assert all(one + other <= 30 * MILLION for one, other, _ in seen)
    assert (reserved, sum(told) <= spent <= 30 * MILLION) == (0, True)


def test_programs_that_held_less_than_they_use_would_together_spend_more_than_there_is(store):
    one = budget(wall_seconds=5)
    little, all_of_it = ({"wall_seconds": amount * MILLION} for amount in (1, 5))
    for held in [store.reserve([one], little, seconds=1) for _ in range(3)]:
        store.settle(held, all_of_it)
    overrun = stand(store, one)

    other = budget(name="bob", wall_seconds=5)
    held = store.reserve([other], all_of_it, seconds=5)
    with pytest.raises(BudgetSpent, match="5 wall seconds reserved until what is under way has ended of 5 wall seconds"):
        store.reserve([other], all_of_it, seconds=5)
    store.settle(held, all_of_it)

    assert (overrun, stand(store, other)) == ([(15 * MILLION, 0, 0)], [(5 * MILLION, 0, 0)])
