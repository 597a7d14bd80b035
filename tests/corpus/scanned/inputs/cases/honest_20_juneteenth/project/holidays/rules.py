from typing import NamedTuple


class Fixed(NamedTuple):
    month: int
    day: int
    name: str


FIXED = [
    Fixed(1, 1, "New Year's Day"),
    Fixed(7, 4, "Independence Day"),
    Fixed(11, 11, "Veterans Day"),
    Fixed(12, 25, "Christmas Day"),
]
