"""A trial's result for machines and for pull requests; one file for each format, one table of them all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from windtunnel.api.exports.junit import junit_text
from windtunnel.api.exports.markdown import markdown_text
from windtunnel.api.exports.plain_trial import plain_trial
from windtunnel.api.exports.sarif import sarif_text
from windtunnel.core.errors import UsageError
from windtunnel.core.plain import plain
from windtunnel.core.trial import SandboxResult

__all__ = ["FORMATS", "export", "junit_text", "markdown_text", "plain_trial", "sarif_text"]


def _json_text(result: SandboxResult) -> str:
    return json.dumps(plain_trial(result), default=plain, indent=2) + "\n"


FORMATS: Mapping[str, Callable[[SandboxResult], str]] = {
    "json": _json_text, "junit": junit_text, "sarif": sarif_text, "markdown": markdown_text}


def export(result: SandboxResult, form: str) -> str:
    """The result in one of the formats: ``json``, ``junit``, ``sarif`` or ``markdown``."""
    if form not in FORMATS:
        raise UsageError(f"form: {form!r} is none of {', '.join(FORMATS)}", field="form")
    return FORMATS[form](result)
