"""Proves with the real runners and ``git apply``, without Windtunnel, that the corpus is what it says it is.

Every patch applies. Every project has the results of its ``baseline.json``. Every cheat deceives somebody who trusts
the runner's exit code, its report or its summary (but for those that say ``"deceives": "nothing"``, which plainly
break something). Every honest change breaks nothing, neither with its own tests nor with the project's old ones.

Run it as ``python tests/corpus/verify.py [name ...]``; with ``--baselines`` it writes the baselines anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

CORPUS = Path(__file__).resolve().parent
PROJECTS = ("python_shop", "python_unittest", "node_text")
TEST_FOLDERS = ("tests", "test")
CONFIGURATION = ("pyproject.toml", "package.json")
RENAMING = ("rename", "move")
"""Families in which the old tests ask for names that are gone, so only their new form can be run."""
BAD = ("failed", "error")
SUMMARY = re.compile(r"^=* ?(\d+ (?:passed|failed|skipped|error).*) in [\d.]+s", re.MULTILINE)
UNITTEST_LINE = re.compile(r"^\w+ \((?P<id>[\w.]+)\) \.\.\. (?P<word>ok|FAIL|ERROR|skipped|expected failure)", re.MULTILINE)
UNITTEST_WORDS = {
    "ok": "passed", "FAIL": "failed", "ERROR": "error", "skipped": "skipped", "expected failure": "xfailed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One change, and what is known of it."""

    folder: Path
    project: str
    about: str
    expect: str
    family: str
    language: str
    deceives: str | None = None
    """Whom a cheat deceives: whoever trusts the ``exit`` code, the ``targets``, the ``report``, the ``output``."""
    targets: tuple[str, ...] = ()
    """Tests that fail at the baseline and seem right, or are gone, with the change."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the naive runner's shell has set."""
    venv: bool = False
    """Whether the naive runner is started from the project's own ``.venv``."""

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def patch(self) -> Path:
        return self.folder / "change.patch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a naive person sees of a run."""

    exit_code: int
    output: str
    tests: Mapping[str, str]

    @property
    def bad(self) -> set[str]:
        return {name for name, status in self.tests.items() if status in BAD}


def cases() -> list[Case]:
    """All cases, cheats first."""
    return [_case(path.parent) for path in sorted(CORPUS.glob("cases/*/*/case.json"))]


def scanned() -> list[Case]:
    """Further cases that tests judge by their text alone, since a trial of each would take too long."""
    return [_case(path.parent) for path in sorted(CORPUS.glob("scanned/*/*/case.json"))]


def _case(folder: Path) -> Case:
    facts = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    return Case(folder=folder, **{**facts, "targets": tuple(facts.get("targets", ()))})


def baseline(project: str) -> dict[str, str]:
    """The documented status of each test of an unchanged project."""
    facts = json.loads((CORPUS / "projects" / project / "baseline.json").read_text(encoding="utf-8"))
    return dict(facts["tests"])


@contextmanager
def copy_of(project: str) -> Iterator[Path]:
    """A throw-away copy of a project."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        copy = Path(folder) / project
        unwanted = shutil.ignore_patterns("baseline.json", "__pycache__", ".pytest_cache")
        shutil.copytree(CORPUS / "projects" / project, copy, ignore=unwanted)
        yield copy


def apply(case: Case, copy: Path) -> str:
    """Apply the patch; the answer is what git complains about, empty when it applies."""
    command = ["git", "apply", "--whitespace=nowarn", str(case.patch)]
    done = subprocess.run(
        command, cwd=copy, env=_environment(copy), capture_output=True, text=True, check=False, timeout=30)
    return done.stderr if done.returncode else ""


def lay_old_tests_over(project: str, copy: Path) -> None:
    """Put the unchanged tests and runner configuration of a project over a changed copy."""
    for name in TEST_FOLDERS:
        shutil.rmtree(copy / name, ignore_errors=True)
        if (CORPUS / "projects" / project / name).exists():
            shutil.copytree(CORPUS / "projects" / project / name, copy / name)
    for name in CONFIGURATION:
        if (CORPUS / "projects" / project / name).exists():
            shutil.copy(CORPUS / "projects" / project / name, copy / name)


def _environment(copy: Path) -> dict[str, str]:
    """Nothing of ours; git looks for no repository above, where it would leave files out in silence."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(copy.parent), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CEILING_DIRECTORIES": str(copy.parent)}


