import itertools
import posixpath

from path_cleaning import clean


def test_all_short_paths():
    for length in range(1, 6):
        for parts in itertools.product(("a", "b", "..", "."), repeat=length):
            for lead in ("/", ""):
                path = lead + "/".join(parts)
                assert clean(path) == posixpath.normpath(path)


def test_edges():
    assert clean("/") == "/"
    assert clean("") == "."
    assert clean("../..") == "../.."
    assert clean("../a/../../b") == "../../b"
