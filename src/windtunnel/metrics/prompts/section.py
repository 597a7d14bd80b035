"""The prompt for one section: a template, and what is known of the section, within a length."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.metrics.prompts.choose import FOCUS, choose, falling
from windtunnel.metrics.prompts.template import MOST_TEMPLATE, Template, read_template
from windtunnel.metrics.synergy import PREFIX

FOLDER = "templates/auto_prompts"
"""Where a project has templates of its own; each takes the place of ours of that name."""
_RECENT = 5
_MOST_TEMPLATES = 100
_MOST_SHOWN = 40
_STEPS = 12
_MOST_SNIPPET = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a template gets to know of a section."""

    section: str
    snippet: str = ""
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Histories, oldest first; those that begin with ``synergy_`` are told apart."""
    returns: Sequence[float] = ()
    """Gains of each cycle, oldest first."""
    prior: str = ""
    """What was tried before."""
    summary: str = ""
    """What the section is for."""


def load_templates(project: Path | None = None) -> dict[str, str]:
    """Every ``.j2`` by its name: ours, and over them those of the project."""
    ours = resources.files("windtunnel.metrics.prompts").joinpath(FOLDER)
    found = {entry.name.removesuffix(".j2"): entry.read_text("utf-8") for entry in ours.iterdir()
             if entry.name.endswith(".j2")}
    folder = None if project is None else project / FOLDER
    paths = [] if folder is None or not folder.is_dir() else sorted(folder.glob("*.j2"))
    if len(paths) > _MOST_TEMPLATES:
        raise UsageError(f"{FOLDER}: more than {_MOST_TEMPLATES} templates", field="template")
    for path in paths:
        if project is not None and not path.resolve().is_relative_to(project.resolve()):
            raise UsageError(f"{FOLDER}: {path.name!r} leads out of the project", field="template")
    return found | {path.stem: read_text(path) for path in paths}


def read_text(path: Path) -> str:
    """A template's file, if it is a small file of text."""
    try:
        if not path.is_file():
            raise UsageError(f"template: {path.name!r} is no file", field="template")
        with path.open("rb") as file:
            return file.read(4 * MOST_TEMPLATE).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"template: {path.name!r} cannot be read: {error}", field="template") from None


def section_prompt(
    known: Known, *, templates: Mapping[str, str], template: str | None = None, most: int | None = None, seed: int = 0,
) -> str:
    """The prompt by ``template``, else by the one of ``templates`` that the metrics call for, ``most`` long at most.

    Where that is exceeded, the snippet and the texts of metrics are cut to the same share of their length, as much
    as is needed; where even that is too long, so is the end of the prompt.
    """
    own, _ = _split(known.metrics)
    name = "template" if template is not None else choose(
        sorted(templates), own, returns=known.returns, seed=seed)
    parsed = read_template(templates[name] if template is None else template, name=name)
    names = _names(known, name)
    text = parsed.render(names)
    return text if most is None or len(text) <= most else _shortened(parsed, names, most)


def _shortened(template: Template, names: Mapping[str, str], most: int) -> str:
    """Halving the share that is kept until it fits, then closing in on the largest that does."""
    low, high, best = 0.0, 1.0, template.render(_cut(names, 0.0))[:most]
    for _ in range(_STEPS):
        share = (low + high) / 2
        text = template.render(_cut(names, share))
        if len(text) <= most:
            low, best = share, text
        else:
            high = share
    return best


def _cut(names: Mapping[str, str], share: float) -> dict[str, str]:
    kept = {}
    for name, text in names.items():
        length = int(len(text) * share)
        whole = name in {"section", "falling"} or length >= len(text)
        kept[name] = text if whole else f"{text[:length - 1]}…" if length > 1 else ""
    return kept


def _split(metrics: Mapping[str, Sequence[float]]) -> tuple[dict[str, Sequence[float]], dict[str, Sequence[float]]]:
    own = {name: values for name, values in metrics.items() if not name.startswith(PREFIX)}
    return own, {name: values for name, values in metrics.items() if name.startswith(PREFIX)}


def _names(known: Known, chosen: str) -> dict[str, str]:
    own, together = _split(known.metrics)
    fallen = falling(own)
    here = [name for name in fallen if name in FOCUS.get(chosen, tuple(fallen))]
    return {
        "section": known.section[:500], "snippet": known.snippet[:_MOST_SNIPPET], "prior": known.prior,
        "summary": known.summary, "history": _numbers(_sums(known.returns)), "deltas": _numbers(known.returns),
        "metrics": _lasts(own), "metrics_summary": _trends(own), "synergy": _lasts(together),
        "synergy_summary": _trends(together), "discrepancy_history": _numbers(own.get("discrepancy_count", ())),
        "falling": ", ".join(here)}


def _sums(returns: Sequence[float]) -> list[float]:
    total, found = 0.0, []
    for value in returns:
        total += value
        found.append(total)
    return found


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values[-_RECENT:])


def _lasts(metrics: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{name[:100]}={values[-1]:.3g}" for name, values in list(metrics.items())[:_MOST_SHOWN] if values)


def _trends(metrics: Mapping[str, Sequence[float]]) -> str:
    """Mean of the last five, and what the last one is beside the first of them."""
    told = []
    for name, values in list(metrics.items())[:_MOST_SHOWN]:
        recent = values[-_RECENT:]
        if len(recent) > 1:
            told.append(f"{name[:100]} mean {statistics.fmean(recent):.3g}, change {recent[-1] - recent[0]:+.3g}")
    return "; ".join(told)
