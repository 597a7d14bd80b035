"""From wishes and an analysis to tasks: commands of the parts that are meant, each after what it needs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.analysis.commands import commands_of
from windtunnel.analysis.commands.base import is_plain_script
from windtunnel.checks.project import Folder
from windtunnel.core.analysis import Analysis, Part, ProjectCommand, Purpose
from windtunnel.core.errors import UsageError
from windtunnel.core.plan import RUN, Task, TaskPlan
from windtunnel.core.tool import PLACE
from windtunnel.engine.plan.check import MOST_TASKS, check_plan
from windtunnel.engine.plan.registries import hosts_of, variables_of
from windtunnel.engine.plan.words import Wish, Wishes, read

SEARCH = {"python": (".venv/bin",), "node": ("node_modules/.bin",), "php": ("vendor/bin",)}
"""Where an install of this ecosystem puts programs that later tasks call by name."""
_CACHE = f"{PLACE}/.cache"
"""Where caches live inside: kept with the workspace, and no part of what is different in it."""
_CACHES: Mapping[str, Mapping[str, str]] = {"go": {"GOCACHE": f"{_CACHE}/go-build"}}
_FETCHED: Mapping[str, Mapping[str, str]] = {
    "go": {"GOMODCACHE": f"{_CACHE}/go-mod"}, "rust": {"CARGO_HOME": f"{_CACHE}/cargo"},
    "node": {"npm_config_cache": f"{_CACHE}/npm"}, "php": {"COMPOSER_HOME": f"{_CACHE}/composer"},
    "java": {"GRADLE_USER_HOME": f"{_CACHE}/gradle", "MAVEN_OPTS": f"-Dmaven.repo.local={_CACHE}/m2"}}
"""Homes of managers that would forget what they fetched with the task that fetched it; without a network, those of this
machine serve, read-only."""
_SECONDS = {Purpose.INSTALL: 900.0, Purpose.BUILD: 900.0, Purpose.TEST: 900.0, Purpose.START: 10.0}
_USUAL_SECONDS = 300.0
_WORDS = {
    Purpose.INSTALL: "Install what {part} needs", Purpose.FORMAT: "Format {part}", Purpose.BUILD: "Build {part}",
    Purpose.LINT: "Lint {part}", Purpose.TEST: "Run the tests of {part}", Purpose.START: "Start {part}",
    Purpose.AUDIT: "Look for known vulnerabilities in what {part} needs"}
_EXPECTED = {
    Purpose.INSTALL: "exits with 0; everything that the manifest names is there",
    Purpose.TEST: "exits with 0; every test passes", Purpose.LINT: "exits with 0; no finding",
    Purpose.AUDIT: "exits with 0; nothing known", Purpose.BUILD: "exits with 0; it builds"}
_AFTER = {
    Purpose.INSTALL: (), Purpose.AUDIT: (Purpose.INSTALL,), Purpose.FORMAT: (Purpose.INSTALL,),
    Purpose.LINT: (Purpose.INSTALL, Purpose.FORMAT), Purpose.BUILD: (Purpose.INSTALL, Purpose.FORMAT),
    Purpose.TEST: (Purpose.INSTALL, Purpose.FORMAT, Purpose.BUILD), Purpose.START: (Purpose.INSTALL, Purpose.BUILD)}
"""What comes first, in the same part, where it is planned."""
_EXTRAS = ("dev", "development", "lint", "test", "testing", "tests")
_BUILT_FIRST = ("c",)
"""Ecosystems whose tests and programs are only there once they are built."""
_SCRIPT_RUNNERS = {"node": "{manager} run {script}", "php": "composer run {script}", "ruby": "rake {script}"}
_ECOSYSTEMS = {"Python": "python", "JavaScript": "node", "TypeScript": "node", "Go": "go", "Rust": "rust",
               "Java": "java", "Ruby": "ruby", "PHP": "php", "C": "c", "C++": "c"}
_NODE_MANAGERS = ("npm", "yarn", "pnpm", "bun")


def make_plan(
    request: str, analysis: Analysis, *, workspace: str = "", allow_hosts: Sequence[str] = (),
    environ: Mapping[str, str] | None = None, which: Callable[[str], str | None] | None = None,
) -> TaskPlan:
    """The same plan for the same words, tree and surroundings; checked."""
    if not analysis.structure.parts:
        guessed = guessed_parts(analysis)
        analysis = replace(analysis, structure=replace(analysis.structure, parts=guessed))
    wishes = read(request, analysis.structure.parts)
    draft = _Draft(analysis=analysis, wishes=wishes, allow_hosts=tuple(allow_hosts), environ=environ)
    for wish in wishes.wishes:
        draft.add(wish)
    draft.tell()
    if not draft.tasks:
        raise UsageError(f"request: there is nothing to do: {'; '.join(draft.questions) or 'no part was found'}",
                         field="request")
    if len(draft.tasks) > MOST_TASKS:
        raise UsageError(f"request: it would be {len(draft.tasks)} tasks, more than {MOST_TASKS} (name the parts that "
                         "are meant, or ask for less at once)", field="request")
    return check_plan(TaskPlan(
        request=request, root=analysis.root, tree=analysis.tree, workspace=workspace, tasks=tuple(draft.tasks),
        notes=tuple(dict.fromkeys(draft.notes)), questions=tuple(dict.fromkeys(draft.questions))), which=which)


def guessed_parts(analysis: Analysis) -> tuple[Part, ...]:
    """Of a tree without any manifest: one for each of its languages that has commands for such a tree."""
    names = Folder(analysis.root).glob("**/*")
    found = dict.fromkeys(_ECOSYSTEMS[one.name] for one in analysis.structure.languages if one.name in _ECOSYSTEMS)
    parts = [Part(folder="", ecosystem=ecosystem) for ecosystem in found]
    known = [replace(part, commands=commands_of(part, names)) for part in parts]
    return tuple(part for part in known if any(one.purpose is not Purpose.AUDIT for one in part.commands))


@dataclass(slots=True, kw_only=True)
class _Draft:
    analysis: Analysis
    wishes: Wishes
    allow_hosts: tuple[str, ...]
    environ: Mapping[str, str] | None
    tasks: list[Task] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    barrier: str = ""
    """The last command that was given in so many words; all that is asked for after it comes after it."""
    planned: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Tasks by part and purpose."""

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.analysis.structure.parts

    def add(self, wish: Wish) -> None:
        chosen = [at for at in range(len(self.parts)) if wish.parts is None or at in wish.parts]
        for purpose in sorted(wish.purposes, key=list(Purpose).index):
            found = [self._purpose(at, purpose) for at in chosen]
            if not any(found):
                where = f" in {', '.join(_label(self.parts[at]) for at in chosen)}" if wish.parts is not None else ""
                self.questions.append(f"no {purpose} command is known{where}")
        for script in wish.scripts:
            self._script(script, chosen)
        for command in wish.commands:
            self._command(command, chosen if wish.parts is not None else [])

    def tell(self) -> None:
        """What was left over."""
        if self.wishes.impossible:
            self.questions.append(f"not planned: {', '.join(self.wishes.impossible)} (quote a command, and it is taken "
                                  "as it stands)")
        if self.wishes.unknown:
            self.questions.append(f"not understood: {', '.join(self.wishes.unknown[:20])}")
        if self.analysis.stale:
            self.notes.append("the project has changed since it was analysed")

    def _purpose(self, at: int, purpose: Purpose) -> bool:
        """Plan it for one part, with what it needs; whether there is a command for it."""
        if self.planned.get((at, purpose)):
            return True
        found = [one for one in self._commands(at) if one.purpose is purpose]
        if found and not self.wishes.alone:
            self._before(at, purpose)
        for command in found:
            self._task(at, command, several=len(found) > 1)
        return bool(found)

    def _before(self, at: int, purpose: Purpose) -> None:
        part = self.parts[at]
        if purpose is not Purpose.INSTALL and self._needs_install(part) and Purpose.INSTALL not in self.wishes.without:
            self._implied(at, Purpose.INSTALL)
        if part.ecosystem in _BUILT_FIRST and purpose in (Purpose.TEST, Purpose.START) and (
                Purpose.BUILD not in self.wishes.without):
            self._implied(at, Purpose.BUILD)

    def _implied(self, at: int, purpose: Purpose) -> None:
        if not self.planned.get((at, purpose)) and self._purpose(at, purpose):
            self.notes.append(f"{purpose} comes first in {_label(self.parts[at])}, without being asked for")

    def _needs_install(self, part: Part) -> bool:
        """Whether its manifests name anything."""
        files = {*part.manifests, *part.locks}
        return any(one.file in files or (not one.file and one.ecosystem == part.ecosystem)
                   for one in self.analysis.dependencies.dependencies)

    def _commands(self, at: int) -> tuple[ProjectCommand, ...]:
        part = self.parts[at]
        return part.commands or commands_of(part, (*part.manifests, *part.locks, *part.entry_points))

    def _task(self, at: int, command: ProjectCommand, *, several: bool) -> None:
        part, purpose = self.parts[at], command.purpose
        before = [name for other in _AFTER[purpose] for name in self.planned.get((at, other), ())]
        environ = {} if self.environ is None else {"environ": self.environ}
        manager = _manager(part, command)
        reach = hosts_of(manager, allow_hosts=self.allow_hosts, **environ)
        hosts = reach if command.network else ()
        homes = {**_CACHES.get(part.ecosystem, {}), **(_FETCHED.get(part.ecosystem, {}) if reach else {})}
        if command.network and not hosts:
            self.notes.append(f"{purpose} in {_label(part)} gets no network: no host of {manager or 'a registry'} is "
                              "named (allow_hosts, --allow-host)")
        line = f"{command.command[:-1]}{self._extras(part)}" if command.command.endswith(" -e .") else command.command
        self._put(at, str(purpose), Task(
            id=self._id(str(purpose), part, command.tool if several else ""),
            description=_line(f"{_WORDS[purpose].format(part=_label(part))} ({command.why or 'convention'})"),
            command=line, purpose=str(purpose), folder=part.folder,
            depends_on=tuple(dict.fromkeys((*before, *filter(None, [self.barrier])))),
            timeout_seconds=_SECONDS.get(purpose, _USUAL_SECONDS), hosts=hosts,
            env=homes | (variables_of(manager, **environ) if hosts else {}), search=SEARCH.get(part.ecosystem, ()),
            expected=_expected(command), ends=command.ends, manager=manager, tool=command.tool))

    def _extras(self, part: Part) -> str:
        """The package with those of its extras that its tests and linters usually are in."""
        groups = {one.group for one in self.analysis.dependencies.dependencies if one.file in part.manifests}
        extras = sorted(name for name in _EXTRAS if f"optional:{name}" in groups)
        return f"'.[{','.join(extras)}]'" if extras else "."

    def _script(self, script: str, chosen: Sequence[int]) -> None:
        places = [at for at in chosen if script in self.parts[at].scripts]
        if not places:
            self.questions.append(f"no part has a script {script!r}")
        for at in places:
            part = self.parts[at]
            self._before(at, Purpose.TEST)
            manager = part.manager if part.manager in _NODE_MANAGERS else "npm"
            name = script if is_plain_script(script) else shlex.quote(script)
            line = _SCRIPT_RUNNERS.get(part.ecosystem, "make {script}").format(manager=manager, script=name)
            before = [name for other in (Purpose.INSTALL, Purpose.BUILD) for name in self.planned.get((at, other), ())]
            self._put(at, RUN, Task(
                id=self._id("run", part, script), description=_line(f"Run {script} of {_label(part)}"), command=line,
                folder=part.folder, depends_on=(*before, *filter(None, [self.barrier])), risk="medium",
                search=SEARCH.get(part.ecosystem, ()), manager=part.manager, tool=line.split()[0]))

    def _command(self, command: str, chosen: Sequence[int]) -> None:
        """As it stands, in the folder of the one part that was named, after all that was asked for before it."""
        part = self.parts[chosen[0]] if len(chosen) == 1 else None
        name = self._id("run", part, command.split(maxsplit=1)[0] if command.split() else "")
        search = dict.fromkeys(place for one in ([part] if part else self.parts) if part or not one.folder
                               for place in SEARCH.get(one.ecosystem, ()))
        self._put(-1, RUN, Task(
            id=name, description="Run a command as it was given", command=command, folder=part.folder if part else "",
            depends_on=tuple(task.id for task in self.tasks), risk="medium", hosts=self.allow_hosts,
            search=tuple(search), timeout_seconds=_USUAL_SECONDS))
        self.barrier = name

    def _put(self, at: int, purpose: str, task: Task) -> None:
        self.tasks.append(task)
        self.planned.setdefault((at, purpose), []).append(task.id)

    def _id(self, purpose: str, part: Part | None, more: str) -> str:
        """Short, and in the plan once."""
        named = [purpose, *([_label(part)] if part is not None and len(self.parts) > 1 else []), more]
        wanted = "-".join(filter(None, (re.sub(r"[^A-Za-z0-9.]+", "-", one).strip("-.") for one in named)))[:56]
        taken = {task.id for task in self.tasks}
        return next(name for name in _numbered(wanted) if name not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(2, 1000))


def _label(part: Part) -> str:
    """What a person calls it."""
    return _line(part.folder or part.name or part.ecosystem)[:100]


def _line(text: str) -> str:
    """On one line, and without what could rewrite a terminal: names of files are the project's own."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:300]


def _manager(part: Part, command: ProjectCommand) -> str:
    """The one that the command calls, where it does."""
    return command.tool if command.tool in ("uv", "poetry", "pdm", "pipenv", *_NODE_MANAGERS) else part.manager or (
        "pip" if part.ecosystem == "python" else "")


def _expected(command: ProjectCommand) -> str:
    if not command.ends:
        return f"still runs after {_SECONDS[Purpose.START]:g} s, or exits with 0"
    return _EXPECTED.get(command.purpose, "exits with 0")
