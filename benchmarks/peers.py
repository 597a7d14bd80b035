"""The same ``print(1)`` by other means, in turns with ours. Each row says what walls its peer had.

The container engines get the hardening that ours has by default, as far as their options go; the libraries get the
limits that they offer. A peer that is not here, or does not work here, has a row that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from benchmarks import peer_containers, peer_libraries
from benchmarks.ground import PROGRAM, Ground, interpreter, sandboxed, settle, walls
from benchmarks.peer_install import Installed, install
from benchmarks.rows import Row, timing_row
from benchmarks.starts import BARE, bare
from benchmarks.timing import Contender, NotRun, Timing, interleaved, reason
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.stems import candidates

GROUP = "peer"
_WARM, _COLD = "windtunnel, warm", "windtunnel, cold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another way to run a program that is not trusted."""

    name: str
    walls: str
    ready: Callable[[Ground, Installed], AbstractContextManager[Contender]]
    """Makes all that a user makes once; ``NotRun`` when it cannot be had."""
    start: str = "fresh"
    """``warm`` where the interpreter is already loaded when the program comes."""


PEERS = (
    Peer(name="sandlock run", walls="Landlock, seccomp, limits counted by its supervisor; no namespaces, host uid",
         ready=peer_libraries.sandlock),
    Peer(name="sandlock fork, each of a batch of 20", start="warm", ready=peer_libraries.sandlock_fork,
         walls="Landlock, seccomp; programs known when the batch starts, output joined; no namespaces, host uid"),
    Peer(name="llm-sandbox, bubblewrap, open session", ready=peer_libraries.llm_sandbox,
         walls="namespaces, seccomp deny-list, memory limit per process only; one workspace for all runs, host uid"),
    Peer(name="docker run", ready=peer_containers.docker,
         walls="namespaces, seccomp allow-list, no capabilities, control groups, read-only root, uid 1000"),
    Peer(name="podman run", ready=peer_containers.podman,
         walls="namespaces, seccomp allow-list, no capabilities, control groups, read-only root, uid 1000"),
    Peer(name="runsc do (gVisor)", ready=peer_containers.runsc,
         walls="a kernel of its own in user space (strongest here); no limits, the host's files readable, root inside"),
)


def rows(ground: Ground, peers: Sequence[Peer] = PEERS) -> Iterator[Row]:
    """Ours and every peer in one interleaved measurement, beside the bare interpreter."""
    installed = install(ground)
    with ExitStack() as stack:
        tunnel = stack.enter_context(ground.tunnel())
        tunnel.warm_up()
        seen: dict[str, list[ExecutionResult]] = {_WARM: [], _COLD: []}
        contenders: dict[str, Contender] = {
            BARE: bare(ground)[BARE],
            _WARM: sandboxed(lambda: tunnel.run(PROGRAM), seen[_WARM]),
            _COLD: sandboxed(lambda: tunnel.run(PROGRAM, warm=False), seen[_COLD]),
            "plain bwrap": _bubblewrap(ground),
        }
        for once in contenders.values():
            once()
        absent = dict(_prepare(ground, installed, contenders, stack=stack, peers=peers))
        times = interleaved(contenders, runs=ground.scale.slow_runs, rest=lambda: settle(tunnel))
    yield _ours(times, _WARM, seen, start="warm")
    yield _ours(times, _COLD, seen, start="fresh")
    yield timing_row(times, "plain bwrap", group=GROUP, name="plain bwrap", bare=BARE, beside=BARE, ours=False,
                     note="namespaces alone: no seccomp, no limits, the host's files readable, host uid",
                     contender="fresh")
    for peer in peers:
        yield (Row(group=GROUP, name=peer.name, missing=absent[peer.name], note=peer.walls) if peer.name in absent
               else timing_row(times, peer.name, group=GROUP, name=peer.name, bare=BARE, beside=BARE, ours=False,
                               note=peer.walls, contender=peer.start))


def _prepare(
    ground: Ground, installed: Installed, contenders: dict[str, Contender], *, stack: ExitStack,
    peers: Sequence[Peer],
) -> Iterator[tuple[str, str]]:
    """Add each peer that works once; yield the others with their reasons."""
    for peer in peers:
        try:
            contender = stack.enter_context(peer.ready(ground, installed))
            contender()
        except Exception as error:  # noqa: BLE001 -- a peer's failure is a row, never the end of ours
            yield peer.name, reason(error)
        else:
            contenders[peer.name] = contender


def _ours(
    times: dict[str, Timing | NotRun], key: str, seen: dict[str, list[ExecutionResult]], *, start: str,
) -> Row:
    return timing_row(times, key, group=GROUP, name=key, bare=BARE, beside=BARE, note=walls(seen[key]),
                      contender=start)


def _bubblewrap(ground: Ground) -> Contender:
    """The namespaces alone, by the binary that we use ourselves; a private /tmp unless the interpreter lives there."""
    covers = [] if interpreter().startswith("/tmp/") else ["--tmpfs", "/tmp"]
    return ground.command([
        candidates()[0], "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/",
        "/", "--dev", "/dev", "--proc", "/proc", *covers, interpreter(), "-c", PROGRAM])


def wins(rows: list[Row]) -> list[str]:
    """Where a peer is faster than ours of the same sort of start, in words."""
    ours = {row.contender: row for row in rows if row.group == GROUP and row.name in (_WARM, _COLD)}
    found = []
    for row in rows:
        own = ours.get(row.contender)
        if row.group == GROUP and own and own is not row and row.value and own.value and row.value < own.value:
            found.append(f"{row.name} is faster than {own.name}: {row.value:.1f} ms against {own.value:.1f} ms. "
                         f"Its walls: {row.note}.")
    return found
