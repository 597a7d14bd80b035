import itertools

from change_coins import coins


def ways(amount, kinds):
    if amount == 0:
        return [[]]
    return [[kind, *rest] for kind in kinds if kind <= amount for rest in ways(amount - kind, [one for one in kinds if one <= kind])]


def test_all_small_amounts():
    for kinds in ((1, 3, 4), (2, 5, 6), (1, 5, 8), (3, 7), (1, 2, 5, 10), (4, 6, 9), (1, 7, 10)):
        for amount in range(0, 22):
            possible = ways(amount, kinds)
            expected = min(possible, key=lambda way: (len(way), [-kind for kind in way])) if possible else None
            try:
                found = coins(amount, kinds)
            except ValueError:
                found = None
            assert found == expected
