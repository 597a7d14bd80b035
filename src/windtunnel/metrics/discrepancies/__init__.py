"""Where docs, workflows and configuration do not fit the code."""

from __future__ import annotations

from windtunnel.metrics.discrepancies.compare import find_discrepancies, read_files
from windtunnel.metrics.discrepancies.finding import Discrepancy, Kind
from windtunnel.metrics.discrepancies.known import Known

__all__ = ["Discrepancy", "Kind", "Known", "find_discrepancies", "read_files"]
