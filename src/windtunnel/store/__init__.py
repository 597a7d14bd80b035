"""What outlives a run: its record in the history, and the products of builds.

Nothing is imported here, so that a program that records nothing never loads SQLite.
"""
