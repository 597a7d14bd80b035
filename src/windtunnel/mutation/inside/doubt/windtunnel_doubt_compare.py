"""Every version on every input: the change, the code before it, and each alternative that passes the tests."""

from __future__ import annotations

import copy
import json
import os
import resource
import signal
from typing import Any, Callable, Dict, List, Tuple

from windtunnel_doubt_calls import Calls, call  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_doubt_forks import forked  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_inputs import Input, Varied  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_literals import shown_by_tests  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_traits import Traits, measures, relations, shared, symptoms  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_values import canon, digest, drawn, shown  # type: ignore[import-not-found]  # the same
from windtunnel_doubt_worlds import World  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_items import bound_memory  # type: ignore[import-not-found]  # the same

CALL_SECONDS, WORLD_SECONDS, WALL_SECONDS = 0.05, 4.0, 60.0
"""Of the processor for one call and for all; of the clock for what waits."""
MOST_INPUTS, LEAST_INPUTS = 200, 8
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
FIX, BACKWARDS, OLD = -1, -2, -3
NO_CALLS, NOT_COPIED = "no test calls the changed code", "the arguments of its calls cannot be copied"
Outcomes = List[Tuple[str, str]]


class Late(BaseException):
    """One call took too long."""


class Comparison:
    """In a process that has run the tests."""

    def __init__(
        self, options: Dict[str, Any], world: World, calls: Calls, *, say: Callable[..., None], until: float,
    ) -> None:
        """``say`` to the process that seals."""
        self.options, self.world, self.calls, self.say, self.until = options, world, calls, say, until
        self.recorded = {at: functions[0].__code__ for at, functions in world.live.items()}
        self.inputs: List[Input] = []
        self.measured: Dict[int, List[Any]] = {}

    def tell(self, passing: List[int], *, judges: int) -> None:
        """All of it, or why not."""
        why = self._prepare() if judges else NO_CALLS
        if why:
            self.say("note", what=why)
            return
        found = self._settle(self.run([FIX, OLD]))
        if not self.inputs:
            self.say("note", what="the change did not come to its end on the inputs made for it")
            return
        found.update(self.run([BACKWARDS, *passing]))
        fix, again = found[FIX], found.get(BACKWARDS, [])
        if len(again) != len(fix):
            self.say("note", what="the change did not come to its end on the inputs made for it")
            return
        kept = [at for at in range(len(fix)) if fix[at] == again[len(fix) - 1 - at]]
        self.say("inputs", made=len(fix), stable=len(kept), places="".join(self.inputs[at].place for at in kept))
        if kept:
            self._compare(kept, found, passing)

    def _settle(self, found: Dict[int, Outcomes]) -> Dict[int, Outcomes]:
        """Keep the inputs that the change and the code before it answer in time."""
        both = list(zip(self.inputs, found.get(FIX, []), found.get(OLD) or found.get(FIX, [])))
        kept = [at for at, (_, one, other) in enumerate(both) if one[0] in "vr" and other[0] in "vr"]
        self.inputs = [self.inputs[at] for at in kept]
        for version in (FIX, OLD):
            self.measured[version] = [self.measured[version][at] for at in kept] if found.get(version) else []
        return {version: [answers[at] for at in kept] for version, answers in found.items() if answers}

    def _prepare(self) -> str:
        """Make the inputs; what keeps us from it, if anything does."""
        calls = {at: some for at, some in self.calls.found.items() if some}
        if not calls:
            return NOT_COPIED if self.calls.lost else NO_CALLS
        self.inputs = [Input(at, given, place="o") for at, some in calls.items() for given in some]
        found = self.run([FIX, OLD])
        fix, old = found.get(FIX, []), found.get(OLD, [])
        repaired: Dict[int, List[Any]] = {}
        for made, one, other in zip(self.inputs, fix, old):
            if one != other:
                repaired.setdefault(made.target, []).append(made.given)
        self._tell_literals([given for some in repaired.values() for given in some], [
            made for made, one, other in zip(self.inputs, fix, old) if one != other])
        most = max(LEAST_INPUTS, MOST_INPUTS // len(calls))
        varied = Varied(self.options["constants"], seed=1)
        self.inputs = [made for at, some in calls.items()
                       for made in varied.inputs(at, some, repaired.get(at, []), most=most)]
        return ""

    def _tell_literals(self, repaired: List[Dict[str, Any]], inputs: List[Input]) -> None:
        """How many of the numbers and texts that the change brings are those of the calls it repairs."""
        literals = self.options["literals"]
        if not literals or not inputs:
            return

        def act(_: int, write: int) -> None:
            self._bound()
            answers = [self._outcome(made)[3] for made in inputs]
            found = shown_by_tests(literals, repaired, answers)
            os.write(write, json.dumps([len(found), shown(found[0]) if found else ""]).encode())

        ended = next(iter(forked([0], act, workers=1, wall=WALL_SECONDS, until=self.until)), None)
        if ended is not None and ended.data:
            count, first = json.loads(ended.data)
            self.say("literals", count=len(literals), found=count, what=first)

    # --- versions ---

    def run(self, versions: List[int]) -> Dict[int, Outcomes]:
        """What each of them answers to all inputs; less of one that did not come to its end."""
        found: Dict[int, Outcomes] = {}
        for ended in forked(versions, self._answer, workers=self.options["workers"], wall=WALL_SECONDS,
                            until=self.until):
            words = [json.loads(line) for line in ended.data.splitlines() if line.endswith(b"]")]
            found[ended.job] = [(str(word[0]), str(word[1])) for word in words]
            self.measured[ended.job] = [word[-1] for word in words]
        return found

    def _answer(self, version: int, write: int) -> None:
        """In a copy."""
        if not self._become(version):
            return
        bound_memory(self.options["memory"])
        order = self.inputs[::-1] if version == BACKWARDS else self.inputs
        self._bound()
        with os.fdopen(write, "wb", 0) as file:
            for made in order:
                kind, text, _, value, after = self._outcome(made)
                told = [kind, digest(text)]
                if version in (FIX, OLD):
                    told.append(self._measured(made, kind, value, after) if kind == "v" else text)
                file.write(json.dumps(told).encode() + b"\n")

    def _measured(self, made: Input, kind: str, value: Any, after: Any) -> List[Dict[str, float]]:
        """Of the answer, and of what was given."""
        answer = measures(value, "answer")
        given: Dict[str, Any] = {}
        for name, part in made.given.items():
            given.update(measures(part, name))
            answer.update(shared(value, part, name))
            answer.update(self._turned(made, name, value))
            if name == "self":
                answer.update(measures(after[name], "then " + name))
        return [{name: float(number) for name, number in some.items()} for some in (answer, given)]

    def _turned(self, made: Input, name: str, value: Any) -> Dict[str, int]:
        """Whether the answer given back once more, or a list given the other way round, is answered differently."""
        part, found = made.given[name], {}
        if type(part) is type(value) and isinstance(part, (str, list)) and value:
            found[f"again differs({name})"] = self._differs(made, {name: value}, value)
        if isinstance(part, list) and len(part) > 1:
            found[f"order matters({name})"] = self._differs(made, {name: part[::-1]}, value)
        return found

    def _differs(self, made: Input, other: Dict[str, Any], value: Any) -> int:
        kind, text = self._outcome(Input(made.target, {**made.given, **other}, place="f"))[:2]
        return int(kind != "v" or text.partition("|")[0] != canon(value).partition("|")[0])

    def _become(self, version: int) -> bool:
        if version == OLD:
            return bool(self.world.become(self.options["before"]))
        if version < 0:
            return True
        other = self.options["alternatives"][version]
        if other["files"]:
            return bool(self.world.become(other["files"]))
        return bool(self.world.put(other["target"], other["text"]))

    def _bound(self) -> None:
        def ring(*_: object) -> None:
            raise Late

        signal.signal(signal.SIGPROF, ring)
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + WORLD_SECONDS) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    def _outcome(self, made: Input) -> Tuple[str, str, str, Any, Any]:
        """What the live function answers and does to its arguments: kind, text, for people, value, arguments."""
        try:
            given = copy.deepcopy(made.given)
        except BaseException:
            return "x", "", "", None, None
        value = None
        signal.setitimer(signal.ITIMER_PROF, CALL_SECONDS)
        try:
            value = _settled(call(self.world.live[made.target][0], self.recorded[made.target], given))
            kind, text, told = "v", canon(value), shown(value)
        except Late:
            kind, text, told = "l", "", "no answer in time"
        except BaseException as error:
            kind, text = "r", type(error).__qualname__
            told = "raises " + text + (": " + str(error)[:100] if str(error) else "")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        try:
            return kind, text + "|" + canon(given, ordered=True), told, value, given
        except BaseException:
            return "x", "", "", None, None

    # --- what they say ---

    def _compare(self, kept: List[int], found: Dict[int, Outcomes], passing: List[int]) -> None:
        """One letter for each input: those with the same letter answer the same."""
        names: List[Dict[Tuple[str, str], str]] = [{} for _ in kept]
        for version in [FIX, OLD, *passing]:
            answers = found.get(version, [])
            if len(answers) != len(self.inputs):
                continue
            letters = "".join(_letter(names[place], answers[at]) for place, at in enumerate(kept))
            kinds = "".join(answers[at][0] for at in kept)
            other = self.options["alternatives"][version] if version >= 0 else {}
            self.say("world", version=version, letters=letters, kinds=kinds, base=other.get("base", ""),
                     change=other.get("kind", ""), size=other.get("size", 0))
        self._symptoms(kept, found)
        self._witness(kept, found, passing)

    def _symptoms(self, kept: List[int], found: Dict[int, Outcomes]) -> None:
        """What held for no other reason than the change, and does not hold everywhere."""
        if len(found.get(OLD, [])) != len(self.inputs):
            return
        for target in sorted({self.inputs[at].target for at in kept}):
            own = [at for at in kept if self.inputs[at].target == target]
            places = "".join(self.inputs[at].place for at in own)
            raised = sorted({self._raised(version, at) for at in own for version in (FIX, OLD)} - {""})
            held = {version: [self._related(version, at, raised) for at in own] for version in (FIX, OLD)}
            traits = Traits()
            for place, one in zip(places, held[FIX]):
                if place == "o":
                    traits.learn(one)
            mended, regressed = symptoms(traits.common, places, held[FIX], held[OLD])
            for kind, some in (("symptom", mended), ("regress", regressed)):
                for one in some:
                    self.say(kind, what=one[0], counts=list(one[1:]))

    def _raised(self, version: int, at: int) -> str:
        """The name of what it raised, if it did."""
        one = self.measured[version][at]
        return one.partition("|")[0] if isinstance(one, str) else ""

    def _related(self, version: int, at: int, raised: List[str]) -> Dict[str, bool]:
        """What holds of one answer; of one that is none, what it did not raise."""
        one, own = self.measured[version][at], self._raised(version, at)
        told = {"no " + name: name != own for name in raised}
        return {**told, **relations(*one)} if isinstance(one, list) else told

    def _witness(self, kept: List[int], found: Dict[int, Outcomes], passing: List[int]) -> None:
        """The input on which most of the others disagree with the change, the shortest of those."""
        whole = [version for version in [OLD, *passing] if len(found.get(version, [])) == len(self.inputs)]
        fix = found[FIX]
        ranked = []
        for at in kept:
            against = [version for version in whole if version != OLD and found[version][at] != fix[at]]
            near = self.inputs[at].place == "n"
            if self.inputs[at].place != "o" and (against or near):
                ranked.append((-len(against), not near, len(shown(self.inputs[at].given)), at, against))
        if not ranked:
            return
        at, against = min(ranked)[3:]
        rival = _commonest(against, found, at)
        made = self.inputs[at]
        told = {"given": _arguments(made.given), "function": self.options["targets"][made.target]["shown"],
                "text": self.options["alternatives"][rival]["text"][:1500] if rival >= 0 else ""}
        for name, version in (("fix", FIX), ("old", OLD), ("other", rival)):
            told[name] = self._shown(made, version) if version != OLD or OLD in whole else ""
        self.say("witness", **told)

    def _shown(self, made: Input, version: int) -> str:
        def act(number: int, write: int) -> None:
            if self._become(number):
                self._bound()
                os.write(write, str(self._outcome(made)[2]).encode("utf-8", "backslashreplace")[:2000])

        ended = next(iter(forked([version], act, workers=1, wall=WALL_SECONDS, until=self.until)), None)
        return ended.data.decode("utf-8", "replace") if ended is not None else ""


def _settled(value: Any) -> Any:
    """What an iterator gives, what a coroutine comes to without waiting."""
    if hasattr(value, "send") and hasattr(value, "cr_frame"):
        try:
            value.send(None)
        except StopIteration as end:
            return end.value
        raise NotImplementedError
    return drawn(value)


def _letter(names: Dict[Tuple[str, str], str], answer: Tuple[str, str]) -> str:
    return names.setdefault(answer, LETTERS[min(len(names), len(LETTERS) - 1)])


def _commonest(versions: List[int], found: Dict[int, Outcomes], at: int) -> int:
    """One of those that give the answer which most of them give; below zero where there are none."""
    answers: Dict[Tuple[str, str], List[int]] = {}
    for version in versions:
        answers.setdefault(found[version][at], []).append(version)
    return max(answers.values(), key=len)[0] if answers else FIX


def _arguments(given: Dict[str, Any]) -> str:
    return ", ".join(f"{name}={shown(value)}" for name, value in given.items())[:600]
