"""The scenario runner: presets, inputs, sections, network, forecasts, stopping, changes that are kept, docs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import (
    simulate_discrepancies,
    simulate_forecasts,
    simulate_improve,
    simulate_inputs,
    simulate_network,
    simulate_presets,
    simulate_sections,
    simulate_stop,
)
from benchmarks.ground import Ground
from benchmarks.rows import Row

GROUP = "simulate"
PARTS = {
    "presets": simulate_presets.rows, "sections": simulate_sections.rows, "inputs": simulate_inputs.rows,
    "network": simulate_network.rows, "forecasts": simulate_forecasts.rows, "stop": simulate_stop.rows,
    "improve": simulate_improve.rows, "discrepancies": simulate_discrepancies.rows}


def rows(ground: Ground) -> Iterator[Row]:
    """All parts, or those that were asked for."""
    for name in ground.simulate_parts or PARTS:
        yield from PARTS[name](ground)
