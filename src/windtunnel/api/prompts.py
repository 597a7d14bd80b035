"""The prompts of the sandbox runner, with the environment variables that shape them."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from windtunnel.metrics.prompts.environment import length, section_prompt_by
from windtunnel.metrics.prompts.section import Known
from windtunnel.metrics.prompts.visual import (
    LAYOUT_LINES,
    function_name,
    layout_of,
    prefixed,
    visual_prompt,
    visual_prompt_by,
)


class Tracked(Protocol):
    """What of a tracker is looked at."""

    @property
    def metrics_history(self) -> Mapping[str, Sequence[float]]:
        """By metric, oldest first."""
        ...

    @property
    def roi_history(self) -> Sequence[float]:
        """Gains of each cycle, oldest first."""
        ...


def build_section_prompt(
    section: str, tracker: Tracked | None = None, *, snippet: str = "", prior: str = "", summary: str = "",
    project: str | Path | None = None, seed: int = 0,
) -> str:
    """The prompt for a section: its code as ``snippet``, what was tried ``prior`` to this, and what it is for.

    The template is the file that ``GPT_SECTION_TEMPLATE`` names, else that of the falling metric among ours and those
    of the project's ``templates/auto_prompts/``. It is ``GPT_SECTION_PROMPT_MAX_LENGTH`` characters long at most.
    """
    known = Known(
        section=section, metrics=dict(tracker.metrics_history) if tracker else {},
        returns=tuple(tracker.roi_history) if tracker else (), snippet=snippet, prior=prior, summary=summary)
    return section_prompt_by(os.environ, known, project=None if project is None else Path(project), seed=seed)


def build_visual_agent_prompt(
    path: str | None, description: str, context: str = "", func: str | None = None, *, repo_layout: str | None = None,
) -> str:
    """The prompt for the visual agent, shaped by ``VA_PROMPT_TEMPLATE``, ``_PREFIX`` and ``VA_REPO_LAYOUT_LINES``.

    The layout is that of the Python files of the folder we are in, where none is given.
    """
    called, template = func or function_name(description), os.environ.get("VA_PROMPT_TEMPLATE")
    if template:
        made = visual_prompt_by(template, path, description=description, context=context, func=called)
    else:
        layout = _layout() if repo_layout is None else repo_layout
        made = visual_prompt(path, description, context=context, func=called, layout=layout,
                             python=platform.python_version())
    return prefixed(os.environ.get("VA_PROMPT_PREFIX", ""), made)


def _layout() -> str:
    lines = length("VA_REPO_LAYOUT_LINES", os.environ)
    return layout_of((one.name for one in Path.cwd().glob("*.py")), lines=LAYOUT_LINES if lines is None else lines)
