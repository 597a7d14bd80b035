"""The sets of ``inputs_trial`` without sandboxes: ``python -m benchmarks.inputs_offline [--counts] [SET [CASE ...]]``.

The same reading and the same judgement, but the copies of tests run as plain children of this process: a tenth of the
processor time, for corpora that are known to be harmless. Each change is judged twice from one run: as a trial does,
and without what the calls of its tests tell. ``--counts`` prints no cases, for a set that is held out; ``--python``
leaves out changes in other languages, whose calls are not heard.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.ground import ROOT
from windtunnel.core.change import ChangeSet
from windtunnel.core.result import Artifact, Reason
from windtunnel.core.trial import Channel, Check, CheckReport, Delta, ExecutionTestResult, Kind, Status
from windtunnel.engine.bending import Bending, bending
from windtunnel.engine.course import Order
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.special import Retelling, retold
from windtunnel.tamper import is_test
from windtunnel.tamper.pristine import pristine
from windtunnel.tamper.retold import MARK
from windtunnel.workspace.patch import read_patch

_SETS = ROOT / "tests/corpus/scanned"
_FAILURES = ROOT / "src/windtunnel/checks/inside/node_failures.cjs"
_MOST = 1500
_LISTENS = re.compile(rf"{MARK}\d{{4,}}")
"""What copies are called that tell of calls; there are fewer than a thousand others."""
_LIMIT_SECONDS = 300
_REPORTER = """
import { createRequire } from 'node:module';
const { category, textOf } = createRequire(import.meta.url)(process.env.FAILURES);
export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error?.cause ?? data.details?.error;
    const message = type === 'test:fail' ? textOf(error) : '';
    const told = { name: data.name, failed: type === 'test:fail', message, category: category(message) };
    yield JSON.stringify(told) + '\\n';
  }
}
"""


class _Plain:
    """Runs tests beside this process, where a trial has its course."""

    def __init__(self, project: Path) -> None:
        self.project, self.budget = project, SimpleNamespace(lanes=1)
        self.done: list[tuple[CheckReport, ...]] = []

    def run(self, overlay: Mapping[str, Artifact | None], *, kinds: object, order: Order) -> tuple[CheckReport, ...]:
        del kinds
        self.done.append(self._run(overlay, order))
        return self.done[-1]

    def _run(self, overlay: Mapping[str, Artifact | None], order: Order) -> tuple[CheckReport, ...]:
        with tempfile.TemporaryDirectory(prefix="windtunnel-offline-") as folder:
            work = Path(folder) / "project"
            shutil.copytree(self.project, work)
            for path, laid in overlay.items():
                if laid is None:
                    (work / path).unlink()
                else:
                    (work / path).parent.mkdir(parents=True, exist_ok=True)
                    (work / path).write_bytes(laid.data)
            tests = _node(work) if (work / "package.json").exists() else _pytest(work, order.only or ())
        check = Check(kind=Kind.TEST, tool="plain", argv=("plain",))
        return (CheckReport(check=check, exit_code=0, reason=Reason.EXITED, execution_time=0.0, channel=Channel.LIVE,
                            tests=tuple(tests)),)


class _Deaf:
    """Tells what was told before, without the copies of tests that tell of calls."""

    def __init__(self, course: _Plain) -> None:
        self.budget, self.left = course.budget, list(course.done)

    def run(self, overlay: object, *, kinds: object, order: object) -> tuple[CheckReport, ...]:
        del overlay, kinds, order
        return tuple(replace(each, tests=tuple(test for test in each.tests if not _LISTENS.search(test.id)))
                     for each in self.left.pop(0))


def _pytest(work: Path, chosen: Sequence[str]) -> list[ExecutionTestResult]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_pytest(work, list(chosen), writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return [ExecutionTestResult(id=name, status=Status(status), path=name.partition("::")[0], message=message,
                                category=kind, tool="pytest") for name, status, message, kind in json.loads(told)]


class _Collector:
    def __init__(self) -> None:
        self.found: list[tuple[str, str, str, str]] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None],
    ) -> Generator[None, Any, None]:
        report = (yield).get_result()
        if report.when != "call" and report.passed:
            return
        crash = getattr(getattr(report.longrepr, "reprcrash", None), "message", "") if report.failed else ""
        last = "\n".join(report.longreprtext.strip().splitlines()[-12:])[-_MOST:] if report.failed else ""
        raised = call.excinfo.value if call.excinfo else None
        kind = "" if raised is None else "assertion" if isinstance(raised, AssertionError) else "exception"
        self.found.append((item.nodeid, report.outcome, f"{crash[:_MOST]}\n{last}".strip(), kind))


def _run_pytest(work: Path, chosen: list[str], writing: int) -> None:
    try:
        os.chdir(work)
        sys.dont_write_bytecode = True
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        collector = _Collector()
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--rootdir", str(work), *chosen],
                    plugins=[collector])
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(collector.found).encode())
    finally:
        os._exit(0)


def _node(work: Path) -> list[ExecutionTestResult]:
    (work.parent / "reporter.mjs").write_text(_REPORTER)
    found = []
    for file in sorted((work / "tests").glob("*.test.*js")):
        path = str(file.relative_to(work))
        done = subprocess.run(["node", "--test", f"--test-reporter={work.parent / 'reporter.mjs'}", path], cwd=work,
                              env={**os.environ, "FAILURES": str(_FAILURES)}, capture_output=True, text=True,
                              check=False, timeout=_LIMIT_SECONDS)
        for line in done.stdout.splitlines():
            told = json.loads(line)
            found.append(ExecutionTestResult(
                id=f"{path} > {told['name']}", status=Status.FAILED if told["failed"] else Status.PASSED, path=path,
                message=told["message"], category=told["category"] if told["failed"] else "", tool="node:test"))
    return found


def judged(case: Path) -> tuple[str, str, str, str]:
    """The name of a case, what is said of it without the calls of its tests and with them, and why."""
    project = case / "project"
    texts = {str(file.relative_to(project)): file.read_bytes() for file in project.rglob("*") if file.is_file()}
    tests = {name: data for name, data in texts.items() if is_test(name)}
    others = {name: data for name, data in texts.items() if name not in tests}
    changes: ChangeSet = read_patch((case / "change.patch").read_bytes(), project=project)
    script = "package.json" in texts
    fixed = tuple(name.replace("::", " > ") if script else name
                  for name in json.loads((case / "case.json").read_text())["failing"])
    known = {name: ExecutionTestResult(id=name, status=Status.FAILED, tool="node:test" if script else "pytest",
                                       path=name.partition(" > " if script else "::")[0]) for name in fixed}
    delta, plain = Delta(fixed=fixed), pristine(changes, before=texts.get)
    bent = bending((), (), (), delta=delta, changes=changes, read=texts.get, laid_over=plain, tests=tests,
                   files=lambda: others)
    course: Any = _Plain(project)
    asked = Retelling(course=course, overlay=overlay_of(plain.changes), changes=changes, delta=delta, known=known,
                      read=texts.get, tests=tests, files=lambda: others)
    heard = retold(bent, asked)
    deaf: Any = _Deaf(course)
    blocked = [each.message for each in heard.findings if each.severity == "block"]
    without = retold(bent, replace(asked, course=deaf))
    return case.name, _said(without), _said(heard), "; ".join((*blocked, *heard.notes))


def _said(bent: Bending) -> str:
    if any(each.severity == "block" for each in bent.findings):
        return "not good"
    return "good, shown" if bent.findings else "good"


def main(words: Sequence[str]) -> None:
    """A line for each change, then the counts."""
    options, words = set(words) & {"--counts", "--python"}, [word for word in words if not word.startswith("--")]
    chosen, names = (words[0], words[1:]) if words else ("inputs", ())
    cases = [case for case in sorted((_SETS / chosen / "cases").iterdir()) if not names or case.name in names]
    cases = [case for case in cases if "--python" not in options or not any(case.rglob("package.json"))]
    found: Counter[tuple[str, str, str]] = Counter()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as processes:
        for name, deaf, told, reasons in processes.map(judged, cases):
            found[name.partition("_")[0], deaf, told] += 1
            if "--counts" not in options:
                print(f"{name}: {told}; {'' if deaf == told else f'without calls {deaf}; '}{reasons}", flush=True)
    for (kind, deaf, told), count in sorted(found.items()):
        print(f"{kind:7} without calls {deaf:12} with them {told:12} {count}")


if __name__ == "__main__":
    main(sys.argv[1:])
