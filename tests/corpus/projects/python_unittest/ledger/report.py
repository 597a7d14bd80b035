"""Summaries for people."""

from collections import defaultdict


def monthly_totals(entries):
    """Sum of the entries of each month, by ``2024-03``."""
    totals = defaultdict(int)
    for entry in entries:
        totals[entry.day.strftime("%Y-%m")] += entry.cents
    return dict(totals)


def largest_expense(entries):
    """The entry that cost most; None where nothing was spent."""
    expenses = [entry for entry in entries if entry.cents < 0]
    return min(expenses, key=lambda entry: entry.cents, default=None)
