"""Whole files of entries."""

from ledger.entries import BadEntry, parse_entry


class BadLine(ValueError):
    """A file with a line that is no entry; ``number`` counts from 1."""

    def __init__(self, number, problem):
        super().__init__(f"line {number}: {problem}")
        self.number = number


def load(text):
    """All entries of a text; empty lines and comments do not count as entries."""
    entries = []
    for number, line in enumerate(text.splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            entries.append(parse_entry(line))
        except BadEntry as problem:
            raise BadLine(number, problem) from problem
    return entries
