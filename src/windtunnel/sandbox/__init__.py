"""Walls: what confines a program, level by level, and how it is proved."""
