import pytest

from slugs.paths import article_path
from slugs.slugify import slugify


@pytest.mark.parametrize("title, slug", [
    ("Hello, World!", "hello-world"),
    ("Crème Brûlée für alle", "creme-brulee-fur-alle"),
    ("Die Straße", "die-strasse"),
    ("a  --  b", "a-b"),
])
def test_slugify(title, slug):
    assert slugify(title) == slug


def test_path():
    assert article_path(2020, "Ten Tips") == "/2020/ten-tips/"


def test_length():
    assert slugify("x" * 100, max_length=10) == "x" * 10
