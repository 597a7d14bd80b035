"""Mutants and the gate: how many a second beside other tools, whether their fates are right, how soon a verdict comes.

For each package one run of ``windtunnel mutate`` in a new process with an empty state folder; all that it takes counts,
from the start of the interpreter to the end: clean runs, comparing, keeping. Its fates are those that are checked.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping

from benchmarks import mutation_gates, mutation_hollow, mutation_states
from benchmarks.ground import Ground
from benchmarks.mutation_fates import right, under_load
from benchmarks.mutation_packages import GROUP, Package, Project, chosen, ready
from benchmarks.mutation_peers import PEERS, Peer, Peers, install
from benchmarks.mutation_runs import Run, mutate
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun, reason

_MB = 1_000_000
_MEMORY_MB = 1000.0
_AGAIN_PERCENT = 10.0
Part = Callable[[], Iterator[Row]]


def rows(ground: Ground) -> Iterator[Row]:
    """Package by package, then what needs none; a part that breaks is a row, and the others are measured."""
    peers = install(ground)
    for package in chosen(ground):
        yield from _guarded({package.name: lambda package=package: _package(ground, package, peers)})  # type: ignore[misc]  # bound now
    yield from _guarded({
        "gate in a large project": lambda: mutation_gates.large_project(ground),
        "nothing judged": lambda: mutation_states.rows(ground),
        "hollow fixes": lambda: mutation_hollow.rows(ground)})


def _guarded(parts: Mapping[str, Part]) -> Iterator[Row]:
    for name, part in parts.items():
        try:
            yield from part()
        except NotRun as missing:
            yield Row(group=GROUP, name=name, missing=str(missing))
        except Exception as error:  # noqa: BLE001 -- shown as a row, and in the exit code
            yield Row(group=GROUP, name=name, missing=f"failed: {reason(error)}", failed=True)


def _package(ground: Ground, package: Package, peers: Peers) -> Iterator[Row]:
    project = ready(ground, package)
    state = f"mutate-{project.folder.name}"
    run = mutate(ground, project, state=state)
    if run.result["state"] != "judged":
        raise RuntimeError(f"{run.result['state']}: {'; '.join(run.result['notes'])}")
    yield from _speed(package, run)
    yield from _guarded({
        f"second run, {package.name}": lambda: iter([_second(ground, project, run, state=state)]),
        f"right fates, {package.name}": lambda: right(ground, project, run),
        f"fates under load, {package.name}": lambda: iter([under_load(ground, project, run)]),
        f"gate, {package.name}": lambda: mutation_gates.one_function(ground, project)})
    for peer in PEERS:
        yield _beside(ground, project, run, peers=peers, peer=peer)


def _speed(package: Package, run: Run) -> Iterator[Row]:
    counts = ", ".join(f"{count} {fate}" for fate, count in run.result["counts"].items() if count)
    yield Row(group=GROUP, name=f"mutants, {package.name}", value=run.rate, unit="/s", of="value",
              note=f"{run.tried} tried in {run.ran.seconds:.1f} s, all of the command counted; {counts}; "
                   f"{run.result['tests']} tests; {run.result['differing']} of {run.result['compared']} compared "
                   f"differ; {os.cpu_count()} cores")
    name = f"memory, {package.name}"
    if run.ran.peak_bytes is None:
        yield Row(group=GROUP, name=name, missing="not seen: the kernel shows it to root alone")
        return
    yield Row(group=GROUP, name=name, value=run.ran.peak_bytes / _MB, unit="MB", of="value",
              target=Target(limit=_MEMORY_MB), note="PSS of all processes together, the most of five looks a second")


def _second(ground: Ground, project: Project, run: Run, *, state: str) -> Row:
    """The same command after one line is written otherwise; then the line is put back."""
    edit = project.package.one_line
    edit.within(project.folder)
    try:
        again = mutate(ground, project, state=state)
    finally:
        edit.undone().within(project.folder)
    kept = sum(one["way"] == "kept" for one in again.result["judged"])
    return Row(group=GROUP, name=f"second run after a one-line edit, {project.package.name}", unit="%", of="value",
               value=100 * again.ran.seconds / run.ran.seconds, target=Target(limit=_AGAIN_PERCENT),
               note=f"{again.ran.seconds:.1f} s of {run.ran.seconds:.1f} s; {again.result['tries']} tried, {kept} "
                    f"kept; {edit.path}: {' '.join(edit.new.split())[:60]}")


def _beside(ground: Ground, project: Project, run: Run, *, peers: Peers, peer: Peer) -> Row:
    """Ours over theirs, of mutants in the same places; theirs without their start-up, ours with it."""
    name = f"mutants beside {peer.name}, {project.package.name}"
    try:
        found = peer.measure(ground, project, peers)
        ours = run if peer.everywhere else mutate(ground, project, "--no-keep", *_functions(project, run))
    except Exception as error:  # noqa: BLE001 -- a peer's failure is a row, never the end of ours
        return Row(group=GROUP, name=name, missing=reason(error))
    where = "all of ours" if peer.everywhere else "ours inside functions, since it makes no others"
    return Row(group=GROUP, name=name, value=ours.rate, unit="/s", beside=peer.name, other=found.rate,
               target=Target(limit=peer.times, least=True),
               note=f"{where}: {ours.tried} in {ours.ran.seconds:.1f} s; {found.note}")


def _functions(project: Project, run: Run) -> Iterator[str]:
    """The lines inside the bodies of functions, as options."""
    for path in run.result["files"]:
        for node in ast.walk(ast.parse((project.folder / path).read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from ("--lines", f"{path}:{node.body[0].lineno}-{node.end_lineno}")
