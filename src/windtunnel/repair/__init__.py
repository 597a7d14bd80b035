"""Proposals of fixes: from errors, from syntax, from search, from tools; nothing here runs anything."""
