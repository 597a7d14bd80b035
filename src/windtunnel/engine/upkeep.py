"""Acts on images, commits and the history: each is asked and written down as every other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.policy import Request
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts
from windtunnel.engine.record import Act
from windtunnel.engine.requests import of_paths

if TYPE_CHECKING:
    from windtunnel.core.ports import History, Languages
    from windtunnel.core.trial import SandboxResult
    from windtunnel.engine.boot import Boot
    from windtunnel.engine.images import Built
    from windtunnel.sandbox.container.engine import Engine
    from windtunnel.sandbox.container.image_build import Plan


def build_images(
    acts: Acts, engine: Engine, planned: Sequence[Plan], *, tell: Callable[[str], None] = lambda _: None,
) -> list[Built]:
    """Make them; one that fails ends it, and those before it stay, which the record says.

    Their wall time is charged and not stopped: nothing bounds how long the distribution's packages take.
    """
    from windtunnel.engine.images import build_images as build  # noqa: PLC0415 -- few use containers

    inputs: dict[str, object] = {"engine": engine.name, "images": [
        {"name": plan.name, "language": plan.language, "files": str(plan.files)} for plan in planned]}
    with acts.act("image build", lambda: inputs, request=lambda: _of_images("image build", planned)) as act:
        made: list[Built] = []
        try:
            with _timed(act, acts.settings.trial_seconds):
                made.extend(build(engine, planned, tell=tell))
        finally:
            act.end(act.outcome, images=[{"name": one.name, "id": one.id, "size": one.size} for one in made])
    return made


def remove_images(
    acts: Acts, engine: Engine, languages: Languages, *, wanted: Sequence[str], everything: bool,
) -> list[str]:
    """Forget those named, or everything that Windtunnel built."""
    from windtunnel.engine.images import remove_images as remove  # noqa: PLC0415

    inputs = {"engine": engine.name, "images": particulars.some(wanted), "everything": everything}
    with acts.act("image remove", lambda: inputs, exact=lambda: (engine.name, list(wanted), everything),
                  request=lambda: Request(verb="image remove")) as act:
        removed = remove(engine, languages, wanted, everything=everything)
        act.end("done", images=particulars.some(removed))
    return removed


def prune_history(acts: Acts, history: History, *, keep: int | None, days: float | None) -> int:
    """Forget the oldest runs and trials; how many were forgotten."""
    with acts.act("history prune", lambda: {"keep": keep, "days": days},
                  request=lambda: Request(verb="history prune")) as act:
        count = history.prune(keep=keep, days=days)
        act.end("done", forgotten=count)
    return count


def commit(acts: Acts, project: str | os.PathLike[str], result: SandboxResult, *, message: str) -> str:
    """Commit a change that was applied; the commit's hash."""
    from windtunnel.engine.commit import commit as write  # noqa: PLC0415 -- few commit

    root = Path(project).resolve()
    with acts.act("commit", lambda: {**particulars.of_apply(result), "message": message[:4096]}, project=str(root),
                  parent=result.id, exact=lambda: (particulars.of_written(result), message),
                  request=lambda: of_paths("commit", tuple(sorted(result.changes.paths)))) as act:
        made = write(root, result, message=message)
        act.end("done", subject=made)
    return made


@contextlib.contextmanager
def paid_boot(act: Act, wanted: Boot) -> Iterator[Boot]:
    """The disk with as much time as the budgets leave it."""
    if act.purse is None:
        yield wanted
        return
    from windtunnel.engine.boot import settings_for  # noqa: PLC0415 -- loaded already

    with act.purse.timed(wall_seconds=settings_for(wanted, os.environ).seconds) as share:
        lower = share.seconds("wall_seconds") if share.lowered else None
        yield wanted if lower is None else replace(wanted, timeout=lower)


def _of_images(verb: str, planned: Sequence[Plan]) -> Request:
    return Request(verb=verb, languages=tuple(dict.fromkeys(plan.language for plan in planned)))


def _timed(act: Act, seconds: float) -> contextlib.AbstractContextManager[object]:
    return contextlib.nullcontext() if act.purse is None else act.purse.timed(wall_seconds=seconds)
