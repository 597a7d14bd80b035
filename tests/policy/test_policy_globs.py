import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policy.glob import BadGlob, joined, mark, over_all, over_any, over_verbs

PATHS = [
    ("src/**", ["src/a", "src/a/b.py"], ["src", "srcs/a", "a/src/b"]),
    ("**", ["a", "a/b/c", ".x"], []),
    ("*", ["a", ".env"], ["a/b"]),
    ("**/*.py", ["a.py", "x/y/a.py", ".py"], ["a.pyc", "a.py/b"]),
    ("*.py", ["a.py"], ["x/a.py"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/b/c", "ab", "a/xb", "x/a/b"]),
    ("**/t/**", ["t/x", "x/t/y/z"], ["t", "x/tt/y", "x/t"]),
    ("a/**/b/**/c", ["a/b/c", "a/q/b/b/z/c"], ["a/c", "a/b/c/d"]),
    ("**/a/b/**/c", ["a/a/b/c", "z/a/b/x/c"], ["a/x/b/c"]),
    ("*a*b", ["ab", "xaxb", "aab"], ["ba", "xax", "a/b"]),
    ("*ab*b", ["abb", "xabxb"], ["xab"]),
    ("?x", ["yx", ".x"], ["x", "yyx"]),
    ("[a-c]x", ["bx"], ["dx", "-x"]),
    ("[!a-c]x", ["dx"], ["bx", "x"]),
    ("a.b+(c)$^|#", ["a.b+(c)$^|#"], ["axb+(c)$^|#"]),
    ("docs/**/**/x", ["docs/x", "docs/a/x"], ["x"]),
    ("sécret/*", ["sécret/a"], ["se\u0301cret/a"]),
    ("a b/*", ["a b/c"], ["a\tb/c"]),
]
MATCHES = [(glob, path, True) for glob, good, _ in PATHS for path in good] + [
    (glob, path, False) for glob, _, bad in PATHS for path in bad]


@pytest.mark.parametrize(("glob", "path", "expected"), MATCHES)
def test_a_glob_matches_whole_paths_and_nothing_else(glob, path, expected):
    found = [bool(pattern([glob]).match(joined([path]))) for pattern in (over_any, over_all)]

    assert found == [expected, expected]


@pytest.mark.parametrize(("paths", "some", "every"), [
    (["a", "x", "b"], True, False), (["x", "x"], True, True), (["a", "b"], False, False), ([], False, False),
    (["x\ny"], False, False), (["y", "x"], True, True),
], ids=str)
def test_some_or_every_path_must_match_one_of_the_globs(paths, some, every):
    text = joined(paths)

    assert (bool(over_any(["x", "y"]).match(text)), bool(over_all(["x", "y"]).match(text))) == (some, every)


@pytest.mark.parametrize(("globs", "verb", "expected"), [
    (["run"], "run", True), (["run"], "runs", False), (["image *"], "image build", True), (["*"], "tools/read_file", True),
    (["r?n"], "run", True), (["try", "apply"], "apply", True), (["*e*"], "execute", True), (["[a-b]*"], "undo", False),
    (["a", "ab"], "ab", True),
])
def test_a_glob_over_verbs_matches_whole_verbs(globs, verb, expected):
    assert bool(over_verbs(globs).match(verb)) == expected


@pytest.mark.parametrize(("glob", "why"), [
    ("", "not a glob"), ("a" * 513, "not a glob"), ("a\0b", "not a glob"), ("a\nb", "not a glob"),
    ("\x1b[2J", "not a glob"), ("{a,b}", "{a,b} is not known"), ("a\\*", "no escaping"), ("/etc/**", "not a relative path"),
    ("../x", "not a relative path"), ("a/../b", "not a relative path"), ("./a", "not a relative path"),
    ("a//b", "not a relative path"), ("src/", "not a relative path"), ("a**", "stands alone"), ("**.py", "stands alone"),
    ("***", "stands alone"), ("[ab", "is not closed"), ("[]", "is not closed"), ("[[:alpha:]]", "is not closed"),
    ("[z-a]", "is empty"), ("[^a]", "is not closed"), ("[a&&b]", "is not closed"), ("[!]", "is not closed"), ("[~~]", "is not closed"), ("[a-]", "is not closed"),
], ids=ascii)
def test_a_bad_glob_is_refused_and_the_message_says_why(glob, why):
    with pytest.raises(BadGlob) as refusal:
        over_any([glob])

    assert why in str(refusal.value)


@pytest.mark.parametrize("glob", ["*a" * 250 + "b", "/".join(["**", "a"] * 100) + "/b", "a*" * 250, "**/*a*a*a*a*a*b"])
def test_a_hostile_glob_on_hostile_paths_is_done_in_time(glob):
    text = joined(["a" * 4000, "a/" * 2000 + "c", *(["a" * 200] * 100)])
    began = time.process_time()

    found = [pattern([glob] * 5).match(text) for pattern in (over_any, over_all)]

    assert (found[1], time.process_time() - began < 5) == (None, True)


def test_without_the_groups_that_never_go_back_the_same_glob_takes_for_ever():
    import re

    naive, ours, text = re.compile(r"[^/\0]*a" * 6 + r"b\0"), over_any(["*a" * 6 + "b"]), "a" * 40 + "\0"

    def seconds(pattern):
        began = time.process_time()
        pattern.match(text)
        return time.process_time() - began

    assert seconds(ours) < seconds(naive) / 10


LETTERS = st.text(alphabet="ab/*?.", min_size=1, max_size=12)


@given(LETTERS, st.lists(st.text(alphabet="ab.", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join))
def test_the_word_of_a_glob_is_in_every_path_that_it_matches(glob, path):
    try:
        matched = over_any([glob]).match(joined([path])) is not None
    except BadGlob:
        return

    assert not matched or mark(glob) in joined([path])


@given(st.lists(st.sampled_from(["a", "b", "**", "*", "a*", "?"]), min_size=1, max_size=5),
       st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5))
def test_a_glob_agrees_with_the_plain_meaning_of_its_parts(parts, names):
    from fnmatch import fnmatchcase

    def means(left, right):
        if not left:
            return not right
        if left[0] == "**":
            if len(left) == 1:
                return bool(right)
            return any(means(left[1:], right[at:]) for at in range(len(right) + 1))
        return bool(right) and fnmatchcase(right[0], left[0]) and means(left[1:], right[1:])

    assert bool(over_any(["/".join(parts)]).match(joined(["/".join(names)]))) == means(parts, names)
