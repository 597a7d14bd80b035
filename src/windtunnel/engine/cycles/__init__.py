"""Cycles: a project simulated again and again, what each cycle gained, and when to stop."""
