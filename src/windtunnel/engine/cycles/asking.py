"""What a model is told of a function: the prompt of its section, by all that the run has measured so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windtunnel.engine.cycles.records import cycles_in, gains, metric_means
from windtunnel.engine.cycles.tried import tried_in
from windtunnel.engine.improve.subjects import Subject
from windtunnel.metrics.prompts.environment import section_prompt_by
from windtunnel.metrics.prompts.section import Known

_MOST_PRIOR = 5
_MOST_WORDS = 200


def prompt_of(
    before: Sequence[Mapping[str, Any]], *, folder: Path, seed: int, environ: Mapping[str, str],
) -> Callable[[Subject], str]:
    """By the templates of the clone and ours, as ``build_section_prompt`` writes it for people."""
    history: dict[str, list[float]] = {}
    for record in before:
        for name, value in metric_means(cycles_in([record])).items():
            history.setdefault(name, []).append(value)

    def prompt(subject: Subject) -> str:
        return section_prompt_by(environ, Known(
            section=f"{subject.path}:{subject.function}", snippet=subject.code, metrics=history,
            returns=tuple(gains(before)), prior=_prior(before, subject)), project=folder, seed=seed)

    return prompt


def _prior(before: Sequence[Mapping[str, Any]], subject: Subject) -> str:
    """What was tried of the function, newest last."""
    place = f"{subject.path}::{subject.function}"
    rows = [one for one in tried_in(before) if one.place == place][-_MOST_PRIOR:]
    return "; ".join(f"{one.origin} {one.name}: {'kept' if one.kept else 'dropped'}, {one.why[:_MOST_WORDS]}"
                     for one in rows)
