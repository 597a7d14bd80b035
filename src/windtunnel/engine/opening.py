"""What a tunnel opens when it is made: languages of the user's own, and the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.config import Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.language import Language

if TYPE_CHECKING:
    from windtunnel.engine.acts import Acts
    from windtunnel.store.history import SqliteHistory


def own_languages(settings: Settings) -> list[Language]:
    """Those that the settings describe."""
    if not settings.languages:
        return []
    from windtunnel.languages.custom import language_from  # noqa: PLC0415 -- few have any

    return [language_from(given) for given in settings.languages]


def history_of(settings: Settings, acts: Acts) -> SqliteHistory | None:
    """None where it is switched off; where acts may go on without their record, also without a row of it."""
    if not settings.history:
        return None
    from windtunnel.store.history import SqliteHistory  # noqa: PLC0415 -- where it is switched off, not even loaded

    lost = (lambda why: acts.say_unwritten("history", why)) if settings.audit is Auditing.OPTIONAL else None
    return SqliteHistory(settings.state_dir / "history.db", lost=lost)
