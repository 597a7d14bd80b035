"""What a decision costs: fifty rules, twenty of them with a condition, all of them for every verb."""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from benchmarks.timing import Timing, timed
from windtunnel.core.allowance import MILLION, TIMES, Allowance, Counted, Scope, Window
from windtunnel.core.policy import Effect, Request
from windtunnel.core.ports import Network
from windtunnel.policy.decision import decide
from windtunnel.policy.reading import read_policy
from windtunnel.store.allowances import Allowances

GROUP = "policy"
MICROSECONDS = 1e6
MOST_MICROSECONDS = 50.0
TOGETHER = 20
"""Decisions between two looks at the clock."""
CONDITIONS = (
    'request.actor == "mallory"', '"contractor" in request.roles', "request.change_lines > 500",
    "request.change_files > 40", 'request.risk == "high"', 'request.network == "host"',
    'request.hosts.exists(host, host.endsWith(".example"))', 'request.paths.exists(path, path.endsWith(".lock"))',
    "request.limits.memory_bytes > 8000000000", 'request.level == "restricted"',
    'request.commands.exists(command, command.contains("curl "))', "size(request.paths) > 100",
    'request.project.startsWith("/srv/")', '"cobol" in request.languages',
    'request.verb == "undo" && request.actor != "ci"', 'request.paths.all(path, path.startsWith("vendor/"))',
    'request.limits.wall_seconds > 600.0 && request.risk != "low"',
    'request.change_lines > 50 && request.risk == "medium"',
    'request.actor.endsWith("-bot") && request.change_files > 3', 'request.roles.exists(role, role == "guest")',
)
RULES = 50


def text() -> bytes:
    """A policy of which no rule matches the requests below, so that all of them are looked at."""
    lines = ["version: 1", "rules:"]
    for at, effect in zip(range(RULES), itertools.cycle(Effect)):
        lines += [f"- id: rule-{at}", f"  effect: {effect}"]
        head = f"when: {CONDITIONS[at]!r}" if at < len(CONDITIONS) else f'paths: ["area{at}/**", "**/*.kind{at}"]'
        lines.append(f"  {head}")
    return "\n".join(lines).encode()


def requests(count: int) -> list[Request]:
    """Requests of several people that touch three files each, no two alike."""
    return [
        Request(verb="apply", actor=f"person-{at % 7}", roles=("developer",), project="/home/someone/project",
                paths=(f"src/part{at}/one.py", f"src/part{at}/two.py", f"tests/test_{at}.py"), languages=("python",),
                network=Network(), change_files=3, change_lines=at % 50, commands=("python -m pytest -q",))
        for at in range(count)]


def rows(ground: Ground) -> Iterator[Row]:
    """Decisions by one policy and by two, and the reading of one."""
    policy = read_policy(text(), file="policy.yaml")
    asked = requests(ground.scale.runs * TOGETHER)
    target = Target(limit=MOST_MICROSECONDS)
    yield _row("decision, 50 rules, 20 conditions", _decisions([policy], asked), target=target)
    yield _row("decision, the operator's and the project's", _decisions([policy, policy], asked))
    yield _row("decision without a policy", _decisions([], asked))
    seconds = [timed(lambda: read_policy(text(), file="policy.yaml")) for _ in range(ground.scale.slow_runs)]
    yield Row(group=GROUP, name="reading and compiling it", value=statistics.median(seconds) * 1000, of="value")
    yield _reserving(ground)


def _reserving(ground: Ground) -> Row:
    """One program's time reserved and charged, each on the disk before the next step; two budgets count it."""
    counted = [Counted(name=name, allowance=Allowance(id=scope, scope=scope, per=Window.DAY, amounts=dict.fromkeys(
        TIMES, 10**15))) for scope, name in ((Scope.ACTOR, "ann"), (Scope.TOTAL, ""))]
    wanted, used = dict.fromkeys(TIMES, 30 * MILLION), dict.fromkeys(TIMES, 1)
    with tempfile.TemporaryDirectory(prefix="windtunnel-benchmark-") as folder:
        store = Allowances(Path(folder) / "budgets.db")
        store.look(counted)
        timing = Timing(tuple(timed(lambda: store.settle(store.reserve(counted, wanted, seconds=30.0), used))
                              for _ in range(ground.scale.runs)))
        store.close()
    return Row(group=GROUP, name="a program's time reserved and charged", value=timing.median * 1000,
               p99=timing.p99 * 1000, of="value", note="only where a policy has budgets; two of two kinds each")


def _decisions(policies: Sequence[object], asked: Sequence[Request]) -> Timing:
    """Processor time of one decision, each the mean of some; it waits for nothing. The answers are checked."""
    choose: Callable[..., object] = decide
    wanted = {"default"} if policies else {"no policy"}
    taken = []
    for at in range(0, len(asked), TOGETHER):
        began = time.thread_time()
        found = [choose(policies, request) for request in asked[at : at + TOGETHER]]
        taken.append((time.thread_time() - began) / TOGETHER)
        rules = {getattr(decision, "rule", "") for decision in found}
        if rules != wanted:
            raise RuntimeError(f"decided by {sorted(rules)}")
    return Timing(tuple(taken))


def _row(name: str, timing: Timing, *, target: Target | None = None) -> Row:
    return Row(group=GROUP, name=name, value=timing.median * MICROSECONDS, p99=timing.p99 * MICROSECONDS, unit="µs",
               of="value", target=target, note="processor time; no two requests alike, three files each")
