"""What the audit log costs: appends, verification, proofs, the record around a run and a trial, and what it finds."""

from __future__ import annotations

import random
import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.ground import PROGRAM, Ground, checked, settle
from benchmarks.rows import MILLISECONDS, Compared, Row, Target, timing_row
from benchmarks.timing import Contender, interleaved, timed
from benchmarks.trial_projects import QUICK, make_project, neutral
from windtunnel.core.audit import AuditEntry, Auditing
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.note import SecretKey
from windtunnel.store.audit.proof import check_proof, prove
from windtunnel.store.audit.verify import verify
from windtunnel.tunnel import Tunnel

GROUP = "audit"
_THREADS = 64
_TRIALS = 3
"""Times the runs of others: what is looked for is far less than what one trial differs from the next by."""
_DETAILS = {
    "inputs": {"code": "a" * 64, "language": "python"},
    "controls": {f"control {number}": "yes" for number in range(20)},
    "result": {"exit_code": 0, "reason": "exited"}, "effects": {"files": [], "network": []}}
_COLUMNS = ("header", "details", "leaf")


def rows(ground: Ground) -> Iterator[Row]:
    """All of it."""
    scale = ground.scale
    folder = ground.folder / "audit"
    folder.mkdir(exist_ok=True)
    yield _appends(folder, scale.records)
    yield from _whole(folder, scale.big_log)
    yield from _tamperings(folder, scale.tamperings)
    yield _around_a_run(ground)
    yield _around_a_trial(ground)


def _entry() -> AuditEntry:
    return AuditEntry(kind="run", outcome="done", actor="bench", session="s", details=_DETAILS)


def _appends(folder: Path, count: int) -> Row:
    """Each on the disk before it is told of, by many threads at once."""
    log = AuditLog(folder / "appends.db")
    log.append(_entry())

    def work() -> None:
        for _ in range(max(1, count // _THREADS)):
            log.append(_entry())

    threads = [threading.Thread(target=work) for _ in range(_THREADS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = max(1, count // _THREADS) * _THREADS / (time.perf_counter() - began)
    log.close()
    return Row(group=GROUP, name="durable appends", value=rate, unit="/s", of="value",
               target=Target(limit=5000, least=True), note=f"{_THREADS} threads, group commit")


def _whole(folder: Path, size: int) -> Iterator[Row]:
    """Verification of a big log, and a proof of one of its records."""
    log = AuditLog(folder / "big.db")
    for _ in range(size // 1000):
        log.append_all([_entry() for _ in range(1000)], wait=False)
    began = time.perf_counter()
    found = verify(log)
    rate = found.size / (time.perf_counter() - began)
    assert found.success
    yield Row(group=GROUP, name="records verified", value=rate, unit="/s", of="value",
              target=Target(limit=50_000, least=True), note=f"{found.size} records, one core")
    key = SecretKey("bench", b"k" * 32)
    note = Checkpoint(origin="bench", size=found.size, root=found.root).signed(key)
    proof, keys = prove(log, found.size // 3, note=note, size=found.size), [key.public]
    yield Row(group=GROUP, name=f"proof of one record among {found.size} checked",
              value=_median(lambda: check_proof(proof, keys), 200) * MILLISECONDS, of="value", target=Target(limit=1.0))
    log.close()


def _tamperings(folder: Path, count: int) -> Iterator[Row]:
    """Random acts of somebody who may write the file, and as many logs that nobody touched."""
    found = clean = 0
    for seed in range(count):
        chance = random.Random(seed)
        path = folder / f"tamper-{seed}.db"
        log, size = AuditLog(path), chance.randrange(2, 24)
        log.append_all([_entry() for _ in range(size)], wait=False)
        whole = Checkpoint(origin="bench", size=size, root=log.head()[1])
        clean += verify(log, [whole]).success
        log.close()
        _tamper(path, chance, size)
        found += not verify(log, [whole]).success
        log.close()
        for left in folder.glob(f"{path.name}*"):
            left.unlink()
    yield Row(group=GROUP, name=f"{count} random tamperings: found", value=100 * found / count, unit="%", of="value",
              target=Target(limit=100, least=True), note="edit, delete, swap, double, cut, replace; with a checkpoint")
    yield Row(group=GROUP, name=f"{count} clean logs: found whole", value=100 * clean / count, unit="%", of="value",
              target=Target(limit=100, least=True))


def _tamper(path: Path, chance: random.Random, size: int) -> None:
    seq = chance.randrange(size)
    other = (seq + 1 + chance.randrange(size - 1)) % size
    if chance.random() < 1 / 6:
        path.unlink()
        replaced = AuditLog(path)
        replaced.append_all([replace(_entry(), actor="somebody else") for _ in range(size)], wait=False)
        replaced.close()
        return
    connection = sqlite3.connect(path, isolation_level=None)
    kept = "header, details, leaf, nodes"
    copy = f"INSERT INTO records (seq, {kept}) SELECT {size}, {kept}"
    acts: list[list[str]] = [
        [f"DELETE FROM records WHERE seq = {seq}"], [f"DELETE FROM records WHERE seq >= {seq}"],
        [f"{copy} FROM records WHERE seq = {seq}"],
        [f"UPDATE records SET seq = -1 WHERE seq = {seq}", f"UPDATE records SET seq = {seq} WHERE seq = {other}",
         f"UPDATE records SET seq = {other} WHERE seq = -1"],
        [f"UPDATE records SET header = replace(header, 'bench', 'other') WHERE seq = {seq}"],
        [f"UPDATE records SET {chance.choice(_COLUMNS[1:])} = randomblob(32) WHERE seq = {seq}"]]
    for statement in chance.choice(acts):
        connection.execute(statement)
    connection.close()


def _around_a_run(ground: Ground) -> Row:
    """A warm run with its record beside one without, in turns."""
    return _recorded(ground, "warm run", lambda tunnel: checked(tunnel.run(PROGRAM)), runs=ground.scale.runs,
                     of="difference", target=Target(limit=1.0))


def _around_a_trial(ground: Ground) -> Row:
    project = make_project(ground.folder / "audited", QUICK)
    return _recorded(ground, "trial", lambda tunnel: tunnel.try_change(project, neutral(0)),
                     runs=ground.scale.slow_runs * _TRIALS, of="ratio", target=Target(limit=1.02))


def _recorded(
    ground: Ground, name: str, act: Callable[[Tunnel], object], *, runs: int, of: Compared, target: Target,
) -> Row:
    """With its record beside without; each begins when the sandboxes of both are ready again."""
    with ground.tunnel(audit=Auditing.ON) as on, ground.tunnel(audit=Auditing.OFF) as off:
        contenders: dict[str, Contender] = {
            "recorded": lambda: timed(lambda: act(on)), "not recorded": lambda: timed(lambda: act(off))}
        for once in contenders.values():
            once()
        times = interleaved(contenders, runs=runs, rest=lambda: settle(on, off))
    return timing_row(times, "recorded", group=GROUP, name=f"{name}, recorded", bare="not recorded",
                      beside="not recorded", of=of, target=target)


def _median(act: Callable[[], object], count: int) -> float:
    return statistics.median(timed(act) for _ in range(count))
