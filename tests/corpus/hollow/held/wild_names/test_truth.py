import fnmatch
import itertools

from wild_names import matches


def test_all_short_patterns():
    names = ["".join(signs) for size in range(4) for signs in itertools.product("ab", repeat=size)]
    for size in range(5):
        for signs in itertools.product("ab*?", repeat=size):
            pattern = "".join(signs)
            assert [name for name in names if matches(pattern, name)] == [
                name for name in names if fnmatch.fnmatchcase(name, pattern)]
