"""Fixes that worked before, told again for the same problem elsewhere.

Kept of a fix are the lines that it changed, without what stood around them, under the kind and the normal form of the
problem that it ended. Names that the problem's message quotes are kept as holes, so that what helped with one name is
proposed for another. What holds: two who remember at once lose nothing, and a file that grows too large forgets its
oldest half. What does not hold: what is remembered is source code of the project, which is why it is kept only where
somebody asked for it.
"""

from __future__ import annotations

import contextlib
import difflib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal, Scene

_MOST_BYTES = 4 * 1024**2
_MOST_LINE = 20_000
_MOST_PROBLEMS = 20
_MOST_PLACES = 20
_PRIOR, _MORE, _HIGHEST = 0.4, 0.1, 0.9
_QUOTED = re.compile(r"['\"`\u2018]([A-Za-z_][\w.]{0,100})['\"`\u2019]")
_HOLE = "\ue000{}\ue001"
"""Of characters for private use, which no program has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """One stretch of lines that a fix replaced, with holes for the names of the message."""

    kind: str
    normal: str
    before: str
    after: str
    name: str
    times: int = 1


class History:
    """One file of remembered fixes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.path = Path(path)

    def remember(self, problem: Problem, name: str, texts: Mapping[str, tuple[str, str]]) -> None:
        """Keep a fix of this problem: by path, the text before and after."""
        lines = [json.dumps(asdict(one)) for one in _stretches(problem, name, texts)]
        lines = [line for line in lines if len(line) <= _MOST_LINE]
        if not lines:
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if file.seek(0, os.SEEK_END) > _MOST_BYTES:
                _forget(file.fileno())
            file.write("".join(f"{line}\n" for line in lines).encode())

    def all(self) -> list[Remembered]:
        """What is kept, oldest first, the same ones counted together; lines that are not ours are left out."""
        found: dict[tuple[str, str, str, str], Remembered] = {}
        for line in _lines(self.path):
            with contextlib.suppress(ValueError, TypeError):
                one = Remembered(**json.loads(line))
                key = (one.kind, one.normal, one.before, one.after)
                if all(isinstance(part, str) for part in (*key, one.name)):
                    times = found[key].times + 1 if key in found else 1
                    found[key] = Remembered(kind=one.kind, normal=one.normal, before=one.before, after=one.after,
                                            name=one.name, times=times)
        return list(found.values())

    def propose(self, scene: Scene) -> Iterator[Proposal]:
        """What helped with the same problem before, where the same lines stand."""
        kept = self.all()
        for problem in scene.problems[:_MOST_PROBLEMS]:
            names = _names(problem)
            known = [one for one in kept if (one.kind, one.normal) == (problem.kind, _normal(problem))]
            for one in sorted(known, key=lambda each: -each.times):
                before, after = _filled(one.before, names), _filled(one.after, names)
                if before is not None and after is not None:
                    yield from _placed(scene, problem, one, (before, after))


def _placed(scene: Scene, problem: Problem, one: Remembered, lines: tuple[str, str]) -> Iterator[Proposal]:
    """Wherever the lines stand, the file of the problem first; imports that were added go to its top."""
    before, after = lines
    first = problem.place.file if problem.place is not None else ""
    for path in sorted(scene.paths, key=lambda each: each != first)[:_MOST_PLACES]:
        text = scene.read(path)
        if text is None or (not before and path != first):
            continue
        at = _top(text) if not before else _line_start(text, before)
        if at >= 0:
            yield Proposal(
                edits=(FileEdit(path=path, text=text[:at] + after + text[at + len(before):]),), origin="history",
                name=one.name, reason=f"the same change ended the same problem before ({one.times} times)",
                place=Place(file=path, line=text.count("\n", 0, at) + 1),
                prior=min(_PRIOR + _MORE * one.times, _HIGHEST))


def _stretches(problem: Problem, name: str, texts: Mapping[str, tuple[str, str]]) -> Iterator[Remembered]:
    names = _names(problem)
    for before, after in texts.values():
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        for tag, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                # What was only added is known by the line before it; an import by nothing.
                more = int(tag == "insert" and first > 0 and not _is_import(new[start:end]))
                yield Remembered(kind=problem.kind, normal=_normal(problem), name=name,
                                 before=_holed("".join(old[first - more:last]), names),
                                 after=_holed("".join(new[start - more:end]), names))


def _is_import(lines: list[str]) -> bool:
    return all(line.startswith(("import ", "from ")) or not line.strip() for line in lines)


def _normal(problem: Problem) -> str:
    return problem.normal or problem.message


def _names(problem: Problem) -> list[str]:
    return list(dict.fromkeys(_QUOTED.findall(problem.message)))


def _holed(text: str, names: list[str]) -> str:
    for number, name in enumerate(names):
        text = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", _HOLE.format(number), text)
    return text


def _filled(text: str, names: list[str]) -> str | None:
    """The text with these names; None where it needs more of them."""
    for number, name in enumerate(names):
        text = text.replace(_HOLE.format(number), name)
    return None if _HOLE[0] in text else text


def _line_start(text: str, lines: str) -> int:
    """Where these whole lines begin; -1 where they are not, or more than once."""
    at = text.find(lines)
    while at > 0 and text[at - 1] != "\n":
        at = text.find(lines, at + 1)
    return at if at >= 0 and text.find(lines, at + 1) < 0 else -1


def _top(text: str) -> int:
    """Behind the comments and the docstring that a file begins with."""
    found = re.match(r'(?:[ \t]*#[^\n]*\n|[ \t]*\n)*(?:(?:"""(?:[^"]|"(?!""))*"""|\'\'\'(?:[^\']|\'(?!\'\'))*\'\'\')'
                     r"[ \t]*\n)?(?:[ \t]*\n|from __future__ [^\n]*\n)*", text)
    return found.end() if found else 0


def _lines(path: Path) -> list[bytes]:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(2 * _MOST_BYTES).splitlines()
    return []


def _forget(descriptor: int) -> None:
    """Keep the newer half."""
    data = os.pread(descriptor, 2 * _MOST_BYTES, 0)
    kept = data[data.find(b"\n", len(data) // 2) + 1:]
    os.ftruncate(descriptor, 0)
    os.write(descriptor, kept)
