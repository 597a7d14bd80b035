"""One seeded defect, as data."""

from windtunnel.core.mutation import Mutant, Scope, identity

__all__ = ["Mutant", "Scope", "identity"]
