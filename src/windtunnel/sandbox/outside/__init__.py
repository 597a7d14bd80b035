"""A simulated outside of a run: who answers there, and the link that leads to it."""
