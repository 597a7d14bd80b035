"""The stronger levels: a container beside the engine's own command with the same flags, a machine beside its boot."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from benchmarks.ground import PROGRAM, Ground, hits, interpreter, python_toolchain, sandboxed, walls
from benchmarks.peer_containers import docker_daemon, podman_command
from benchmarks.peer_install import install
from benchmarks.rows import Row, Target, timing_row
from benchmarks.timing import Contender, NotRun, Timing, interleaved
from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.ports import Rig
from windtunnel.core.result import ExecutionResult
from windtunnel.engine.run import Snippet, prepare, run
from windtunnel.sandbox.container.arguments import create_arguments
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.engine import Engine
from windtunnel.sandbox.container.image_build import Plan, build
from windtunnel.sandbox.container.images import Chosen, Files
from windtunnel.sandbox.container.sandbox import Container
from windtunnel.sandbox.container.socket_engine import SocketEngine, profile_file
from windtunnel.sandbox.vm.level import VirtualMachine

GROUP = "level"
_SLOWER = 4
"""Times as slow as a container is a machine that boots."""
_WARM, _OVER, _MACHINE = Target(limit=0.5), Target(limit=1.1), Target(limit=0.2)


def rows(ground: Ground) -> Iterator[Row]:
    """Docker, Podman, then the machine."""
    for name, measure in (("docker", _docker), ("podman", _podman), ("vm", _machine)):
        try:
            yield from measure(ground)
        except (NotRun, IsolationUnavailable) as missing:
            yield Row(group=GROUP, name=name, missing=str(missing))


def _docker(ground: Ground) -> Iterator[Row]:
    with docker_daemon(ground, install(ground)) as (talk, folder):
        engines: dict[str, Engine] = {}
        if importlib.util.find_spec("docker") is not None:
            engines["socket"] = SocketEngine(f"unix://{folder}/socket")
        engines["command line"] = CommandEngine("docker", program=talk[0], options=talk[1:])
        yield from _containers(ground, "docker", talk, engines)


def _podman(ground: Ground) -> Iterator[Row]:
    with podman_command(ground, install(ground)) as (talk, _):
        engine = CommandEngine("podman", program=talk[0], options=talk[1:])
        yield from _containers(ground, "podman", talk, {"command line": engine})


def _containers(ground: Ground, name: str, talk: list[str], engines: dict[str, Engine]) -> Iterator[Row]:
    """Each way to speak to the engine, warm and cold, in turns with the engine's own command."""
    plain = f"{name} run, the same flags"
    seen: dict[str, list[ExecutionResult]] = {}
    contenders: dict[str, Contender] = {}
    sandboxes: list[Container] = []
    with ExitStack() as stack:
        rig = stack.enter_context(ground.tunnel(pool_size=0)).rig
        plan = Plan(name="windtunnel/bench:local", language="python", files=Files.HOST, toolchain=python_toolchain())
        image = build(next(iter(engines.values())), plan, tell=lambda _: None)
        chosen = Chosen(name=plan.name, id=image.id, files=Files.HOST)
        for way, engine in engines.items():
            for sort, pool_size in (("warm", 1), ("cold", 0)):
                sandbox = Container(engine, image=lambda _: chosen, pool_size=pool_size)
                stack.callback(sandbox.close)
                sandboxes.append(sandbox)
                key = f"{sort}, by {way}"
                contenders[key] = _contender(replace(rig, sandbox=sandbox), seen.setdefault(key, []))
        contenders[plain] = stack.enter_context(_plain(ground, rig, sandboxes[-1], talk))
        times = _in_turns(contenders, seen, sandboxes, runs=ground.scale.slow_runs)
    for key, results in seen.items():
        warm = key.startswith("warm")
        note = f"{hits(results)}; {walls(results)}" if warm else walls(results)
        yield timing_row(times, key, group=GROUP, name=f"{name} container, {key}", bare=plain, beside=plain,
                         target=_WARM if warm else _OVER, note=note)


def _in_turns(
    contenders: Mapping[str, Contender], seen: Mapping[str, list[ExecutionResult]],
    sandboxes: Sequence[Container | VirtualMachine], *, runs: int,
) -> dict[str, Timing | NotRun]:
    """Once to begin with, then in turns, with what ran before cleared away first."""
    for once in contenders.values():
        once()
    for results in seen.values():
        results.clear()

    def rest() -> None:
        for sandbox in sandboxes:
            sandbox.flush()

    return interleaved(contenders, runs=runs, rest=rest)


def _contender(rig: Rig, results: list[ExecutionResult]) -> Contender:
    return sandboxed(lambda: run(rig, Snippet(code=PROGRAM, language="python")), results)


@contextmanager
def _plain(ground: Ground, rig: Rig, sandbox: Container, talk: list[str]) -> Iterator[Contender]:
    """The engine's own ``run`` of the interpreter, with every flag that we give it, on a folder of the same making."""
    job = prepare(rig, "python")
    kind = sandbox._kind(job)  # noqa: SLF001 -- the flags are what is compared
    owner = sandbox._owner()  # noqa: SLF001
    cell = Cell(kind.limits, uid=owner.uid, sight=sandbox._sight(), mapped=owner.mapped)  # noqa: SLF001
    spec = replace(sandbox.spec(kind, cell, owner), argv=(interpreter(), "-c", PROGRAM))
    podman = sandbox.engine.name == "podman"
    try:
        with profile_file(spec.seccomp) as file:
            words = create_arguments(spec, profile=file.name, podman=podman)
            yield ground.command([*talk, "run", *words])
    finally:
        cell.remove()


def _machine(ground: Ground) -> Iterator[Row]:
    """A waiting machine, one restored from its snapshot, and one that boots."""
    seen: dict[str, list[ExecutionResult]] = {"warm": [], "restored": [], "booted": []}
    contenders: dict[str, Contender] = {}
    with ExitStack() as stack:
        rig = stack.enter_context(ground.tunnel(pool_size=0)).rig
        machines = {
            "warm": VirtualMachine(cache_dir=ground.folder / "vm", pool_size=1),
            "restored": VirtualMachine(cache_dir=ground.folder / "vm", pool_size=0),
            "booted": VirtualMachine(cache_dir=ground.folder / "vm", pool_size=0, snapshots=False),
        }
        for key, machine in machines.items():
            stack.callback(machine.close)
            contenders[key] = _contender(replace(rig, sandbox=machine), seen[key])
        machines["warm"].warm_up(prepare(rig, "python"))
        times = _in_turns(contenders, seen, list(machines.values()), runs=max(1, ground.scale.slow_runs // _SLOWER))
    boot = "the same machine, booted"
    yield timing_row(times, "warm", group=GROUP, name="vm, warm", bare="booted", beside=boot, target=_MACHINE,
                     note=f"{hits(seen['warm'])}; {walls(seen['warm'])}")
    yield timing_row(times, "restored", group=GROUP, name="vm, restored from its snapshot", bare="booted", beside=boot)
