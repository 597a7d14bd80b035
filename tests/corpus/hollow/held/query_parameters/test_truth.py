import itertools

from query_parameters import parameters

PARTS = {"a=1": ("a", "1"), "b": ("b", ""), "c=": ("c", ""), "d=x=y": ("d", "x=y"), "e==": ("e", "="), "%3D=%26": ("=", "&"), "a=+": ("a", " "), "": None}


def test_every_three_parts():
    for parts in itertools.product(PARTS, repeat=3):
        expected = {}
        for part in parts:
            if PARTS[part]:
                expected.setdefault(PARTS[part][0], []).append(PARTS[part][1])
        assert parameters("&".join(parts)) == expected
