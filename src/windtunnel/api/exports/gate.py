"""The gate's verdict for machines."""

from __future__ import annotations

from dataclasses import fields

from windtunnel.core.gate import GateResult


def plain_gate(result: GateResult) -> dict[str, object]:
    """For ``json.dumps(default=plain)``: every field, and those that follow from them."""
    told: dict[str, object] = {"success": result.success}
    told |= {field.name: getattr(result, field.name) for field in fields(result)}
    told["hollow_parts"] = [f"{each.path}:{each.line}" for each in result.hollow_parts]
    return told
