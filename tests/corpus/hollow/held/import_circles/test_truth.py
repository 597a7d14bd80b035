import random

from import_circles import circle


def has_circle(imports):
    left = {name: set(others) & set(imports) for name, others in imports.items()}
    while True:
        free = {name for name, others in left.items() if not others}
        if not free:
            return bool(left)
        left = {name: others - free for name, others in left.items() if name not in free}


def test_random_modules():
    draw = random.Random(6)
    for _ in range(300):
        names = "abcdef"[: draw.randrange(1, 7)]
        imports = {name: [other for other in names if draw.random() < 0.22] for name in names}
        found = circle(imports)
        assert (found is not None) == has_circle(imports)
        if found:
            assert found[0] == found[-1]
            assert all(two in imports[one] for one, two in zip(found, found[1:]))
            assert len(set(found)) == len(found) - 1


def test_a_tail_before_the_circle():
    assert circle({"main": ["a"], "a": ["b"], "b": ["a"]}) == ["a", "b", "a"]


def test_modules_from_elsewhere():
    assert circle({"a": ["json", "re"], "b": ["json", "a"]}) is None
