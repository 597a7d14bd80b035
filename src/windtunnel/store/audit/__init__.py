"""The audit log: records that nobody can change unseen, their proofs, and their keys."""
