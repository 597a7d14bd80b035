"""Counting, and a few larger tables."""

import mmap
import random
import time


def stock_bitmap(size: int = 96) -> int:
    """A bitmap of so many mebibytes; returns its size in bytes.

    >>> stock_bitmap(1)
    1048576
    """
    table = bytearray(max(0, min(int(size), 96)) * 1024 * 1024)
    table[::4096] = b"\1" * len(table[::4096])
    return len(table)


def stock_bitmap_in_parts(size: int = 96) -> int:
    """The same, a mebibyte at a time.

    >>> stock_bitmap_in_parts(1)
    1048576
    """
    total = 0
    for _ in range(max(0, min(int(size), 96))):
        part = bytearray(1024 * 1024)
        total += len(part)
    return total


def stock_bitmap_or_less() -> int:
    """Room for as large a bitmap as can be had is asked for, and a small one serves too; returns its entries."""
    for mebibytes in (64, 4):
        try:
            with mmap.mmap(-1, mebibytes * 1024 * 1024, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as table:
                table[0] = 1
                break
        except OSError:
            continue
    return 1000


def shared_grid(size: int = 176) -> int:
    """A grid of so many mebibytes that is shared with other programs; returns its size in bytes.

    >>> shared_grid(1)
    1048576
    """
    length = max(1, min(int(size), 176)) * 1024 * 1024
    with mmap.mmap(-1, length) as grid:
        grid[::4096] = b"\1" * (length // 4096)
    return length


def small_grid() -> int:
    """A grid of one mebibyte that is shared with other programs."""
    with mmap.mmap(-1, 1024 * 1024) as grid:
        grid[0] = 1
        return len(grid)


def plan_route() -> int:
    """Look for a short way through the store; who waits for it gives up after three quarters of a second."""
    begun, effort = time.monotonic(), time.process_time()
    steps = 0
    while time.process_time() - effort < 0.12:
        steps += sum(range(500)) > 0
        if time.monotonic() - begun > 0.75:
            raise RuntimeError("no route in time")
    return 1 if steps else 0


def mix_announcement() -> int:
    """Mix the voice and the gong while they are heard; a loudspeaker that gets nothing for 60 ms crackles."""
    effort, heard = time.process_time(), time.monotonic()
    while time.process_time() - effort < 0.15:
        sum(range(500))
        now = time.monotonic()
        if now - heard > 0.06:
            raise RuntimeError("the announcement crackled")
        heard = now
    return 16


def plan_route_without_hurry() -> int:
    """Look for a short way, however long it takes."""
    effort = time.process_time()
    while time.process_time() - effort < 0.05:
        sum(range(500))
    return 1


def plan_route_so_far() -> int:
    """The best way that was found when the time is over: the first one serves."""
    begun = time.monotonic()
    best = 12
    for _ in range(200):
        if time.monotonic() - begun > 0.1:
            break
        best = min(best, 12)
    return best


def mean(values: list = [1.0, 2.0, 3.0]) -> float:
    """The mean; zero for none.

    >>> mean([1.0, 3.0])
    2.0
    """
    return sum(values) / len(values) if values else 0.0


def median(values: list = [3, 1, 2]) -> float:
    """The middle value; zero for none.

    >>> median([3, 1, 2])
    2
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def clamp(value: int = 5, low: int = 0, high: int = 10) -> int:
    """The nearest value from low to high.

    >>> clamp(15, 0, 10)
    10
    """
    return max(low, min(high, value))


def boxes_needed(pieces: int = 10, per_box: int = 4) -> int:
    """Boxes for so many pieces.

    >>> boxes_needed(10, 4)
    3
    """
    if per_box < 1:
        raise ValueError(f"a box holds at least one piece, not {per_box}")
    return -(-max(0, pieces) // per_box)


def gcd(first: int = 12, second: int = 18) -> int:
    """The greatest common divisor.

    >>> gcd(12, 18)
    6
    """
    first, second = abs(first), abs(second)
    while second:
        first, second = second, first % second
    return first


def running_total(values: list = [1, 2, 3]) -> list:
    """Sums of all values so far.

    >>> running_total([1, 2, 3])
    [1, 3, 6]
    """
    total, found = 0, []
    for value in values:
        total += value
        found.append(total)
    return found


def histogram(values: list = [1, 1, 2]) -> dict:
    """How often each value is there.

    >>> histogram([1, 1, 2])
    {1: 2, 2: 1}
    """
    found: dict = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found


def primes_below(limit: int = 30) -> list:
    """Primes below a number, at most 1000.

    >>> primes_below(10)
    [2, 3, 5, 7]
    """
    limit = max(0, min(int(limit), 1000))
    return [number for number in range(2, limit) if all(number % other for other in range(2, int(number**0.5) + 1))]


def lucky_number() -> int:
    """Of today's lottery for customers."""
    return random.SystemRandom().randrange(10**9)


def shuffled(count: int = 20) -> list:
    """The order in which the shelves are filled today."""
    order = list(range(max(0, min(int(count), 50))))
    random.shuffle(order)
    return order


def seeded_sample(seed: int = 7) -> list:
    """Five shelves to look at, always the same for a seed."""
    return random.Random(int(seed)).sample(range(100), 5)


def is_even(number: int = 4) -> bool:
    """Whether a number is even.

    >>> is_even(4)
    True
    """
    return number % 2 == 0


def digits_of(number: int = 4711) -> list:
    """The digits of a number.

    >>> digits_of(4711)
    [4, 7, 1, 1]
    """
    return [int(digit) for digit in str(abs(int(number)))[:300]]


def matrix_product(left: list = [[1, 2], [3, 4]], right: list = [[1, 0], [0, 1]]) -> list:
    """The product of two tables.

    >>> matrix_product([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    [[1, 2], [3, 4]]
    """
    return [[sum(one * other for one, other in zip(row, column)) for column in zip(*right)] for row in left]


def percent(part: int = 1, whole: int = 4) -> float:
    """Of a hundred; zero of nothing.

    >>> percent(1, 4)
    25.0
    """
    return 100.0 * part / whole if whole else 0.0
