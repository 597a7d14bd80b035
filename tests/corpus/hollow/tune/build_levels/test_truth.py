import random

import pytest
from build_levels import levels


def depth(name, needs):
    return 1 + max((depth(other, needs) for other in needs.get(name, ())), default=-1)


def test_random_builds():
    draw = random.Random(3)
    names = "abcdefgh"
    for _ in range(150):
        needs = {name: {other for other in names[:index] if draw.random() < 0.3}
                 for index, name in enumerate(names) if draw.random() < 0.7}
        everything = set(needs) | {other for wanted in needs.values() for other in wanted}
        expected = {}
        for name in sorted(everything):
            expected.setdefault(depth(name, needs), []).append(name)
        assert levels(needs) == [expected[number] for number in sorted(expected)]


@pytest.mark.parametrize("needs", [{"a": {"a"}}, {"a": {"b"}, "b": {"c"}, "c": {"a"}}, {"x": {"y", "z"}, "y": {"x"}}])
def test_circles(needs):
    with pytest.raises(ValueError):
        levels(needs)


def test_what_was_given_is_not_changed():
    needs = {"a": {"b"}, "c": {"a"}}
    levels(needs)
    assert needs == {"a": {"b"}, "c": {"a"}}
