"""A household's money, entry by entry."""

from ledger.entries import Entry, parse_entry

__all__ = ["Entry", "parse_entry"]
