"""Make a project faster in cycles: the verb, on one screen.

What holds: the project on disk is only read; every edit lives in sandboxes until it is kept, so what is not kept leaves
nothing behind to revert, and that the tree is the same to the byte is looked at in the end. An edit is kept only where
its trial is good (the project's own tests and the tamper gate, against the unchanged project), it answers alike, the
workload prints the same, and it is faster with the stated confidence. What does not hold: an edit that is wrong only
where no test, no workload and no input made of theirs looks is not found out.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel.core.errors import BudgetSpent, UsageError
from windtunnel.core.ports import Rig
from windtunnel.core.repair import unified
from windtunnel.core.trial import SandboxResult
from windtunnel.engine.fix.base import Base, changes_of
from windtunnel.engine.improve.answers import Asking
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.candidates import Option, options, own_files
from windtunnel.engine.improve.improvement import Improvement, Origin, Outcome, Step
from windtunnel.engine.improve.journal import Journal, journal_path
from windtunnel.engine.improve.judge import Judge
from windtunnel.engine.improve.pacer import Pacer
from windtunnel.engine.improve.profile import Shares, shares
from windtunnel.engine.improve.proof import proven
from windtunnel.engine.improve.subjects import Adviser, Subject, subject_of
from windtunnel.engine.improve.workloads import asking_of
from windtunnel.engine.tournament import Candidate, tournament
from windtunnel.engine.trial import Prepared, prepare
from windtunnel.workspace.tree import Tree

_MOST_AT_ONCE = 4


def improve(rig: Rig, asked: Improve, *, state: Path | None = None, advice: Advice | None = None) -> Improvement:
    """What was found; ``state`` is a folder for going on after a kill, ``advice`` more than the rules propose."""
    begun = time.monotonic()
    ready = prepare(rig, asked.trial())
    asking = asking_of(rig, asked, ready)
    _steady(asking)
    path = None if state is None else journal_path(
        state / "journals", ready.digest, asking.workload.workload.argv, asked.test, asked.worthwhile,
        sorted(asked.env.items()), asked.limits)
    with Journal(path, anew=not asked.resume) as journal:
        advice = advice or Advice()
        cycles = Cycles(rig=rig, asked=asked, ready=ready, asking=asking, journal=journal, until=begun + asked.seconds,
                        advice=advice, tried=set(advice.passed))
        stopped = cycles.run()
        result = proven(cycles.found(stopped), asked, ready, asking, texts=cycles.texts)
    untouched = Tree(ready.project, index=None).digest() == ready.digest
    return replace(result, untouched=untouched, execution_time=time.monotonic() - begun)


def _steady(asking: Asking) -> None:
    """Raise where the workload fails, or prints something else each time: nothing could be compared then."""
    with Pacer(asking.workload, {}, hash_seed=1) as pacer:
        pacer.ready()
        pacer.go(core=0, times=2)
        pacer.round(times=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What is known beforehand, and who is asked beside the rules."""

    adviser: Adviser | None = None
    """Is asked once, about the function with most to gain; its edit is tried together with those of the rules."""
    prefer: tuple[str, ...] = ()
    """Functions (``path:name``) with most to gain first, for where nothing can be sampled."""
    passed: frozenset[str] = frozenset()
    """Keys of edits and questions that had their turn."""


