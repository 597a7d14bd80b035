"""Budgets as values: amounts without rounding, windows by the calendar."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.allowance import MILLION, Scope, Standing, Window, millionths, money, said
from windtunnel.core.errors import UsageError


@pytest.mark.parametrize(("window", "moment", "begin", "end"), [
    ("hour", "2026-11-16T09:59:59.9", "2026-11-16T09:00", "2026-11-16T10:00"),
    ("day", "2026-11-16T23:59", "2026-11-16T00:00", "2026-11-17T00:00"),
    ("week", "2026-11-22T12:00", "2026-11-16T00:00", "2026-11-23T00:00"),
    ("week", "2027-01-01T12:00", "2026-12-28T00:00", "2027-01-04T00:00"),
    ("month", "2026-12-31T23:59", "2026-12-01T00:00", "2027-01-01T00:00"),
    ("month", "2028-02-29T00:00", "2028-02-01T00:00", "2028-03-01T00:00"),
])
def test_a_window_is_one_of_the_calendar(window, moment, begin, end):
    found = Window(window).around(datetime.fromisoformat(moment).replace(tzinfo=UTC))

    assert found == (datetime.fromisoformat(begin).replace(tzinfo=UTC), datetime.fromisoformat(end).replace(tzinfo=UTC))


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1)), st.sampled_from(list(Window)))  # noqa: DTZ001
def test_every_moment_is_in_its_window_and_its_end_is_in_the_next(moment, window):
    moment = moment.replace(tzinfo=UTC)

    begin, end = window.around(moment)

    assert begin <= moment < end
    assert window.around(end)[0] == end


def test_a_window_is_of_utc_wherever_one_is():
    moment = datetime(2026, 11, 16, 23, 30, tzinfo=timezone(timedelta(hours=-5)))

    assert Window.DAY.around(moment)[0] == datetime(2026, 11, 17, tzinfo=UTC)


@pytest.mark.parametrize(("text", "expected"), [
    ("5.00 USD", ("money USD", 5 * MILLION)), ("0 EUR", ("money EUR", 0)), ("0.000001 USD", ("money USD", 1)),
    ("0.0000001 USD", ("money USD", 1)), ("0.1 USD", ("money USD", 100_000)), ("1000000000 USD", ("money USD", 10**15)),
])
def test_money_is_exact_and_less_than_a_millionth_counts_as_one(text, expected):
    assert money(text) == expected


@pytest.mark.parametrize("text", ["5", "5.00", "5 usd", "-1 USD", "1e3 USD", "5  USD", "5 USD ", ".5 USD", "1000000001 USD", "1,5 USD", "\u0665 USD", 5, 5.0, None])
def test_what_is_no_amount_of_money_is_refused(text):
    with pytest.raises(UsageError, match="money: not an amount of money") as caught:
        money(text)

    assert caught.value.field == "money"


@pytest.mark.parametrize(("amount", "expected"), [
    (0.1, 100_000), (3, 3 * MILLION), ("1e-9", 1), (1e-09, 1), (float("nan"), None), (float("inf"), None), (-1, None), (10**9 + 1, None), ("x", None),
])
def test_a_number_becomes_millionths_as_it_was_written(amount, expected):
    assert millionths(amount) == expected


@pytest.mark.parametrize(("kind", "amount", "expected"), [
    ("wall_seconds", 3_600_000_000, "3600 wall seconds"), ("cpu_seconds", 1, "0.000001 cpu seconds"), ("acts", 3 * MILLION, "3 acts"),
    ("money USD", 1_500_000, "1.5 USD"), ("money USD", 0, "0 USD"), ("money USD", 100 * MILLION, "100 USD"),
])
def test_an_amount_is_said_as_people_say_it(kind, amount, expected):
    assert said(kind, amount) == expected


def test_what_is_left_is_never_below_nothing():
    standing = Standing(budget="b", scope=Scope.ACTOR, name="ann", kind="acts", amount=5, spent=4, reserved=3)

    assert standing.left == 0
