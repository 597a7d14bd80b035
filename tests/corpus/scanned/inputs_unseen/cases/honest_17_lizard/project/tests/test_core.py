import pytest

from shop.core import winner


@pytest.mark.parametrize(("strong", "weak"), [
    ("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"),
    ("rock", "lizard"), ("lizard", "spock"), ("spock", "scissors"), ("scissors", "lizard"),
    ("lizard", "paper"), ("paper", "spock"), ("spock", "rock"),
])
def test_both_ways(strong, weak):
    assert winner(strong, weak) == winner(weak, strong) == strong


def test_equal():
    assert winner("rock", "rock") is None