@dataclass(slots=True, kw_only=True)
class Cycles:
    """The cycles of one project, and what they have kept so far."""

    rig: Rig
    asked: Improve
    ready: Prepared
    asking: Asking
    journal: Journal
    until: float
    advice: Advice = field(default_factory=Advice)
    texts: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    number: int = 0
    asked_once: bool = False
    notes: list[str] = field(default_factory=list)

    def run(self) -> str:
        """Cycle after cycle; why it ended."""
        while self.number < self.asked.cycles:
            if not self.going_on():
                return "the time is over"
            section = self._section()
            if not section:
                return "nothing more is proposed"
            self.number += 1
            self._cycle(section)
        return f"{self.number} cycles are done"

    def going_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.until

    def found(self, stopped: str) -> Improvement:
        """What there is to prove."""
        kept = sum(step.kept for step in self.steps)
        notes = (f"{self.journal.replayed} judgements taken from before",) if self.journal.replayed else ()
        return Improvement(
            state=Outcome.IMPROVED if kept else Outcome.UNCHANGED, project=str(self.ready.project), cycles=self.number,
            reason=f"{kept} of {len(self.steps)} edits kept; {stopped}", steps=tuple(self.steps),
            notes=(*notes, *self.notes), workload=" ".join(self.asking.workload.workload.argv))

    def _section(self) -> list[Option]:
        """The edits of the function with most to gain, of those that were not judged yet."""
        folder = self.ready.course.ground.folder
        files, found = own_files(folder, leave=self.asking.workload.workload.argv), self._shares()
        advised = self._advised(files, found)
        every = options(folder, self.texts, files=files, shares=found)
        left = [*advised, *(one for one in every if one.key not in self.tried)]
        first = left[0].edit if left else None
        return [one for one in left if first and (one.edit.path, one.edit.function) == (first.path, first.function)][
            :_MOST_AT_ONCE]

    def _advised(self, files: Sequence[str], found: Shares) -> list[Option]:
        """What the adviser proposes, in the first cycle; an answer that is none is a step that was not kept."""
        ask = self.advice.adviser
        if ask is None or self.asked_once:
            return []
        self.asked_once = True
        base = Base(folder=self.ready.course.ground.folder, texts=self.texts)
        subject = subject_of(base, files=files, shares=found, prefer=self.advice.prefer, passed=self.tried)
        if subject is None:
            self.notes.append("no function stands out about which the model was not asked often enough")
            return []
        self._tell(f"asking about {subject.path}::{subject.function}")
        try:
            edit = ask(subject)
        except (UsageError, BudgetSpent) as refusal:
            return self._refused(subject, f"refused: {refusal}"[:300])
        key = subject.answer_key(edit.text)
        if key in self.tried:
            return self._refused(subject, "refused: the same answer was tried before")
        return [Option(edit=edit, key=key, share=subject.share, origin=Origin.MODEL)]

    def _refused(self, subject: Subject, why: str) -> list[Option]:
        key = subject.answer_key("refused", self.asked.seed)
        self.tried.add(key)
        self.steps.append(Step(
            cycle=self.number + 1, kept=False, rule="model", path=subject.path, function=subject.function,
            reason="a model was asked", why=why, share=round(subject.share, 4), origin=Origin.MODEL, key=key))
        self._tell(f"not kept: {why}")
        return []

    def _shares(self) -> Shares:
        return shares(self.asking.workload, self.texts)

    def _cycle(self, section: list[Option]) -> None:
        """Try the edits of one function, and keep the first that is proven; the others' turn comes again."""
        self._tell(f"cycle {self.number}: {section[0].edit.path}::{section[0].edit.function}")
        for option in section:
            known = self.journal.known.get(option.key)
            if known is not None and self._done(option, replace(known, cycle=self.number), replayed=True):
                return
        section = [one for one in section if one.key not in self.tried]
        judge = Judge(asking=self.asking, terms=self.asked.terms(), going_on=self.going_on)
        tried = self._tried(section) if section else {}
        for at, option in enumerate(section):
            outcome, error = tried.get(option.key, (None, "it was not tried"))
            step = self._step(option)
            judged = replace(step, why=f"it could not be tried: {error}") if outcome is None else judge.judged(
                step, option, outcome, before=dict(self.texts), seed=self._seed(option, at))
            if judged is not None and self._done(option, judged):
                return
            if judged is None:
                return

    def _tried(self, section: list[Option]) -> Mapping[str, tuple[SandboxResult | None, str]]:
        trial = self.asked.trial()
        ranked = tournament(self.rig, trial, [Candidate(name=one.key, changes=changes_of(
            self.ready.course.ground.folder, {**self.texts, one.edit.path: one.edit.text}.items())) for one in section])
        return {one.name: (one.result, one.error or "") for one in ranked}

    def _step(self, option: Option) -> Step:
        edit = option.edit
        before = Base(folder=self.ready.course.ground.folder, texts=self.texts).read(edit.path) or ""
        return Step(cycle=self.number, kept=False, rule=edit.rule, path=edit.path, function=edit.function,
                    reason=edit.reason, why="", share=round(option.share, 4), origin=option.origin, key=option.key,
                    diff=unified(edit.path, before, edit.text))

    def _seed(self, option: Option, at: int) -> int:
        words = f"{self.asked.seed} {self.number} {at} {option.key}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big")

    def _done(self, option: Option, step: Step, *, replayed: bool = False) -> bool:
        """Write the outcome down, keep the edit if that is what it says; whether it was kept."""
        self.tried.add(option.key)
        self.steps.append(step)
        self.journal.replayed += replayed
        if not replayed:
            self.journal.add(option.key, step)
        self._tell(f"{'kept' if step.kept else 'not kept'}: {step.rule} in {step.function}: {step.why}")
        if step.kept:
            self.texts[option.edit.path] = option.edit.text
        return step.kept

    def _tell(self, text: str) -> None:
        if self.asked.tell is not None:
            self.asked.tell(text)
