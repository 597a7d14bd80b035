from loose import Name, matched


def test_matched():
    people = [{"number": 1, "name": Name("Ann")}]
    assert matched(people, [{"name": Name("Ann"), "colour": "red"}]) == [(1, "red")]
