"""The process that has collected the tests, and its copies: one for each clean run and each mutant."""



from __future__ import annotations

import gc
import os
import re
import socket
import threading
import time
import types
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import pytest
from windtunnel_mutant_calls import Calls  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_code import Live, Sources, serve_mutant, switch  # type: ignore[import-not-found]  # lies beside this file
from windtunnel_mutant_counter import Counter, _forget_folder, note_writes  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_items import bound_memory, own_folder  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_lines import Lines  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_modules import held, loaded_files, make_ready, standard_modules  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_output import Output  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_plugin import wrapper  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_watch import Watch  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer  # type: ignore[import-not-found]  # the same

MOST_REASON = 300


class Shop(Counter):  # type: ignore[misc]  # it lies beside this file when it runs
    """Waits for orders behind the collection, and makes a copy of itself for each."""

    def __init__(self, orders: socket.socket, sources: Sources, options: Dict[str, Any]) -> None:
        """``orders`` come from the process that knows nothing of the project."""
        super().__init__(orders, sources, options)
        self.wanted = frozenset(options.get("names", ()))
        self.lines: Any = Lines(sources.files)
        self.loaded: Set[Tuple[str, int]] = set()
        self.codes: Set[Tuple[str, str, int]] = set()
        """Code that ran while the tests were collected."""
        self.fixtures: Dict[int, Tuple[Any, Set[Any]]] = {}
        self.watching = False
        self.broken: List[str] = []
        self.quiet = False
        """Whether no test looks at what is printed."""
        self.plan: Tuple[int, Any, Any] = (-1, None, None)
        """The last mutant that was made ready, what it changes, and which functions get which code."""
        self.seconds = time.process_time()

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.broken.append(f"{report.nodeid}\t{_last_line(report)}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self.loaded, self.codes = self.lines.take(), set(self.lines.codes)
        self.lines.stop()
        self.seconds = time.process_time() - self.seconds
        self.items = session.items
        self.by_name = {self.name(item): item for item in self.items}
        self.live = Live(self.sources)
        self.sources.prepare({mutant["path"] for mutant in self.mutants})
        output = Output(session.config)
        self.quiet = output.leave(self.items)
        if self.quiet:
            output.drop()
            output.take()
        gc.collect()
        gc.freeze()
        self.serve()
        os._exit(0)

    @wrapper  # type: ignore[untyped-decorator]  # the same
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """What a fixture of several tests runs, all of them reach."""
        if not self.watching or fixturedef.scope == "function":
            yield
            return
        kept = self.lines.take()
        yield
        self.fixtures[id(fixturedef)] = (fixturedef, self.lines.take())
        self.lines.seen.update(kept)

    def before(self, order: Dict[str, Any]) -> None:
        """Have ready what the tests were seen to load and to compile, so that not every copy does it again.

        And what a copy is to switch: compiling it there would write into pages that it shares with this process.
        """
        if order.get("warm"):
            make_ready(order["warm"])
            gc.collect()
            gc.freeze()
        if order["do"] == "try":
            mutant = self.mutants[order["mutant"]]
            pairs = self.sources.pairs(mutant)
            self.plan = (order["mutant"], pairs, self.live.planned(mutant["path"], pairs) if pairs else None)

    def _obey(self, order: Dict[str, Any], answer: Answer) -> None:
        try:
            own_folder(order["folder"])
            _forget_folder(self.items)
            {"collected": self._collected, "clean": self._clean, "try": self._try}[order["do"]](order, answer)
        except BaseException as error:
            answer.end("failed", message=repr(error)[:500])

    def _collected(self, order: Dict[str, Any], answer: Answer) -> None:
        answer.end("told", ids=[self.name(item) for item in self.items], broken=self.broken, loaded=sorted(self.loaded),
                   codes=sorted(self.codes), modules=standard_modules(self.root), files=loaded_files(self.root),
                   quiet=self.quiet, seconds=self.seconds, threads=threading.active_count() - 1,
                   functions=self._functions(),
                   named=[bool(self.wanted) and not self.wanted.isdisjoint(words_of(item)) for item in self.items])

    def _functions(self) -> List[str]:
        """Where each test's own code lies, for those that are functions."""
        return [str(getattr(getattr(item, "obj", None), "__name__", "")) for item in self.items]

    def _clean(self, order: Dict[str, Any], answer: Answer) -> None:
        """Tests as the project has them, all or those named; with ``watch`` also what each of them runs."""
        items = self.items if order["tests"] is None else _named(self.items, order["tests"], self.name)
        items = items[::-1] if order["backwards"] else items
        watch = Watch(os.getcwd(), order["folder"], frozenset(self.sources.files))
        seen: List[Dict[str, Any]] = []
        own: List[Set[Any]] = []
        if order["watch"]:
            self.lines, self.watching = {"lines": Lines, "functions": Calls}[order["watch"]](self.sources.files), True
            self.lines.follow()

        def each(number: int) -> None:
            if order["watch"]:
                own.append(self.lines.take())
            seen.append(watch.take())
            if order["watch"] == "functions":
                seen[-1]["unsure"] = self.lines.doubt()
            answer.at(number + 1)

        answer.at(0)
        tests = self.timed(items, each=each)
        if order["watch"]:
            self.lines.stop()
            for item, lines in zip(items, own):
                for definition in _definitions(item):
                    lines.update(self.fixtures.get(id(definition), (None, set()))[1])
        places, ran = _numbered(own)
        answer.end("told", tests=tests, places=places, ran=ran, seen=seen, warm=held(self.root))

    def _try(self, order: Dict[str, Any], answer: Answer) -> None:
        mutant, (number, pairs, plan) = self.mutants[order["mutant"]], self.plan
        if number != order["mutant"]:
            answer.end("fresh")  # it could not be made ready
        if plan is None or not switch(plan):
            answer.end("same" if pairs == [] else "fresh")
        serve_mutant(self.sources, mutant)
        bound_memory(self.memory)
        note_writes(answer, order["folder"])
        self.first_killer([self.by_name[name] for name in order["tests"]], order["seconds"], answer)


def _last_line(report: Any) -> str:
    """What a file could not be collected for: where a traceback marks its error, that line."""
    lines = [line.strip() for line in str(report.longrepr)[-20_000:].splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (marked or lines or [""])[-1][:MOST_REASON]


def words_of(item: Any) -> Iterator[str]:
    """The names that the code of a test uses, with those of the functions inside it."""
    test: Any = getattr(item, "obj", None)
    while hasattr(test, "__wrapped__"):
        test = test.__wrapped__
    waiting = [getattr(test, "__code__", None)]
    while waiting:
        code = waiting.pop()
        if isinstance(code, types.CodeType):
            yield from (*code.co_names, *code.co_freevars)
            waiting += code.co_consts
    for example in getattr(getattr(item, "dtest", None), "examples", ()):
        yield from re.findall(r"\w+", example.source)


def _named(items: List[Any], names: List[str], name_of: Callable[[Any], str]) -> List[Any]:
    wanted = set(names)
    return [item for item in items if name_of(item) in wanted]


def _numbered(own: List[Set[Any]]) -> Tuple[List[Any], List[List[int]]]:
    """Each place once, and for each test the numbers of those that it ran."""
    places: Dict[Any, int] = {}
    ran = [[places.setdefault(place, len(places)) for place in sorted(lines)] for lines in own]
    return list(places), ran


def _definitions(item: Any) -> Iterator[Any]:
    """The fixtures that a test uses, its own and those of its module, class and session."""
    for definitions in getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values():
        yield from definitions
