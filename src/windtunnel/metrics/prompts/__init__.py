"""Prompts for a model: which one the falling metric calls for, and what is written into it."""
