"""Everything Windtunnel raises, as one tree.

    WindtunnelError
    ├── UsageError              the request is wrong; nothing ran (also a ValueError)
    │   ├── ProjectMoved        files are not as the trial saw them; nothing was written (``workspace.promote``)
    │   ├── Refused             a policy denies it; nothing was done
    │   │   └── BudgetSpent     a budget of the policy is spent, or all of it is held by what is under way
    │   ├── NotFound            there is none of that name that the caller may know of
    │   ├── KeyRefused          no key, or not a good one; nothing was looked at (``core.keys``)
    │   ├── NotPermitted        a good key that does not reach so far (``core.keys``)
    │   ├── Held                a legal hold forbids it; nothing was changed (``store.audit.hold``)
    │   └── ApprovalNeeded      a policy wants a person's yes first; nothing was done
    ├── Cancelled               whoever asked for it ended it; what ran already was ended
    ├── LanguageMissing         the language's tools are not installed; nothing ran
    ├── IsolationUnavailable    the walls asked for cannot be raised; nothing ran
    ├── WorkloadFailed          what is timed fails, or prints something else (``engine.improve.pacer``)
    ├── Busy                    too much is under way; the same can be asked later (``core.keys``)
    └── SandboxFailure          our side failed; the program may have run (also a RuntimeError)
        ├── SegmentFault        a sealed segment of the audit log is not what was sealed (``store.audit.segment``)
        └── KeyMissing          its encryption key is not in the ring (``store.audit.encryption``)

A program that fails is a result. An exception from this tree means that we failed, or that we
refused before anything ran. Each class has a stable ``code`` for machines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windtunnel.core.allowance import Standing
    from windtunnel.core.policy import Decision


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


class NotFound(UsageError):
    """There is none of that name; of another's the same is said, to the letter."""

    code = "not-found"


class Refused(UsageError):
    """A policy denies what was asked; the message names the rule."""

    code = "refused"

    def __init__(self, decision: Decision) -> None:
        """Keep the decision, for machines."""
        super().__init__(f"refused by policy: {decision.reason} ({decision.rule})", field="policy")
        self.decision = decision


class BudgetSpent(Refused):
    """A budget has nothing left for this; the message names it, its amount, and when it begins anew."""

    code = "budget-spent"

    def __init__(self, decision: Decision, standing: Standing) -> None:
        """Keep how it stands, for machines."""
        super().__init__(decision)
        self.standing = standing


class ApprovalNeeded(UsageError):
    """A policy lets it be done only when a person says yes; the message names the rule."""

    code = "approval-needed"

    def __init__(self, decision: Decision, *, approval: str = "") -> None:
        """Keep the decision, for machines; ``approval`` is the question that was put to people."""
        how = f"; windtunnel approvals approve {approval}" if approval else ""
        super().__init__(f"policy: a person must approve this first: {decision.reason} ({decision.rule}{how})",
                         field="policy")
        self.decision, self.approval = decision, approval


class Cancelled(WindtunnelError):
    """Whoever asked for it ended it."""

    code = "cancelled"


class LanguageMissing(WindtunnelError):
    """A known language whose tools this machine does not have; the message says what to install."""

    code = "language-missing"


class IsolationUnavailable(WindtunnelError):
    """The least isolation asked for cannot be had here; the message says what to install."""

    code = "isolation-unavailable"


class SandboxFailure(WindtunnelError, RuntimeError):
    """The sandbox itself broke; this says nothing about the program."""

    code = "sandbox-failure"
