"""How long things may take."""

DEADLINE_SECONDS = 2.0
QUICK_SECONDS = 0.08
