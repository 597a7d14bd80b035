import itertools
import random

from island_count import connected, groups


def expected(people, pairs):
    sets = [{person} for person in people]
    for pair in pairs:
        joined = set().union(*(one for one in sets if one & set(pair)))
        sets = [one for one in sets if not one & set(pair)] + [joined]
    return sorted((sorted(one) for one in sets), key=lambda group: (-len(group), group))


def test_random_pairs():
    draw = random.Random(1)
    everything = list(itertools.product("abcdef", repeat=2))
    for _ in range(300):
        pairs = draw.sample(everything, draw.randrange(8))
        assert groups("abcdef", pairs) == expected("abcdef", pairs)
        assert connected("abcdef", pairs) == (len(expected("abcdef", pairs)) == 1)


def test_the_same_pair_again_and_back():
    assert groups("ab", [("a", "b"), ("b", "a"), ("a", "b")]) == [["a", "b"]]
