"""Sources of the user's own beside those there are: rules, handlers, and fixes that worked before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Problem
from windtunnel.core.repair import Source
from windtunnel.engine.fix import handlers
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.repair.given import propose, read_rules
from windtunnel.repair.history import History

_MOST_BYTES = 1024**2


def own_sources(asked: Fix, *, state: Path | None) -> Sequence[Source]:
    """Those that were asked for or are installed; a typed error for a file of rules that cannot be used."""
    given = _given(Path(asked.rules), project=Path(asked.project)) if asked.rules else ()
    history = history_of(asked, state=state)
    return (*given, *handlers.of_packages(), *((history.propose,) if history is not None else ()))


def _given(place: Path, *, project: Path) -> Iterator[Source]:
    """The rules of a file; of a folder, those of all its files, and its handlers."""
    if not place.is_dir():
        yield _rules(place)
        return
    found = [*map(_rules, sorted((*place.glob("*.yaml"), *place.glob("*.yml")))),
             *handlers.of_folder(place, project=project)]
    if not found:
        raise UsageError(f"rules: the folder {str(place)!r} has no .yaml, .yml or .py file", field="rules")
    yield from found


def _rules(path: Path) -> Source:
    return partial(propose, read_rules(_text(path), file=str(path)))


def history_of(asked: Fix, *, state: Path | None) -> History | None:
    """What worked before, where that is kept."""
    return History(state / "history.jsonl") if asked.remember and state is not None else None


def remember(history: History, problem: Problem, base: Base) -> None:
    """Keep what ended a problem."""
    name = base.steps[-1].name if base.steps else "fix"
    history.remember(problem, name, {path: (base.original(path) or "", text) for path, text in base.texts.items()})


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UsageError(f"rules: {str(path)!r} is larger than {_MOST_BYTES} bytes", field="rules")
        return data.decode("utf-8")
    except OSError as failure:
        raise UsageError(f"rules: cannot read {str(path)!r}: {failure.strerror}", field="rules") from failure
    except UnicodeDecodeError:
        raise UsageError(f"rules: {str(path)!r} is not UTF-8", field="rules") from None
