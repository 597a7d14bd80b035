"""The command line of the code that is tested, whichever is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import windtunnel


@pytest.fixture
def cli(cli):
    cli.env["PYTHONPATH"] = str(Path(windtunnel.__file__).parents[1])
    return cli
