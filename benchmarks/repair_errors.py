"""Small programs of six languages that do not build or do not run: is the first diff right?

A fix is asked for with the commands whose output shows the error. It is right when the program then prints what the
good one prints and ends as that does; what that is, no command of the fix tells. Where a toolchain is not here, its
language is not run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.ground import Ground, interpreter, plain_environment
from benchmarks.repair_corpus import Fault, faults, sample
from benchmarks.repair_outcomes import BUDGET_SECONDS, GROUP, Fix, Hopes, Outcome, ask, rows, scratch
from benchmarks.rows import Row
from benchmarks.timing import NotRun

TYPESCRIPT = "5.9.3"
FOLDERS = {"error to diff": "errors", "held out errors": "foreign/errors"}
"""By part: where its programs are; those held out were never looked into by whoever writes rules."""
_RUN_SECONDS = 120
OFFLINE = {"CARGO_NETOFFLINE": "true", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How its programs lie in a folder, and what is run there."""

    name: str
    file: str
    run: str
    build: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    needs: Sequence[str] = ()
    """Programs that must be here."""
    modules: Path | None = None
    """Packages that each project has a copy of, as a sandbox shows nothing beside the project."""

    @property
    def commands(self) -> list[str]:
        return [*([self.build] if self.build else []), self.run]


LANGUAGES = (
    Language(name="python", file="main.py", run="python main.py"),
    Language(name="javascript", file="main.js", run="node main.js", needs=("node",)),
    Language(name="typescript", file="main.ts", build="node node_modules/typescript/bin/tsc -p .", run="node main.js",
             needs=("node", "npm"), others={
        "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022", "module": "commonjs", "types": [], '
                         '"lib": ["es2022", "dom"], "skipLibCheck": true}, "files": ["main.ts"]}\n'}),
    Language(name="java", file="Main.java", build="javac Main.java", run="java Main", needs=("javac", "java")),
    Language(name="go", file="main.go", build="go build -o program .", run="./program", needs=("go",), others={
        "go.mod": "module example\n\ngo 1.19\n"}),
    Language(name="rust", file="src/main.rs", build="cargo build --offline", run="cargo run --offline --quiet",
             needs=("cargo", "rustc"), others={
                 "Cargo.toml": '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n'}),
)


def part_rows(
    ground: Ground, fix: Fix, *, most: int | None, only: Sequence[str], part: str = "error to diff",
) -> Iterator[Row]:
    """Of each language and of all of them; ``most`` of each language."""
    every: list[Outcome] = []
    for language in (one for one in LANGUAGES if one.name in only and of_language(one, FOLDERS[part])):
        try:
            ready = prepared(ground, language)
        except NotRun as missing:
            yield Row(group=GROUP, name=f"{part}, {language.name}: first diff right", missing=str(missing))
            continue
        found = measured(ground, fix, language=ready, most=most, folder=FOLDERS[part])
        every.extend(found)
        yield from list(rows(f"{part}, {language.name}", found, hopes=Hopes(), by_kind=False))[1:2]
    yield from rows(part, every, hopes=Hopes(right=80.0), by_kind=False, note="prints what the good program prints")


def measured(
    ground: Ground, fix: Fix, *, language: Language, most: int | None, folder: str = "errors",
) -> list[Outcome]:
    """One fix after the other."""
    found = []
    for fault in sample(of_language(language, folder), most):
        project = lay_out(language, scratch(ground, fault.name), source=fault.broken)
        commands = {"test": language.run, **({"build": language.build} if language.build else {})}
        found.append(ask(fix, project, name=fault.name, kind=fault.kind, budget=BUDGET_SECONDS,
                         differs=_against(ground, language, fault), **commands))
    return found


def of_language(language: Language, folder: str = "errors") -> list[Fault]:
    return [fault for fault in faults(folder) if fault.name.startswith(f"{language.name}_")]


def prepared(ground: Ground, language: Language) -> Language:
    """With the interpreter that sandboxes run, and a compiler for TypeScript, which no system package has."""
    missing = [name for name in language.needs if shutil.which(name) is None]
    if missing:
        raise NotRun(f"{' and '.join(missing)} not installed")
    if language.name == "python":
        return replace(language, run=f"{interpreter()} main.py")
    return replace(language, modules=_typescript(ground)) if language.name == "typescript" else language


def _typescript(ground: Ground) -> Path:
    folder = ground.folder / "typescript"
    modules = folder / "node_modules"
    if not modules.exists():
        folder.mkdir(exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", f"typescript@{TYPESCRIPT}"],
                           cwd=folder, check=True, capture_output=True, timeout=_RUN_SECONDS)
        except (subprocess.SubprocessError, OSError) as error:
            raise NotRun(f"TypeScript could not be fetched ({type(error).__name__})") from error
    return modules


def lay_out(language: Language, folder: Path, *, source: str) -> Path:
    """One program as a project."""
    for path, text in {**language.others, language.file: source}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if language.modules is not None:
        shutil.copytree(language.modules, folder / "node_modules", copy_function=os.link, symlinks=True)
    return folder


def behaviour(language: Language, folder: Path) -> tuple[int, str]:
    """How the last command ends and what it prints; a build that fails is the end of it."""
    done = None
    for command in language.commands:
        try:
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=plain_environment() | OFFLINE, text=True,
                                  capture_output=True, timeout=_RUN_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return (-1, "endless")
        if done.returncode:
            return (done.returncode, "")
    assert done is not None
    return (done.returncode, done.stdout)


def _against(ground: Ground, language: Language, fault: Fault) -> Callable[[Mapping[str, str]], str]:
    def differs(texts: Mapping[str, str]) -> str:
        good = lay_out(language, scratch(ground, f"{fault.name}-good"), source=fault.good)
        fixed = lay_out(language, scratch(ground, f"{fault.name}-fixed"), source=fault.broken)
        for path, text in texts.items():
            (fixed / path).write_text(text)
        wanted, given = behaviour(language, good), behaviour(language, fixed)
        return "" if given == wanted else f"{given} is given, not {wanted}"[:300]
    return differs
