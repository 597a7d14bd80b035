import itertools
import posixpath

from relative_links import relative


def test_all_pairs():
    folders = ["", *("/".join(parts) + "/" for size in (1, 2, 3) for parts in itertools.product("ab", repeat=size))]
    for source, target in itertools.product(folders, repeat=2):
        for page in ("a", "z.html"):
            start = "/" + source.rstrip("/")
            way = posixpath.relpath("/" + target, start)
            assert relative(source + "x.html", target + page) == posixpath.normpath(posixpath.join(way, page))
