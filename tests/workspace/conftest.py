"""Projects to promote changes to, with the journal near and far."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from promotions import Promotion


@pytest.fixture
def mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def promotion(tmp_path, mask):
    return Promotion(tmp_path / "project", tmp_path / "state" / "journal")


@pytest.fixture
def far_promotion(tmp_path, mask):
    """The journal on another file system than the project."""
    other = Path("/dev/shm")
    if not os.access(other, os.W_OK) or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system to write to here (/dev/shm)")
    with tempfile.TemporaryDirectory(dir=other) as far:
        yield Promotion(tmp_path / "project", Path(far) / "journal")
