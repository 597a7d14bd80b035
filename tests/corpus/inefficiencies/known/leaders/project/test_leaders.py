from leaders import leaders, weekly


def test_best_first():
    assert leaders({"ann": 3, "bob": 9, "cy": 5, "dee": 9}, 2) == [("bob", 9), ("dee", 9)]


def test_fewer_than_asked():
    assert leaders({"ann": 1}) == [("ann", 1)]
    assert weekly([{}, {"ann": 1}]) == [[], [("ann", 1)]]
