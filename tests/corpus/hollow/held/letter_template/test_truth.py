import itertools

import pytest
from letter_template import fill

PIECES = {"{a}": "{b}", "{b}": "x{{y}}", "{{": "{", "}}": "}", " t ": " t ", "{{a}}": "{a}", "{c}": "}}{"}
VALUES = {"a": "{b}", "b": "x{{y}}", "c": "}}{"}


def test_every_three_pieces():
    for pieces in itertools.product(PIECES, repeat=3):
        template = " ".join(pieces)
        assert fill(template, VALUES) == " ".join(PIECES[piece] for piece in pieces)
        assert fill(template, dict(reversed(VALUES.items()))) == " ".join(PIECES[piece] for piece in pieces)


def test_missing():
    for template in ("{d}", "{a}{d}", "{{a}} {d}"):
        with pytest.raises(KeyError):
            fill(template, VALUES)
    assert fill("{{d}}", {}) == "{d}"
