"""The process that has collected the tests, asked for real calls of functions, for inputs, and for tests to be run."""

from __future__ import annotations

import ast
import os
import time
import types
from typing import Any, Dict, FrozenSet, List, Optional

from windtunnel_mutant_items import bound_memory, chosen, own_folder  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_shop import Shop, _forget_folder  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_attempt import Attempt  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_calls import Calls, Making, Recorder  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_names import Names  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_report import reasons, suggestion_of  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_search import Search, Suspect  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_switch import load_into, module_of  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_target import Target  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_vary import constants_of  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_writer import Writer  # type: ignore[import-not-found]  # the same

MOST_CONSTANTS = 16


class Studio(Shop):  # type: ignore[misc]  # it lies beside this file when it runs
    """Knows three orders of its own."""

    def __init__(self, orders: Any, sources: Any, options: Dict[str, Any]) -> None:
        """``options`` has the functions that are asked about."""
        super().__init__(orders, sources, {"names": [], **options})
        self.targets: List[Dict[str, Any]] = options["targets"]

    def _obey(self, order: Dict[str, Any], answer: Answer) -> None:
        own = {"record": self._record, "search": self._search, "pass": self._pass}
        if order["do"] not in own:
            super()._obey(order, answer)
        try:
            own_folder(order["folder"])
            _forget_folder(self.items)
            own[order["do"]](order, answer)
        except BaseException as error:
            answer.end("failed", message=repr(error)[:500])

    def _pass(self, order: Dict[str, Any], answer: Answer) -> None:
        """Tests as they are, without any mutant, in the order that is asked for."""
        bound_memory(self.memory)
        self.first_killer(chosen(self.items, order["tests"], self.name), order["seconds"], answer)

    def _record(self, order: Dict[str, Any], answer: Answer) -> None:
        until = time.monotonic() + order["most"]
        names = {file: Names(self._module(file)) for file in {one["file"] for one in self.targets}}
        writers = {file: Writer(each) for file, each in names.items()}
        targets = [self._target(one) for one in self.targets]
        files = frozenset(one.__code__.co_filename for functions in self.live.functions.values() for one in functions)
        calls = {number: Calls(target, writers[one["file"]], files)
                 for number, (one, target) in enumerate(zip(self.targets, targets)) if target is not None}
        making = Making(self._classes(), list(writers.values()))
        items = chosen(self.items, order["tests"], self.name)
        late = self._listen(items, Recorder(list(calls.values()), making), answer, until)
        via = {number: Calls(entry, one.writer) for number, one in calls.items() if not one.kept and one.seen
               for entry in [self._entry(one)] if entry is not None}
        if via and not late:
            self._listen(items, Recorder(list(via.values()), making), answer, until)
        told = {number: {**one.told(), "late": late} for number, one in calls.items()}
        for number, one in via.items():
            told[number].update({"inputs": list(one.kept), "via": [one.target.path, one.target.qualified,
                                                                  one.target.code.co_firstlineno]} if one.kept else {})
        answer.end("told", calls=[told.get(number, {}) for number in range(len(self.targets))])

    def _listen(self, items: List[Any], recorder: Recorder, answer: Answer, until: float) -> bool:
        """Run these tests while it listens; whether the time was over before all of them had run."""
        for number, item in enumerate(items):
            answer.at(number)
            if time.monotonic() > until:
                return True
            recorder.start()
            try:
                self.run(item, items[number + 1] if number + 1 < len(items) else None)
            finally:
                recorder.stop()
        return False

    def _entry(self, calls: Calls) -> Optional[Target]:
        """The function by which most tests came to another one, if a test can call it."""
        for code in sorted(calls.entries, key=lambda code: -calls.entries[code]):
            place = (os.path.realpath(code.co_filename), code.co_name, code.co_firstlineno)
            found = self.live.functions.get(place, ())
            if found and code is not calls.target.code and "<locals>" not in found[0].__qualname__:
                target = Target({"path": place[0], "function": found[0].__qualname__}, found[0])
                if target.kind:
                    return target
        return None

    def _module(self, file: str) -> Optional[types.ModuleType]:
        """A test file as it was loaded."""
        path = os.path.join(os.getcwd(), file) if file else ""
        for item in self.items:
            module = getattr(item, "module", None)
            file_of = getattr(module, "__file__", None) or ""
            if isinstance(module, types.ModuleType) and os.path.realpath(file_of) == path:
                return module
        return None

    def _target(self, options: Dict[str, Any]) -> Optional[Target]:
        name = options["function"].rpartition(".")[2]
        found = self.live.functions.get((options["path"], name, options["first"]), ())
        made = [Target(options, function) for function in found[:1]]
        return made[0] if made and made[0].kind else None

    def _classes(self) -> Dict[types.CodeType, Target]:
        """How objects of the product are made."""
        found: Dict[types.CodeType, Target] = {}
        for (path, name, _), functions in self.live.functions.items():
            if name == "__init__" and "<locals>" not in functions[0].__qualname__:
                target = Target({"path": path, "function": functions[0].__qualname__}, functions[0])
                if target.kind == "class" and target.bound:
                    found[target.code] = target
        return found

    def _search(self, order: Dict[str, Any], answer: Answer) -> None:
        options, given = self.targets[order["target"]], order["calls"]
        bound_memory(2 * self.memory)
        names = Names(self._module(options["file"]))
        names.adopt(given["imports"])
        via = given.get("via")
        own, writer = self._target(options), Writer(names)
        target = self._target({"path": via[0], "function": via[1], "first": via[2]}) if via else own
        callee = target.callee(names) if target is not None else ""
        if own is None or target is None or (not callee and target.kind not in ("method", "property")):
            none = dict.fromkeys(map(str, options["mutants"]), "no test can call it by a name")
            answer.end("told", none=none, tests=[])
            return
        suspects = [self._suspect(number) for number in options["mutants"]]
        attempt = Attempt(target, writer, callee, file=own.code.co_filename)
        search = Search(attempt, suspects, lambda number: self._switch(number, names),
                        memory=self.memory, until=time.monotonic() + order["most"])
        search.run([tuple((slot, text) for slot, text in inputs) for inputs in given["inputs"]])
        tests = [suggestion_of(search.attempt, check, search.seen[check.inputs].told, kills)
                 for check, kills in search.chosen()]
        answer.end("told", tests=tests, none=reasons(search, given), tries=len(search.seen))

    def _suspect(self, number: int) -> Suspect:
        """Its lines, and the constants around it from the nearest on."""
        mutant = self.mutants[number]
        lines = frozenset(range(mutant["first"], mutant["last"] + 1))
        tree = ast.parse(self.sources.files[mutant["path"]])
        near = [node for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.expr)) and node.lineno in lines
                and (node.end_lineno or node.lineno) <= mutant["last"]]
        whole = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                 and node.lineno <= mutant["first"] <= (node.end_lineno or node.lineno)]
        constants = [value for node in [*near, *whole[::-1]] for value in constants_of(node)]
        unique = list({(type(value), value): value for value in constants}.values())
        uses = frozenset() if whole else _uses(tree, near)
        loads = self.sources.pairs(mutant) is None
        return Suspect(number, uses or lines, unique[:MOST_CONSTANTS], loads and not uses)

    def _switch(self, number: int, names: Names) -> bool:
        """In memory where that is possible, else by loading its file once more into the module that is there."""
        mutant = self.mutants[number]
        pairs = self.sources.pairs(mutant)
        if pairs and self.live.switch(mutant["path"], pairs):
            return True
        module = module_of(mutant["path"])
        return pairs != [] and module is not None and load_into(module, self.sources.mutated(mutant), names)


def _uses(tree: ast.AST, near: List[Any]) -> FrozenSet[int]:
    """Lines of functions that use what some lines outside of functions give a name to."""
    names = {part.id for node in near for part in ast.walk(node) if isinstance(part, ast.Name)
             and isinstance(part.ctx, ast.Store)}
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return frozenset(part.lineno for node in functions for part in ast.walk(node)
                     if (isinstance(part, ast.Name) and part.id in names)
                     or (isinstance(part, ast.Attribute) and part.attr in names))
