"""Cycles that make a project faster: what costs most is edited, and an edit stays where it is proven to gain."""
