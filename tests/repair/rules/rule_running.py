"""Runs many broken little programs for real, all in one run of pytest, and tries the first proposal for each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.repair import Proposal, Scene
from windtunnel.diagnosis import Sources, problems_in
from windtunnel.repair.rules import propose

Cases = Mapping[str, tuple[str, str, str]]
_PYTEST = (
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:randomly",
    "-p",
    "no:xdist",
    "--continue-on-collection-errors",
    "-W",
    "ignore",
    "--tb=long",
    "--timeout=60",
)


@dataclass(frozen=True)
class Outcome:
    """What came of one case."""

    rule: str
    """Of the first proposal; empty where there was none."""
    right: bool
    failed: bool
    """Whether it failed before, as it should."""


def run(folder: Path) -> str:
    """The output of all tests under a folder."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "", "COLUMNS": "200", "CI": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", *_PYTEST, "--rootdir", str(folder), "-c", os.devnull, str(folder)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, timeout=500, check=False
    )
    return done.stdout + done.stderr


def body(slug: str, text: str) -> str:
    return f"import {slug} as app\n\n\ndef test_{slug}():\n    {text or 'pass'}\n"


def files(slug: str, app: str) -> dict[str, str]:
    """One file, or several that are parted by lines like ``# file: name.py``; the first is the app itself."""
    parts = re.split(r"^# file: (\S+)\n", app, flags=re.MULTILINE)
    return {f"{slug}.py": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def tried(cases: Cases, folder: Path) -> dict[str, Outcome]:
    """Each case with its first proposal made and both of its tests run; the second one is never seen by a rule."""
    slugs = {name: f"app_{number}" for number, name in enumerate(cases)}
    for name, (app, test, _) in cases.items():
        place = folder / slugs[name]
        place.mkdir()
        for path, text in files(slugs[name], app).items():
            (place / path).parent.mkdir(exist_ok=True)
            (place / path).write_text(text)
        (place / f"test_{slugs[name]}.py").write_text(body(slugs[name], test))
    output = run(folder)
    first = {name: _first(folder / slug, output, app=cases[name][0], slug=slug) for name, slug in slugs.items()}
    for name, proposal in first.items():
        place = folder / slugs[name]
        for edit in proposal.edits if proposal is not None else ():
            (place / edit.path).write_text(edit.text)
        (place / f"test_hidden_{slugs[name]}.py").write_text(body(slugs[name], cases[name][2]))
    after = run(folder)
    return {
        name: Outcome(
            rule=proposal.name if (proposal := first[name]) is not None else "",
            right=proposal is not None and not _fails(after, slug),
            failed=_fails(output, slug),
        )
        for name, slug in slugs.items()
    }


def _fails(output: str, slug: str) -> bool:
    return re.search(rf"^(?:FAILED|ERROR) {slug}/", output, re.MULTILINE) is not None


def section(output: str, slug: str) -> str:
    """What pytest printed about one case, as if it had been alone: the whole is long, and is asked for often."""
    parts = re.split(r"^(?=_{3,} .* _{3,}$)", output, flags=re.MULTILINE)
    own = [re.split(r"^={3,} ", part, flags=re.MULTILINE)[0] for part in parts if re.match(rf"_+ .*\b(?:test_)?{slug}\b", part)]
    told = [line for line in output.splitlines() if re.match(rf"(?:FAILED|ERROR) {slug}/", line)]
    return "\n".join(["=" * 30 + " FAILURES " + "=" * 30, *own, "=" * 20 + " short test summary info " + "=" * 20, *told, ""])


def scene_of(place: Path, output: str, *, app: str, slug: str) -> Scene:
    """What the rules are shown of one case."""

    def read(path: str) -> str | None:
        file = place / path
        return file.read_text() if file.is_file() else None

    def data(path: str) -> bytes | None:
        return None if (text := read(path)) is None else text.encode()

    problems = problems_in(section(output, slug), sources=Sources(read=data, roots=(str(place), f"{slug}")), failed=True)
    own = tuple(
        one
        for one in problems
        if one.test.startswith(f"{slug}/")
        or f"test_{slug}." in one.test
        or (not one.test and one.place is not None and slug in one.place.file)
    )
    return Scene(paths=tuple(files(slug, app)), read=read, problems=own, test_paths=(f"test_{slug}.py",))


def _first(place: Path, output: str, *, app: str, slug: str) -> Proposal | None:
    return next(propose(scene_of(place, output, app=app, slug=slug)), None)
