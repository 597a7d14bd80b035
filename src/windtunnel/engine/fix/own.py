"""Sources of the user's own beside those there are: rules in a file, and fixes that worked before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Problem
from windtunnel.core.repair import Source
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.repair.given import propose, read_rules
from windtunnel.repair.history import History

_MOST_BYTES = 1024**2


def own_sources(asked: Fix, *, state: Path | None) -> Sequence[Source]:
    """Those that were asked for; a typed error for a file of rules that cannot be used."""
    rules = (partial(propose, read_rules(_text(Path(asked.rules)), file=str(asked.rules))),) if asked.rules else ()
    history = history_of(asked, state=state)
    return (*rules, *((history.propose,) if history is not None else ()))


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
