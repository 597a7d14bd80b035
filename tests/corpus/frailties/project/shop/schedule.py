"""When things happen."""

import calendar
import time
from datetime import date, datetime, timedelta, timezone


def time_a_step() -> int:
    """How many whole minutes a step took; a step takes no minute."""
    begun = time.time()
    sum(range(1000))
    taken = time.time() - begun
    if not 0 <= taken < 60:
        raise ValueError(f"a step of {taken:.0f} seconds is not possible")
    return int(taken // 60)


def time_a_step_steadily() -> int:
    """The same by a clock that nobody sets."""
    begun = time.monotonic()
    sum(range(1000))
    return int((time.monotonic() - begun) // 60)


def session_is_fresh(minutes: int = 15) -> bool:
    """Whether a session that begins now is still good when it is first used.

    >>> session_is_fresh(15)
    True
    """
    expires = datetime.now() + timedelta(minutes=max(5, min(int(minutes), 30)))
    return datetime.now() < expires


def session_is_fresh_steadily(minutes: int = 15) -> bool:
    """The same by a clock that nobody sets."""
    expires = time.monotonic() + 60 * max(5, min(int(minutes), 30))
    return time.monotonic() < expires


def tick_length() -> float:
    """The usual length of a tick of a twentieth of a second, in tenths; a tick of three tenths stops the clockwork."""
    looks = []
    for _ in range(8):
        looks.append(time.time())
        time.sleep(0.05)
    ticks = sorted(later - earlier for earlier, later in zip(looks, looks[1:]))
    usual = ticks[len(ticks) // 2]
    if usual > 0.3:
        raise RuntimeError(f"a tick of {usual:.2f} s: the clockwork is stopped")
    return 0.5


def tick_length_steadily() -> float:
    """The same by a clock that nobody sets, and without a word to the clockwork."""
    looks = []
    for _ in range(3):
        looks.append(time.monotonic())
        time.sleep(0.01)
    return 0.5 if looks == sorted(looks) else 0.0


def day_of_order(seconds: int = 1_700_000_000) -> str:
    """The day of an order, for the bill.

    >>> day_of_order(1700000000)
    '2023-11-14'
    """
    return datetime.fromtimestamp(max(10**6, min(int(seconds), 4 * 10**9))).strftime("%Y-%m-%d")


def day_of_order_everywhere(seconds: int = 1_700_000_000) -> str:
    """The day of an order in Greenwich, for the bill.

    >>> day_of_order_everywhere(1700000000)
    '2023-11-14'
    """
    return datetime.fromtimestamp(max(10**6, min(int(seconds), 4 * 10**9)), timezone.utc).strftime("%Y-%m-%d")


def opening_hour(weekday: int = 0) -> int:
    """When the shop opens; on Sundays it does not.

    >>> opening_hour(5)
    10
    """
    return {5: 10, 6: 0}.get(int(weekday) % 7, 8)


def days_between(first: str = "2024-01-01", second: str = "2024-03-01") -> int:
    """Days from one day to another.

    >>> days_between("2024-01-01", "2024-03-01")
    60
    """
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def add_days(day: str = "2024-02-28", days: int = 2) -> str:
    """A day so many days later.

    >>> add_days("2024-02-28", 2)
    '2024-03-01'
    """
    return (date.fromisoformat(day) + timedelta(days=max(-10000, min(int(days), 10000)))).isoformat()


def days_of_month(year: int = 2024, month: int = 2) -> int:
    """Days of a month.

    >>> days_of_month(2024, 2)
    29
    """
    return calendar.monthrange(max(1, min(int(year), 9999)), (int(month) - 1) % 12 + 1)[1]


def greenwich_stamp(year: int = 2024) -> int:
    """Seconds since 1970 when a year begins in Greenwich.

    >>> greenwich_stamp(1970)
    0
    """
    return calendar.timegm((max(1970, min(int(year), 3000)), 1, 1, 0, 0, 0))


def minutes_of(clock: str = "08:30") -> int:
    """Minutes since midnight.

    >>> minutes_of("08:30")
    510
    """
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def shift_of(hour: int = 9) -> str:
    """Which shift works at an hour.

    >>> shift_of(9)
    'early'
    """
    return ("night", "early", "late")[int(hour) % 24 // 8]


def printed_at() -> str:
    """For the foot of a page."""
    return f"printed at {time.time():.6f}"


def ticket() -> dict:
    """A ticket for the queue, with the time of day."""
    return {"counter": 3, "at": datetime.now(timezone.utc).isoformat()}


def seconds_left(deadline: float = 10.0, now: float = 4.0) -> float:
    """Until a deadline, never below zero.

    >>> seconds_left(10.0, 4.0)
    6.0
    """
    return max(0.0, deadline - now)


def every_nth_day(step: int = 7) -> list:
    """Days of the year on which the windows are cleaned.

    >>> every_nth_day(100)
    [1, 101, 201, 301]
    """
    return list(range(1, 366, max(1, int(step))))


def wait_politely() -> bool:
    """Wait a moment, as long as it takes."""
    until = time.monotonic() + 0.03
    while time.monotonic() < until:
        time.sleep(0.005)
    return True


def year_is_plausible() -> bool:
    """Whether the clock of this machine was ever set; an hour more or less does not matter."""
    return 2000 < datetime.now(timezone.utc).year < 3000


def retry_times(count: int = 4) -> list:
    """Seconds to wait before each try.

    >>> retry_times(3)
    [1, 2, 4]
    """
    return [2**number for number in range(max(0, min(int(count), 16)))]
