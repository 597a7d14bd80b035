"""The variables that shape the prompt of a section, read the same way wherever one is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.metrics.prompts.section import Known, load_templates, read_text, section_prompt

_MOST_NUMBER = 10_000_000


def section_prompt_by(
    environ: Mapping[str, str], known: Known, *, project: Path | None = None, seed: int = 0,
) -> str:
    """By the file that ``GPT_SECTION_TEMPLATE`` names, else by the template that the metrics call for.

    It is ``GPT_SECTION_PROMPT_MAX_LENGTH`` characters long at most.
    """
    named = environ.get("GPT_SECTION_TEMPLATE")
    return section_prompt(
        known, templates=load_templates(project), template=read_text(Path(named)) if named else None,
        most=length("GPT_SECTION_PROMPT_MAX_LENGTH", environ), seed=seed)


def length(name: str, environ: Mapping[str, str]) -> int | None:
    """A variable that is a number of characters or lines; None where it is not set."""
    text = environ.get(name, "").strip()
    if not text:
        return None
    if not text.isdecimal() or int(text[:20]) > _MOST_NUMBER:
        raise UsageError(f"{name}: {text[:50]!r} is no length (a whole number up to {_MOST_NUMBER} is)", field=name)
    return int(text)
