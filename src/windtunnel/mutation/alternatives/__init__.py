"""Other patches than the one at hand: what else might have been written in its place, for the tests to judge."""

from windtunnel.mutation.alternatives.functions import Target, changed_functions, changed_names
from windtunnel.mutation.alternatives.made import Alternative, alternatives

__all__ = ["Alternative", "Target", "alternatives", "changed_functions", "changed_names"]
