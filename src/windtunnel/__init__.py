"""Runs code nobody trusts yet, in real isolation, and returns a verdict to act on."""

__version__ = "0.1.0"
