"""One attempt at a task: what it may use, and what the next one changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.core.limits import Limits, said
from windtunnel.core.plan import FailureKind, Task
from windtunnel.engine.premises import trial_limits

_MORE_OUTPUT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The most that any attempt may use."""

    caps: Limits
    most_seconds: float
    network: bool = True
    """Whether a task may be given a network at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a task may use this time."""

    seconds: float
    limits: Limits
    hosts: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """What differs from the plan, in words."""
    wait_seconds: float = 0.0
    """Before it begins."""


def first(task: Task, room: Room) -> Attempt:
    """As planned, within the caps."""
    limits = trial_limits(None, caps=replace(room.caps, wall_seconds=room.most_seconds))
    seconds = min(task.timeout_seconds, room.most_seconds)
    lowered = f"timeout {task.timeout_seconds:g} s -> {seconds:g} s, the cap"
    return Attempt(seconds=seconds, limits=limits, hosts=task.hosts,
                   changed=(lowered,) if seconds < task.timeout_seconds else ())


def following(task: Task, last: Attempt, kind: FailureKind, room: Room, *, tried: int) -> Attempt | None:
    """What to change after a failure of this kind that came ``tried`` times; none where nothing would help."""
    retry = task.retry
    if kind is FailureKind.TIMEOUT and tried <= retry.timeout and task.ends:
        return _longer(last, room, times=2)
    if kind is FailureKind.MEMORY and tried <= retry.memory:
        return _roomier(last, room, times=2)
    if kind is FailureKind.NETWORK and tried <= retry.network and last.hosts:
        wait = retry.backoff_seconds * 2 ** (tried - 1)
        return replace(last, wait_seconds=wait, changed=(*_kept(last), f"again after {wait:g} s"))
    if kind is FailureKind.FAILED and tried <= retry.failed:
        return replace(last, wait_seconds=0.0, changed=(*_kept(last), "again, since its plan says that it is unsteady"))
    return None


def enhanced(task: Task, room: Room, *, kind: FailureKind | None, hosts: Sequence[str] = ()) -> Attempt:
    """With more of everything: time, memory, output, and the registries of its manager where it may have a network.

    A task that a person had to agree to keeps to the network that was agreed to.
    """
    made = first(task, room)
    made = _longer(made, room, times=4 if kind is FailureKind.TIMEOUT else 2) or made
    made = _roomier(made, room, times=4 if kind is FailureKind.MEMORY else 2) or made
    output = made.limits.output_bytes * _MORE_OUTPUT
    limits = replace(made.limits, output_bytes=min(output, room.caps.output_bytes))
    changed = [*made.changed, f"output kept up to {said('output_bytes', limits.output_bytes)}"]
    wider = tuple(dict.fromkeys((*task.hosts, *hosts)))
    if wider != task.hosts and room.network and not task.approval:
        changed.append(f"network to {', '.join(wider)}")
        made = replace(made, hosts=wider)
    return replace(made, limits=limits, changed=tuple(changed))


def _longer(last: Attempt, room: Room, *, times: int) -> Attempt | None:
    seconds = min(last.seconds * times, room.most_seconds)
    if seconds <= last.seconds:
        return None
    return replace(last, seconds=seconds, changed=(*_kept(last), f"timeout {last.seconds:g} s -> {seconds:g} s"))


def _roomier(last: Attempt, room: Room, *, times: int) -> Attempt | None:
    memory = min(last.limits.memory_bytes * times, room.caps.memory_bytes)
    if memory <= last.limits.memory_bytes:
        return None
    before, after = (said("memory_bytes", size) for size in (last.limits.memory_bytes, memory))
    return replace(last, limits=replace(last.limits, memory_bytes=memory),
                   changed=(*_kept(last), f"memory {before} -> {after}"))


def _kept(last: Attempt) -> tuple[str, ...]:
    return tuple(text for text in last.changed if not text.startswith("again"))
