from pathlib import Path

import pytest

from windtunnel.core.scenario import Fault
from windtunnel.scenarios.factors import EXCLUSIONS, FACTORS
from windtunnel.scenarios.failures import ALIASES, HOSTILE
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.generate import grid
from windtunnel.scenarios.readers import said_size
from windtunnel.scenarios.security import SECURITY_LEVELS

PAGE = (Path(__file__).parents[2] / "docs" / "presets.md").read_text()


@pytest.mark.parametrize("row", FIELDS.values(), ids=FIELDS)
def test_the_page_has_the_row_of_each_field(row):
    assert f"| `{row.name}` | {row.unit} | {row.range} | {row.usual} | {row.meaning} |\n" in PAGE


@pytest.mark.parametrize("level", SECURITY_LEVELS)
def test_the_page_has_the_row_of_each_level(level):
    walls = SECURITY_LEVELS[level]
    workspace, outside = "read" if walls.read_only else "read and written", "reached" if walls.outside else "none"

    assert (f"| {level} | {workspace} | {outside} | {walls.processes} | {walls.open_files} | {walls.files} | "
            f"{said_size(walls.disk_bytes)} |\n") in PAGE


def test_the_page_has_every_word_of_failure_modes():
    missing = [f"`{fault}`" for fault in Fault if f"`{fault}`" not in PAGE]
    missing += [word for word, fault in ALIASES.items() if f"| `{word}` | `{fault}` |\n" not in PAGE]

    assert missing + [word for word in HOSTILE if f"`{word}`" not in PAGE] == []


def test_the_page_has_every_factor_with_its_values_and_every_reason_to_leave_a_pair_out():
    missing = [factor.name for factor in FACTORS if ", ".join(map(str, filter(None, factor.values[1:]))) not in PAGE]

    assert missing + [rule.reason for rule in EXCLUSIONS if f": {rule.reason}\n" not in PAGE] == []
    assert f"{grid().pairs:,} pairs" in PAGE
