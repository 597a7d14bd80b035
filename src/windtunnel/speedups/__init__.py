"""Edits that may make code faster, and the statistics that tell whether they do."""
