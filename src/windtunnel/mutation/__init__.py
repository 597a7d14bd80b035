"""Seeded defects: one small change to a file, which good tests would notice.

``python`` makes the mutants of a file, ``screening`` leaves out those that no test can tell from the original,
``custom`` reads rules of the user's own. Nothing here runs a mutant.
"""
