"""The described systems' own names, as short doors over the engine."""
