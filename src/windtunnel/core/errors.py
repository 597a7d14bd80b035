"""Everything Windtunnel raises, as one tree.

    WindtunnelError
    ├── UsageError              the request is wrong; nothing ran (also a ValueError)
    │   └── ProjectMoved        files are not as the trial saw them; nothing was written (``workspace.promote``)
    ├── LanguageMissing         the language's tools are not installed; nothing ran
    ├── IsolationUnavailable    the walls asked for cannot be raised; nothing ran
    └── SandboxFailure          our side failed; the program may have run (also a RuntimeError)

A program that fails is a result. An exception from this tree means that we failed, or that we
refused before anything ran. Each class has a stable ``code`` for machines.
"""

from __future__ import annotations


class WindtunnelError(Exception):
    """The root of the tree."""

    code = "error"


class UsageError(WindtunnelError, ValueError):
    """The request is wrong; the message names the field and says what would do."""

    code = "usage"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        """Remember which field was wrong, for machines."""
        super().__init__(message)
        self.field = field


class LanguageMissing(WindtunnelError):
    """A known language whose tools this machine does not have; the message says what to install."""

    code = "language-missing"


class IsolationUnavailable(WindtunnelError):
    """The least isolation asked for cannot be had here; the message says what to install."""

    code = "isolation-unavailable"


class SandboxFailure(WindtunnelError, RuntimeError):
    """The sandbox itself broke; this says nothing about the program."""

    code = "sandbox-failure"
