"""The verbs: plain functions that take a rig and return a core value."""
