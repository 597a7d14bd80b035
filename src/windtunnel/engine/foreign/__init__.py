"""Mutants in languages other than Python: laid over the project one by one, judged by its own test command."""
