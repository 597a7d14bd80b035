"""Rows that the suite asks for to see tasks at work; as real as ours, and never there by default."""

from __future__ import annotations

import time

from pydantic import Field

from windtunnel.core.errors import Cancelled, UsageError
from windtunnel.tools.row import Context, Given, Told, Tool

_LOOK_SECONDS = 0.05


class SlowCompute(Given):
    """How long."""

    seconds: float = Field(default=1, ge=0, le=120)
    label: str = Field(default="", max_length=200)


class Nothing(Given):
    """Nothing to say."""


def _slow(context: Context, given: SlowCompute) -> Told:
    until = time.monotonic() + given.seconds
    while (left := until - time.monotonic()) > 0:
        if context.stop():
            raise Cancelled("cancelled")
        time.sleep(min(left, _LOOK_SECONDS))
    return Told(reason=f"computed {given.label}".strip())


def _failing(_: Context, __: Nothing) -> Told:
    raise UsageError("job: this one always fails", field="job")


def _fault(_: Context, __: Nothing) -> Told:
    raise RuntimeError("this one is broken")


ROWS = (
    Tool(name="slow_compute", title="Compute slowly", description="For the suite.", permission="", given=SlowCompute,
         told=Told, act=_slow, long=True),
    Tool(name="failing_job", title="Fail", description="For the suite.", permission="", given=Nothing, told=Told,
         act=_failing, long=True, only_as_task=True),
    Tool(name="protocol_error_job", title="Break", description="For the suite.", permission="", given=Nothing,
         told=Told, act=_fault, long=True),
)
