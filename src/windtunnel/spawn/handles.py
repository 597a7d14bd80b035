"""How others hold a process that was started here: its type, and the word for one that goes on. Starts nothing."""

from __future__ import annotations

from subprocess import TimeoutExpired as TimeoutExpired  # noqa: PLC0414 -- handed on
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for annotations alone, so that nobody can start a process by it
    from subprocess import Popen as Popen  # noqa: PLC0414 -- handed on
