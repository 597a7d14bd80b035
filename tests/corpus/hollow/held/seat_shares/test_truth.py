import random
from fractions import Fraction

from seat_shares import seats


def expected(votes, total):
    everything = sum(votes.values())
    shares = {name: Fraction(count * total, everything) for name, count in votes.items()}
    given = {name: int(share) for name, share in shares.items()}
    order = sorted(votes, key=lambda name: (given[name] - shares[name], -votes[name], name))
    for name in order[: total - sum(given.values())]:
        given[name] += 1
    return given


def test_random_elections():
    draw = random.Random(9)
    for _ in range(400):
        votes = {name: draw.randrange(0, 40) for name in draw.sample("abcde", draw.randrange(1, 6))}
        if sum(votes.values()):
            total = draw.randrange(1, 15)
            assert seats(votes, total) == expected(votes, total)


def test_ties():
    assert seats({"b": 10, "a": 10}, 3) == {"b": 1, "a": 2}
    assert seats({"a": 1, "b": 3, "c": 0}, 2) == {"a": 0, "b": 2, "c": 0}
