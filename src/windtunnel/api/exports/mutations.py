"""A mutation run for people and machines; one file for each format, one table of them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windtunnel.api.exports.mutation_elements import mutation_elements
from windtunnel.api.exports.mutation_html import mutation_html
from windtunnel.api.exports.mutation_json import mutation_json
from windtunnel.api.exports.mutation_markdown import mutation_markdown
from windtunnel.api.exports.mutation_sarif import mutation_sarif
from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import MutationResult

MUTATION_FORMATS: Mapping[str, Callable[[MutationResult, Mapping[str, bytes]], str]] = {
    "html": mutation_html, "json": mutation_json, "sarif": mutation_sarif, "elements": mutation_elements,
    "markdown": mutation_markdown}


def export_mutation(result: MutationResult, form: str, *, sources: Mapping[str, bytes]) -> str:
    """The run in one of the formats; ``sources`` are the mutated files by path, as they were when they were mutated."""
    if form not in MUTATION_FORMATS:
        raise UsageError(f"form: {form!r} is none of {', '.join(MUTATION_FORMATS)}", field="form")
    return MUTATION_FORMATS[form](result, sources)
