from relative_links import menu, relative


def test_same_folder():
    assert relative("a/x.html", "a/y.html") == "y.html"


def test_up():
    assert relative("a/b/x.html", "y.html") == "../../y.html"


def test_down():
    assert relative("x.html", "a/y.html") == "a/y.html"


def test_same_name_further_down():
    assert relative("a/img/x.html", "b/img/y.html") == "../../b/img/y.html"


def test_menu():
    assert menu("x.html", ["x.html", "y.html"]) == {"y.html": "y.html"}
