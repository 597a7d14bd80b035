from import_circles import circle


def test_no_imports():
    assert circle({}) is None


def test_two_modules():
    assert circle({"a": ["b"], "b": ["a"]}) == ["a", "b", "a"]


def test_shared_import_is_no_circle():
    assert circle({"a": ["b", "c"], "b": ["c"], "c": []}) is None


def test_itself():
    assert circle({"a": ["a"]}) == ["a", "a"]
