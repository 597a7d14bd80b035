"""A model as one more source of proposals: asked once for each base, answering in diffs alone.

What holds: an answer is read as a unified diff against texts, and every edit of it goes through the same checks as all
others; files that may not be touched stay untouched, whatever it says. Money is taken from the budgets before a
question is sent, the most that its answer can cost; where there is none left, nothing is asked. What does not hold:
the code that is asked about leaves this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources

from windtunnel.core.errors import BudgetSpent, UsageError
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal, Scene, Source
from windtunnel.engine.course import Event
from windtunnel.engine.fix.answered import diff_in, texts_of
from windtunnel.engine.fix.asked import Fix
from windtunnel.repair.model import Endpoint, ModelFailed, paid

REFUSED, UNASKED = "nothing from the model", "the model is not asked"
"""How what it tells begins where no answer could be used, or paid for."""
_MOST_CODE = 24_000
_MOST_FILES = 6
_MOST_PROBLEMS = 8
_MOST_MESSAGE = 1500
_MOST_QUESTIONS = 4
"""For one fix, however many bases it has."""
_SECONDS = 60.0
_PRIOR = 0.3


def source_of(asked: Fix, *, spend: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> Source:
    """The source; a typed error where the variables do not say which model."""
    endpoint, left = Endpoint.of(environ), [_MOST_QUESTIONS]

    def propose(scene: Scene) -> Iterator[Proposal]:
        files = _files(scene)
        if not left[0] or not files:
            return
        left[0] -= 1
        prompt = _prompt(scene, files)
        try:
            answer = paid(endpoint, prompt, seconds=min(_SECONDS, asked.budget), spend=spend)
            cost = endpoint.price.of(answer.asked_tokens, answer.answered_tokens) if endpoint.price else "price unknown"
            _note(asked, f"the model answered: {answer.asked_tokens} tokens asked, {answer.answered_tokens} answered, "
                  f"{cost}")
            yield from _proposed(answer.text, scene)
        except BudgetSpent as spent:
            left[0] = 0
            _note(asked, f"{UNASKED}: {spent}"[:300])
        except (ModelFailed, UsageError) as failure:
            _note(asked, f"{REFUSED}: {failure}"[:300])

    return propose


def _note(asked: Fix, text: str) -> None:
    if asked.tell is not None:
        asked.tell(Event(kind="note", text=text))


def _files(scene: Scene) -> dict[str, str]:
    """The texts that are worth showing: those of problems, then the most suspicious."""
    named = [place.file for problem in scene.problems for place in (problem.place, *problem.own) if place is not None]
    wanted = [path for path in dict.fromkeys((*named, *(each.path for each in scene.suspicions), *scene.paths))
              if path in set(scene.paths)]
    found, left = dict[str, str](), _MOST_CODE
    for path in wanted[:_MOST_FILES]:
        text = scene.read(path)
        if text is not None and len(text) <= left:
            found[path] = text
            left -= len(text)
    return found


def _prompt(scene: Scene, files: Mapping[str, str]) -> str:
    template = resources.files("windtunnel.repair").joinpath("prompts/fix.txt").read_text("utf-8")
    problems = "\n\n".join(_told(problem) for problem in scene.problems[:_MOST_PROBLEMS])
    code = "\n".join(f'<file path="{path}">\n{text}\n</file>' for path, text in files.items())
    parts = {"paths": ", ".join(files), "problems": problems, "files": code}
    return re.sub(r"\{(paths|problems|files)\}", lambda found: parts[found[1]], template)


def _told(problem: Problem) -> str:
    place = f" at {problem.place.file}:{problem.place.line}" if problem.place else ""
    values = f"\nexpected {problem.expected}, got {problem.actual}" if problem.expected is not None else ""
    test = f"\ntest: {problem.test}" if problem.test else ""
    return f"{problem.kind}: {problem.name}: {problem.message}{place}{values}{test}"[:_MOST_MESSAGE]


def _proposed(text: str, scene: Scene) -> Iterator[Proposal]:
    """The diff as one edit of whole texts; ``UsageError`` where it is none, or does not fit."""
    body = diff_in(text)
    if body is None:
        raise UsageError("its answer is no diff")
    edits = tuple(FileEdit(path=path, text=new) for path, new in texts_of(
        body, paths=scene.paths, read=scene.read).items())
    yield Proposal(
        edits=edits, origin="model", name="model", reason="a model proposes this", prior=_PRIOR,
        place=Place(file=edits[0].path, line=_line(body)))


def _line(body: str) -> int | None:
    found = re.search(r"^@@ -(\d{1,7})", body, re.MULTILINE)
    return int(found[1]) if found else None
