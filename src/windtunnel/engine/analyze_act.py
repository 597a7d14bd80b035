"""An analysis as an act: asked of the policy as ``analyze``, and written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.config import Settings
from windtunnel.core.analysis import Analysis
from windtunnel.core.errors import UsageError
from windtunnel.core.policy import Request
from windtunnel.core.ports import Network
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts
from windtunnel.engine.analyze import Keeping, analyze, checked
from windtunnel.engine.given import Project, check_options, check_project_name
from windtunnel.store.analyses import Statistics

if TYPE_CHECKING:
    from windtunnel.engine.workspaces.verbs import Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyze:
    """One analysis that is asked for."""

    project: Project
    advisories: Project | None = None
    """A folder or zip of advisories in the OSV format; none takes the one that is set."""
    fresh: bool = False
    """Whether to look at everything anew."""
    thorough: bool = False
    """Whether to measure every function of a large tree too, which can take minutes."""
    coverage: bool = False
    """Whether to run the tests in a sandbox, over a copy, where no report says what they cover."""
    resolve: bool = False
    """Whether uv looks, in a sandbox, if the wishes of Python parts fit with those of all that they bring along."""
    allow_hosts: Sequence[str] = ()
    """What that may reach, beside the index that the environment names."""
    tell: Callable[[str], None] | None = None
    """Hears how far it is, when it takes more than a second."""

    def __post_init__(self) -> None:
        """Refuse what is neither yes nor no."""
        for name in ("fresh", "thorough", "coverage", "resolve"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name}: not True or False: {getattr(self, name)!r:.60}", field=name)


def analyze_project(
    acts: Acts, project: Project, *, options: Mapping[str, Any], workspaces: Callable[[], Workspaces],
) -> Analysis:
    """What a project is; the options are the fields of ``Analyze``."""
    check_options(options, Analyze.__dataclass_fields__.keys() - {"project"}, what="an analysis", see="Analyze")
    check_project_name(project)
    asked = Analyze(project=project, **options)
    if asked.advisories is not None:
        check_project_name(asked.advisories)
    with acts.act("analyze", lambda: _asked(asked), project=str(project), exact=lambda: replace(asked, tell=None),
                  request=lambda: Request(verb="analyze", network=Network(
                      allow_hosts=tuple(asked.allow_hosts)))) as act:
        result = _looked(acts.settings, asked)
        if asked.resolve or asked.coverage:
            result = _run(workspaces(), result, asked)
        act.end("conflicts" if result.dependencies.conflicts else "done", subject=result.tree, **_found(result))
    return replace(result, notes=(*result.notes, f"not written down: {act.unrecorded}")) if act.unrecorded else result


def _run(workspaces: Workspaces, result: Analysis, asked: Analyze) -> Analysis:
    """What only running something tells."""
    from windtunnel.engine.analyze_coverage import with_coverage  # noqa: PLC0415 -- nothing else of an analysis runs
    from windtunnel.engine.analyze_resolve import with_resolution  # noqa: PLC0415

    if asked.resolve:
        result = with_resolution(workspaces, result, allow_hosts=asked.allow_hosts, tell=asked.tell)
    if asked.coverage and result.metrics.coverage is None:
        result = with_coverage(workspaces, result, tell=asked.tell)
    return result


def keeping_of(settings: Settings) -> Keeping:
    """Where this user's analyses are kept."""
    return Keeping(
        cache_dir=settings.cache_dir, hours=settings.analysis_hours, most_bytes=settings.analysis_cache_bytes
    )


def statistics(settings: Settings) -> Statistics:
    """How the cache of analyses has done."""
    store = keeping_of(settings).store()
    assert store is not None  # settings always name a folder
    return store.statistics()


def _looked(settings: Settings, asked: Analyze) -> Analysis:
    advisories = Path(asked.advisories) if asked.advisories is not None else settings.analysis_advisories
    if advisories is not None and not advisories.exists():
        raise UsageError(
            f"advisories: {str(advisories)[:300]!r} is not there (a folder or zip of OSV advisories would do)",
            field="advisories",
        )
    return analyze(checked(Path(asked.project)), cache_dir=settings.cache_dir, keeping=keeping_of(settings),
                   advisories=advisories.absolute() if advisories is not None else None, fresh=asked.fresh,
                   thorough=asked.thorough, tell=asked.tell)


def _asked(asked: Analyze) -> dict[str, object]:
    return {"advisories": str(asked.advisories or ""), "fresh": asked.fresh, "thorough": asked.thorough,
            "coverage": asked.coverage, "resolve": asked.resolve, "hosts": particulars.some(asked.allow_hosts)}


def _found(result: Analysis) -> dict[str, object]:
    """What it is in a few words; no text out of the project but names."""
    return {
        "tree": result.tree, "cached": result.cached, "files": result.structure.files, "seconds": result.seconds,
        "languages": particulars.some([f"{one.name} {one.share:.3f}" for one in result.structure.languages]),
        "parts": particulars.some([f"{one.ecosystem} {one.folder}" for one in result.structure.parts]),
        "dependencies": len(result.dependencies.dependencies),
        "conflicts": particulars.some([f"{one.kind} {one.name}" for one in result.dependencies.conflicts]),
        "vulnerabilities": particulars.some([f"{one.id} {one.name} {one.version}"
                                             for one in result.dependencies.vulnerabilities])}
