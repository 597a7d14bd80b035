from typing import NamedTuple


class Score(NamedTuple):
    name: str
    points: int
    at: float
