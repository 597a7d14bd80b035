"""The profile of a Python program: the sampler that writes it, and its reading."""

from __future__ import annotations

from pathlib import Path

from windtunnel.languages.profiling import MOST_BYTES, collapse, stacks

PROFILER = Path(__file__).with_name("profile_sampler.py").read_text("utf-8")
"""Source of the script that runs in the sandbox in place of the program."""


def read_profile(data: bytes) -> str:
    """Collapsed stacks in microseconds; hostile bytes give at worst a bounded untruth, garbage gives nothing."""
    return collapse(stacks(data[:MOST_BYTES].decode("utf-8", "replace")))
