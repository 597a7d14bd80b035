"""The process that is about to collect the tests: each copy of it loads the project with one mutant.

It collects one file of tests after the other and runs what is asked of it before it goes on to the next, so that a
mutant that is noticed early costs little. What holds: nothing of the files that mutants are of has been loaded in it,
or it says of which. What does not hold: modules of the interpreter are loaded before the project's own; where a test
minds that, or minds being loaded after others have run, a rehearsal without a mutant shows it.
"""



from __future__ import annotations

import contextlib
import gc
import os
import socket
import sys
from typing import Any, Dict, Iterator, List, Set, Tuple

import pytest
from windtunnel_mutant_code import Sources, serve_mutant  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_counter import Counter, _forget_folder, note_writes  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_items import FAILED, PASSED, alarm, bound_memory, chosen, function, own_folder  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_kin import become_hidden, become_plain  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_modules import Compiled, file_of, make_ready  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_output import Output  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer  # type: ignore[import-not-found]  # the same

Numbered = List[Tuple[int, str]]
FIRST, LEAST_APART = 4, 12
"""How many functions of a file are collected and run before its others, where it has more than so many."""


class Stage(Counter):  # type: ignore[misc]  # it lies beside this file when it runs
    """Waits for orders before the collection."""

    def __init__(self, orders: socket.socket, sources: Sources, options: Dict[str, Any]) -> None:
        """``orders`` come from the process that knows nothing of the project."""
        super().__init__(orders, sources, options)
        self.compiled = Compiled()
        self.session: Any = None
        self.output: Any = None
        self.wanted: Dict[str, Set[str]] = {}
        """By file of tests, the names in it that are asked for, of functions and of classes with what is inside."""
        self.early: List[str] = []
        """Files of mutants that are loaded already."""
        self.broken = False
        """Whether a file of tests could not be collected."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: Any) -> bool:
        self.session, self.output = session, Output(session.config)
        loaded = {os.path.realpath(file_of(module)) for module in list(sys.modules.values())}
        self.early = sorted(loaded & set(self.sources.files))
        become_hidden()  # what the tests of another copy do to it would show in all copies made later
        self.serve()
        os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str) -> Any:
        """Nothing for what nobody asked for; the others are made in the project's own way."""
        wanted = self.wanted.get(self.name(collector).split("::", 1)[0])
        return [] if wanted is not None and name not in wanted else None

    def pytest_collectreport(self, report: Any) -> None:
        self.broken = self.broken or report.outcome == "failed"

    def before(self, order: Dict[str, Any]) -> None:
        """Have ready what all copies are going to load."""
        if order["do"] == "rehearse":
            make_ready(order["warm"])
            self.compiled.add(order["warm"]["files"])
            if order["warm"]["quiet"]:
                self.output.leave(())
            gc.collect()
            gc.freeze()

    def _obey(self, order: Dict[str, Any], answer: Answer) -> None:
        try:
            become_plain()
            own_folder(order["folder"])
            {"rehearse": self._rehearse, "load": self._load}[order["do"]](order, answer)
        except BaseException as error:
            answer.end("failed", message=repr(error)[:500])

    def _rehearse(self, order: Dict[str, Any], answer: Answer) -> None:
        """All tests without a mutant, file by file; says which of them do not pass like this."""
        bad: List[str] = []
        for file, numbered in steps(order["tests"]):
            items = self._collected(file, numbered)
            names = {self.name(item) for item in items}
            bad += [name for _, name in numbered if name not in names or self.broken]
            self.output.take()
            for at, item in enumerate(items):
                if self.run(item, items[at + 1] if at + 1 < len(items) else None) != PASSED:
                    bad.append(self.name(item))
            self.output.let_go()
        answer.end("told", bad=bad, early=self.early)

    def _load(self, order: Dict[str, Any], answer: Answer) -> None:
        """Until a test notices; a file of tests that cannot be collected any more has noticed."""
        serve_mutant(self.sources, self.mutants[order["mutant"]])
        bound_memory(self.memory)
        note_writes(answer, order["folder"])
        for file, numbered in steps(order["tests"]):
            answer.at(numbered[0][0])
            alarm(order["loading"], lambda: answer.end("timeout"))
            items = self._collected(file, numbered)
            if self.broken:
                answer.end("killed", by=numbered[0][0])
            self._run_all(items, numbered, order["seconds"], answer)
        answer.end("survived")

    def _run_all(self, items: List[Any], numbered: Numbered, seconds: List[float], answer: Answer) -> None:
        numbers = {name: number for number, name in numbered}
        alike = {function(name): number for number, name in reversed(numbered)}
        self.output.take()
        for at, item in enumerate(items):
            name = self.name(item)
            # One that the mutant made is known by another of the same function.
            number = numbers.get(name, alike.get(function(name), numbered[0][0]))
            answer.at(number)
            alarm(seconds[number], lambda: answer.end("timeout"))
            if self.run(item, items[at + 1] if at + 1 < len(items) else None) == FAILED:
                answer.end("killed", by=number)
        self.output.let_go()

    def _collected(self, file: str, numbered: Numbered) -> List[Any]:
        """Those tests of a file that are asked for."""
        path = os.path.join(self.root, file)
        self.wanted = {file: {function(part) for _, name in numbered for part in name.split("::")[1:]}}
        self.session.config.args[:] = [path]
        with wordless():
            items = list(self.session.perform_collect([path]))
        _forget_folder(items)
        return list(chosen(items, [name for _, name in numbered], self.name))


class NoWords(str):
    """In the place of the text of an error."""

    __slots__ = ()

    def toterminal(self, out: Any) -> None:
        """Nobody reads it here."""


@contextlib.contextmanager
def wordless() -> Iterator[None]:
    """Of what cannot be collected only that counts: its words, with the code around, take longer than all else."""
    usual: Any = pytest.ExceptionInfo.getrepr
    pytest.ExceptionInfo.getrepr = lambda *_, **__: NoWords()  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        pytest.ExceptionInfo.getrepr = usual  # type: ignore[method-assign]


def steps(tests: List[str]) -> Iterator[Tuple[str, Numbered]]:
    """File by file, and of a file with many functions the first few before the others: making them all takes long."""
    for file, numbered in by_file(tests).items():
        functions = dict.fromkeys(function(name) for _, name in numbered)
        few = set(list(functions)[: FIRST if len(functions) > LEAST_APART else len(functions)])
        for part in ([one for one in numbered if function(one[1]) in few],
                     [one for one in numbered if function(one[1]) not in few]):
            if part:
                yield file, part


def by_file(tests: List[str]) -> Dict[str, Numbered]:
    """Tests with their numbers, the files in the order of the first test of each."""
    found: Dict[str, Numbered] = {}
    for number, name in enumerate(tests):
        found.setdefault(name.split("::", 1)[0], []).append((number, name))
    return found
