"""A trial as plain JSON: every field and every derived one, without the contents of files."""

from __future__ import annotations

import hashlib
from dataclasses import fields

from windtunnel.core.change import FileChange
from windtunnel.core.trial import CheckReport, SandboxResult

_OWN_SHAPE = ("reports", "proposed_reports", "changes")


def plain_trial(result: SandboxResult) -> dict[str, object]:
    """For ``json.dumps(default=plain)``; contents of changed and built files are told by size and SHA-256."""
    told: dict[str, object] = {"success": result.success}
    told |= {field.name: getattr(result, field.name) for field in fields(result) if field.name not in _OWN_SHAPE}
    told |= {name: getattr(result, name) for name in ("build_success", "side_effects_detected", "execution_time_ms")}
    told["unexpected_files"] = [file.path for file in result.effects.unexpected]
    told["changes"] = [_change(change) for change in result.changes]
    told["change_digest"] = result.changes.digest()
    told["reports"] = [_report(report) for report in result.reports]
    told["proposed_reports"] = [_report(report) for report in result.proposed_reports]
    return told


def _change(change: FileChange) -> dict[str, object]:
    told: dict[str, object] = {"path": change.relative_path, "operation": change.operation}
    if change.operation != "delete":
        told |= {"size": len(change.data), "sha256": hashlib.sha256(change.data).hexdigest(), "mode": change.mode}
    return told


def _report(report: CheckReport) -> dict[str, object]:
    told = {field.name: getattr(report, field.name) for field in fields(report)
            if field.name not in {"touched", "products"}}
    products = {path: None if made is None else
                {"size": len(made.data), "sha256": hashlib.sha256(made.data).hexdigest()}
                for path, made in report.products.items()}
    return {"success": report.success, **told, "products": products}
