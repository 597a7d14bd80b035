"""Where things lie."""

import tempfile
from pathlib import Path

DATA = Path(__file__).parent / "data"
SERVICE = "198.51.100.7"
NAME = "service.test"
ECHO_PORT = 7


def _folder():
    """A folder of its own for whoever asks."""
    return tempfile.TemporaryDirectory(prefix="shop-")
