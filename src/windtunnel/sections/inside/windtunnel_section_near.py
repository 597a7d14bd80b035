"""Neighbours of inputs that were worth keeping, and inputs made to hurt in the place of one of theirs."""

from __future__ import annotations

import random
from typing import Any, Dict, Iterator, List, Set, Tuple

from windtunnel_section_call import RETURNED  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_guess import Guesses, literal  # type: ignore[import-not-found]  # the same
from windtunnel_section_nasty import nasty  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Inputs, Target  # type: ignore[import-not-found]  # the same
from windtunnel_suggest_vary import constants_of, variants  # type: ignore[import-not-found]  # the same

CHUNK, MOST_CONSTANTS = 40, 40


class Kept:
    """Inputs worth keeping."""

    def __init__(self, inputs: Inputs, how: str, news: int) -> None:
        self.inputs, self.how, self.news = inputs, how, news


class Near:
    """Of one section."""

    def __init__(self, target: Target, guesses: Guesses, chance: random.Random) -> None:
        """``guesses`` has what each parameter may be."""
        self.target, self.guesses, self.chance = target, guesses, chance
        self.constants = self._constants()
        self.near: Dict[Tuple[str, int], List[str]] = {}

    def _constants(self) -> List[Any]:
        node = self.target.node
        found = constants_of(node) if node is not None else []
        return [one for one in found if not (isinstance(one, str) and len(one) > 30)][:MOST_CONSTANTS]

    def of(self, kept: List[Kept], seen: Set[Inputs]) -> Iterator[Inputs]:
        """Neighbours that are not ``seen``, and are then: one slot changed, left out or added, or two."""
        for _ in range(CHUNK * 20):
            weights = [(3 if one.how == RETURNED else 1) * (1 + min(one.news, 10)) for one in kept]
            base = self.chance.choices(kept, weights)[0].inputs
            made = self._changed(base)
            if self.chance.random() < 0.35:
                made = self._changed(made)
            if made not in seen:
                seen.add(made)
                yield made

    def _changed(self, base: Inputs) -> Inputs:
        given = dict(base)
        optional = [one for one in self.target.parameters if one.name not in given
                    and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        if optional and (not base or self.chance.random() < 0.35):
            one = self.chance.choice(optional)
            return (*base, (one.name, self._picked(self.guesses.of(one))))
        if not base:
            return base
        at = self.chance.randrange(len(base))
        slot, text = base[at]
        if slot.startswith("*") and self.chance.random() < 0.3:
            return self._longer(base, slot)
        return (*base[:at], (slot, self._other(slot, text)), *base[at + 1 :])

    def _longer(self, base: Inputs, slot: str) -> Inputs:
        if slot.startswith("**"):
            return tuple(one for one in base if one[0] != slot)
        stars = [one for one in base if one[0].startswith("*") and not one[0].startswith("**")]
        if self.chance.random() < 0.4:
            return tuple(one for one in base if one != stars[-1])
        return (*base, ("*" + str(len(stars)), stars[-1][1]))

    def _other(self, slot: str, text: str) -> str:
        parameter = next((one for one in self.target.parameters if one.name == slot), None)
        pool = list(self.guesses.pool.get("*" if slot.startswith("*") else slot, ()))
        if slot == ".":
            return self._picked(self.guesses.receivers())
        dice = self.chance.random()
        if parameter is not None and (dice < 0.3 or len(text) > 120):
            return self._picked(self.guesses.of(parameter))
        if pool and dice < 0.4:
            return str(self.chance.choice(pool))
        near = self._variants(text)
        if dice > 0.93 and self.constants:
            return literal(self.chance.choice(self.constants)) or text
        return str(self.chance.choice(near)) if near else text

    def _variants(self, text: str) -> List[str]:
        """By some of the code's constants; made a few times for each text, since that takes longer than a call."""
        key = (text, self.chance.randrange(3))
        if key not in self.near:
            self.near[key] = variants(text, self.chance.sample(self.constants, min(6, len(self.constants))))
        return self.near[key]

    def _picked(self, texts: List[str]) -> str:
        """The first ones oftener."""
        if not texts:
            return "None"
        if self.chance.random() < 0.3:
            return self.chance.choice(texts)
        return texts[min(len(texts) - 1, int(self.chance.expovariate(1 / 6)))]

    def hostile(self, kept: List[Kept], count: int) -> List[Inputs]:
        """Of inputs that returned, with one that was made to hurt in the place of another."""
        bases = [one.inputs for one in kept if one.how == RETURNED and any(slot != "." for slot, _ in one.inputs)]
        found: Dict[Inputs, None] = {}
        for _ in range(20 * count if bases else 0):
            base = self.chance.choice(bases)
            at = self.chance.choice([at for at, (slot, _) in enumerate(base) if slot != "."])
            text = self._picked(nasty(base[at][1]))
            found[(*base[:at], (base[at][0], text), *base[at + 1 :])] = None
            if len(found) >= count:
                break
        return list(found)
