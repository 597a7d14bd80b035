"""What speaks against a change that has other patches beside it; ``benchmarks.doubt_learning`` prints the table."""

from windtunnel.engine.disagreement_signs import APART, STRONG

BIAS = "bias"
WEIGHTS = {STRONG: 1.74, APART: 3.03, BIAS: -0.11}