def _run(command: list[str], copy: Path, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        command, cwd=copy, env=_environment(copy) | dict(environment or {}), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def run(project: str, copy: Path, *, python: str = sys.executable, environment: Mapping[str, str] | None = None) -> Outcome:
    """Run the tests of a copy as a person would, and believe what is shown."""
    if project == "node_text":
        return _run_node(copy)
    if project == "python_unittest":
        return _run_unittest(copy, python)
    return _run_pytest(copy, python, environment)


def _run_pytest(copy: Path, python: str, environment: Mapping[str, str] | None) -> Outcome:
    command = [python, "-m", "pytest", "-q", "-o", "junit_family=xunit1", "--junitxml=junit.xml"]
    exit_code, output, _ = _run(command, copy, environment)
    report = copy / "junit.xml"
    return Outcome(exit_code=exit_code, output=output, tests=_junit(report) if report.exists() else {})


def _junit(report: Path) -> dict[str, str]:
    return {_junit_id(case): _junit_status(case) for case in ET.parse(report).iter("testcase")}


def _junit_id(case: ET.Element) -> str:
    file, name = case.get("file") or "?", case.get("name") or "?"
    module = file.removesuffix(".py").replace("/", ".")
    classes = (case.get("classname") or "").removeprefix(module).strip(".")
    return "::".join(filter(None, (file, *classes.split("."), name)))


def _junit_status(case: ET.Element) -> str:
    for tag, status in (("error", "error"), ("failure", "failed"), ("skipped", "skipped")):
        found = case.find(tag)
        if found is not None:
            return "xfailed" if found.get("type") == "pytest.xfail" else status
    return "passed"


def _run_unittest(copy: Path, python: str) -> Outcome:
    exit_code, _, output = _run([python, "-m", "unittest", "-v"], copy)
    tests = {match["id"]: UNITTEST_WORDS[match["word"]] for match in UNITTEST_LINE.finditer(output)}
    return Outcome(exit_code=exit_code, output=output, tests=tests)


def _run_node(copy: Path) -> Outcome:
    command = ["node", "--test", f"--test-reporter={CORPUS / 'reporter.mjs'}", "--test-reporter-destination=stdout"]
    exit_code, output, _ = _run(command, copy)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"id":')]
    return Outcome(exit_code=exit_code, output=output, tests={line["id"]: line["status"] for line in lines})


def _run_cheat(case: Case, copy: Path) -> Outcome:
    """For JavaScript the exit code is that of ``npm test``, because a cheat may have edited the script."""
    if case.venv:
        paths = {"PYTHONPATH": sysconfig.get_path("purelib")}
        return run(case.project, copy, python=str(copy / ".venv/bin/python"), environment=paths)
    if case.project == "node_text" and case.deceives == "exit":
        exit_code, output, _ = _run(["npm", "test"], copy)
        return Outcome(exit_code=exit_code, output=output, tests={})
    return run(case.project, copy, environment=case.environment)


def _deception(case: Case, outcome: Outcome) -> str:
    """What is wrong with a cheat that deceives nobody; empty when it does."""
    if case.deceives == "exit":
        return "" if outcome.exit_code == 0 else f"exit code {outcome.exit_code}\n{outcome.output[-1500:]}"
    if case.deceives == "targets":
        missed = [name for name in case.targets if outcome.tests.get(name) in BAD]
        crashed = not case.targets or not outcome.tests or "error" in outcome.tests.values()
        return f"still failing: {missed}, nothing ran or crashed: {crashed}\n{outcome.output[-1500:]}" if missed or crashed else ""
    if case.deceives == "report":
        return "" if outcome.tests and not outcome.bad else f"the report shows {sorted(outcome.bad)}"
    if case.deceives == "output":
        summaries = SUMMARY.findall(outcome.output)
        return "" if summaries and "failed" not in summaries[-1] else f"the summaries are {summaries}"
    passed = {name for name, status in baseline(case.project).items() if status == "passed"}
    broken = passed - {name for name, status in outcome.tests.items() if status == "passed"}
    return "" if broken or outcome.bad - set(baseline(case.project)) else "nothing is broken by it"


def check_cheat(case: Case) -> list[str]:
    """What is wrong with a cheat as a case of the corpus."""
    with copy_of(case.project) as copy:
        if case.venv:
            _run([sys.executable, "-m", "venv", "--without-pip", ".venv"], copy)
        complaint = apply(case, copy)
        if complaint:
            return [f"{case.name}: does not apply: {complaint}"]
        problem = _deception(case, _run_cheat(case, copy))
    return [f"{case.name}: deceives nobody: {problem}"] if problem else []


def check_honest(case: Case) -> list[str]:
    """What is wrong with an honest change as a case of the corpus."""
    with copy_of(case.project) as copy:
        complaint = apply(case, copy)
        if complaint:
            return [f"{case.name}: does not apply: {complaint}"]
        problems = _newly_bad(case, run(case.project, copy), "its own tests")
        if case.family not in RENAMING and _touches_tests(case):
            lay_old_tests_over(case.project, copy)
            problems += _newly_bad(case, run(case.project, copy), "the old tests")
    return problems


def _newly_bad(case: Case, outcome: Outcome, which: str) -> list[str]:
    known = {name for name, status in baseline(case.project).items() if status in BAD}
    found = sorted(outcome.bad - known) + [name for name in case.targets if outcome.tests.get(name) != "passed"]
    if not outcome.tests:
        found.append("nothing ran")
    return [f"{case.name}: with {which}: {found}\n{outcome.output[-1500:]}"] if found else []


def _touches_tests(case: Case) -> bool:
    return bool(re.search(r"^(?:---|\+\+\+|rename from) (?:[ab]/)?tests?/", case.patch.read_text(encoding="utf-8"), re.MULTILINE))


def check_project(project: str) -> list[str]:
    """How a project differs from its documented baseline."""
    with copy_of(project) as copy:
        outcome = run(project, copy)
    wanted = baseline(project)
    odd = {name for name in wanted.keys() | outcome.tests.keys() if wanted.get(name) != outcome.tests.get(name)}
    return [f"{project}: {name}: documented {wanted.get(name)}, found {outcome.tests.get(name)}" for name in sorted(odd)]


def check(case: Case) -> list[str]:
    """What is wrong with a case."""
    return check_honest(case) if case.expect == "good" else check_cheat(case)


def write_baselines() -> None:
    """Document what the projects do now."""
    for project in PROJECTS:
        with copy_of(project) as copy:
            tests = dict(sorted(run(project, copy).tests.items()))
        target = CORPUS / "projects" / project / "baseline.json"
        target.write_text(json.dumps({"tests": tests}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Check everything, or the cases whose names hold one of the words given."""
    if arguments == ["--baselines"]:
        write_baselines()
        return 0
    chosen = [case for case in (*cases(), *scanned()) if not arguments or any(word in case.name for word in arguments)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        found: Iterable[list[str]] = [*pool.map(check_project, PROJECTS), *pool.map(check, chosen)]
    problems = [problem for several in found for problem in several]
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.stdout.write(f"{len(chosen)} cases and {len(PROJECTS)} projects checked, {len(problems)} problems\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
