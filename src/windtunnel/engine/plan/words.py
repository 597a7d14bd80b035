"""A request in plain words, taken apart: what for, for which parts, which scripts and which commands as they stand.

A small grammar, the same answer every time: a request is read clause by clause; words that say nothing are passed over,
words that are not known are told. What does not hold: it understands no sentence, only its words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.core.analysis import Part, Purpose
from windtunnel.core.errors import UsageError
from windtunnel.engine.plan import lexicon

MOST_REQUEST = 4000
_QUOTED = re.compile(r"`([^`\n]{1,2000})`|\"([^\"\n]{1,2000})\"|(?<!\w)'([^'\n]{1,2000})'(?!\w)")
_MARK = "\ue000"
_CLAUSES = re.compile(r"[,;!?\n]|\.(?:\s|$)|\b(?:and|then|plus|also|afterwards|after that)\b|&")
_WORD = re.compile(rf"{_MARK}\d+|[\w+#][\w+#./:-]*")
_WANTED = ("try: install, build and run all tests; lint only the frontend; run the python tests without installing; "
           "start the server; run `make docs`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one clause asks for."""

    purposes: tuple[Purpose, ...] = ()
    parts: frozenset[int] | None = None
    """Places in the list of parts; none means all of them."""
    scripts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """As they were given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """All of a request."""

    wishes: tuple[Wish, ...]
    without: frozenset[Purpose] = frozenset()
    """What must not be done, asked for or implied."""
    alone: bool = False
    """Whether nothing may be added to what was asked for."""
    unknown: tuple[str, ...] = ()
    """Words that nothing was made of."""
    impossible: tuple[str, ...] = ()
    """Deeds that are not planned here, such as ``deploy``."""


@dataclass(slots=True, kw_only=True)
class _Clause:
    purposes: list[Purpose] = field(default_factory=list)
    parts: set[int] = field(default_factory=set)
    not_parts: set[int] = field(default_factory=set)
    scripts: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    only: bool = False
    bare: bool = False
    """A verb and nothing else, which waits for the object of the next clause."""

    @property
    def acts(self) -> bool:
        return bool(self.purposes or self.scripts or self.commands)


def read(request: str, parts: Sequence[Part]) -> Wishes:
    """What is asked; a ``UsageError`` that says what can be, where nothing is understood."""
    if not isinstance(request, str) or not request.strip():
        raise UsageError(f"request: nothing is asked ({_WANTED})", field="request")
    if len(request) > MOST_REQUEST:
        raise UsageError(f"request: longer than {MOST_REQUEST} letters", field="request")
    reader = _Reader(parts)
    clauses = reader.clauses(request)
    if not any(clause.acts for clause in clauses):
        deeds = f"; {', '.join(dict.fromkeys(reader.impossible))} cannot be planned" if reader.impossible else ""
        raise UsageError(f"request: nothing of it was understood{deeds} ({_WANTED})", field="request")
    return reader.wishes(clauses)


class _Reader:
    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._scripts = {name.lower(): name for part in parts for name in part.scripts}
        self._names = _names_of(parts)
        self._quoted: list[str] = []
        self.unknown: list[str] = []
        self.impossible: list[str] = []
        self.without: set[Purpose] = set()
        self.alone = False

    def clauses(self, request: str) -> list[_Clause]:
        text = _QUOTED.sub(self._keep, request.replace(_MARK, " ").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
        text = text.lower()
        for phrase, word in lexicon.PHRASES:
            text = phrase.sub(word, text)
        found = [self._clause(_WORD.findall(piece)) for piece in _CLAUSES.split(text)]
        return _joined([clause for clause in found if clause.acts or clause.parts or clause.not_parts or clause.only])

    def _keep(self, found: re.Match[str]) -> str:
        self._quoted.append(next(filter(None, found.groups())).strip())
        return f" {_MARK}{len(self._quoted) - 1} "

    def _clause(self, words: list[str]) -> _Clause:
        made, negated = _Clause(), False
        meaning = [word for word in words if word not in lexicon.EMPTY]
        made.bare = len(meaning) == 1 and meaning[0] in lexicon.VERBS
        for at, word in enumerate(words):
            negated = negated or word in lexicon.NOT
            self._take(made, words, at, negated=negated)
        if not made.acts and not self._is_held_back(words):
            made.purposes += _implied(words)
        if made.only and made.acts and not made.parts:
            self.alone = True
        return made

    @staticmethod
    def _is_held_back(words: Collection[str]) -> bool:
        return not lexicon.NOT.isdisjoint(words)

    def _take(self, made: _Clause, words: list[str], at: int, *, negated: bool) -> None:
        word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        if word.startswith(_MARK):
            self._take_quoted(made, self._quoted[int(word[1:])], negated=negated)
        elif word in lexicon.ONLY:
            made.only = True
        elif word in self._scripts and (before in lexicon.RUNNERS or following in ("script", "target")) and (
                word not in lexicon.PURPOSES):
            made.scripts.append(self._scripts[word])
        elif purpose := _purpose(word, following):
            (self.without.add if negated else made.purposes.append)(purpose)
        elif chosen := self._chosen(word, before, following):
            (made.not_parts if negated else made.parts).update(chosen)
        elif word in lexicon.IMPOSSIBLE:
            self.impossible.append(word)
        elif word not in lexicon.KNOWN and not word.isdecimal():
            self.unknown.append(word)

    def _take_quoted(self, made: _Clause, text: str, *, negated: bool) -> None:
        chosen = self._names.get(text.lower(), frozenset())
        if text in self._scripts.values():
            made.scripts.append(text)
        elif chosen:
            (made.not_parts if negated else made.parts).update(chosen)
        elif not negated:
            made.commands.append(text)

    def _chosen(self, word: str, before: str, following: str) -> frozenset[int]:
        """Parts that a word means: by their names, their language, or the side that they are of."""
        if word in self._names and word not in lexicon.EMPTY:
            return self._names[word]
        ecosystem = lexicon.LANGUAGES.get(word)
        if word in lexicon.ALSO_ENGLISH and not (before in lexicon.BEFORE_NAMES or following in lexicon.AFTER_NAMES):
            ecosystem = None
        by_language = frozenset(at for at, part in enumerate(self._parts) if part.ecosystem == ecosystem)
        return by_language if ecosystem else self._side(word)

    def _side(self, word: str) -> frozenset[int]:
        names = lexicon.SIDES.get(word, ())
        for name in names:
            if name in self._names:
                return self._names[name]
        if not names:
            return frozenset()
        front = frozenset(at for at, part in enumerate(self._parts) if part.ecosystem == "node")
        return front if word in lexicon.FRONT else frozenset(range(len(self._parts))) - front

    def wishes(self, clauses: list[_Clause]) -> Wishes:
        everywhere = [clause for clause in clauses if not clause.acts]
        chosen = set().union(*(clause.parts for clause in everywhere))
        barred = set().union(*(clause.not_parts for clause in clauses))
        made = [Wish(purposes=tuple(dict.fromkeys(one for one in clause.purposes if one not in self.without)),
                     parts=self._reach(clause.parts or chosen, barred), scripts=tuple(dict.fromkeys(clause.scripts)),
                     commands=tuple(clause.commands)) for clause in clauses if clause.acts]
        return Wishes(wishes=tuple(made), without=frozenset(self.without), alone=self.alone,
                      unknown=tuple(dict.fromkeys(self.unknown)), impossible=tuple(dict.fromkeys(self.impossible)))

    def _reach(self, parts: set[int], barred: set[int]) -> frozenset[int] | None:
        if not parts and not barred:
            return None
        return frozenset(parts or range(len(self._parts))) - barred


def _joined(clauses: list[_Clause]) -> list[_Clause]:
    """Names of parts without a verb belong to the verb beside them; a bare verb shares the next one's object."""
    made: list[_Clause] = []
    waiting: set[int] = set()
    for clause in clauses:
        if clause.acts:
            clause.parts |= waiting
            waiting = set()
            made.append(clause)
        elif clause.only or clause.not_parts:
            made.append(clause)
        elif made and made[-1].acts and made[-1].parts:
            made[-1].parts |= clause.parts
        else:
            waiting |= clause.parts
    if waiting:
        made.append(_Clause(parts=waiting))
    for clause, following in reversed(list(itertools.pairwise(made))):
        if clause.bare and not clause.parts and following.acts:
            clause.parts |= following.parts
    return made


def _purpose(word: str, following: str) -> Purpose | None:
    """``test dependencies`` are no tests, and ``start by`` starts nothing."""
    purpose = lexicon.PURPOSES.get(word)
    if purpose in (Purpose.TEST, Purpose.BUILD) and following in lexicon.NEEDED:
        return None
    return None if purpose is Purpose.START and following in ("by", "with", "from") else purpose


def _implied(words: Collection[str]) -> Iterator[Purpose]:
    """What is meant where no purpose is named: ``run it`` starts it, ``check everything`` checks it."""
    if not lexicon.CHECKS.isdisjoint(words):
        yield from (Purpose.BUILD, Purpose.LINT, Purpose.TEST)
    elif not lexicon.EVERYTHING.isdisjoint(words) and not lexicon.DOERS.isdisjoint(words):
        yield from (Purpose.INSTALL, Purpose.BUILD, Purpose.LINT, Purpose.TEST)
    elif not lexicon.RUNNERS.isdisjoint(words) and not lexicon.PROGRAMS.isdisjoint(words):
        yield Purpose.START


def _names_of(parts: Sequence[Part]) -> dict[str, frozenset[int]]:
    """Every word that names some of the parts: their names, folders and the last steps of these."""
    found: dict[str, set[int]] = {}
    for at, part in enumerate(parts):
        names = {part.name.lower(), part.folder.lower(), part.folder.lower().rpartition("/")[2]}
        for name in names - {""} - lexicon.PURPOSES.keys():
            found.setdefault(name, set()).add(at)
        if not part.folder and len(parts) > 1:
            found.setdefault("root", set()).add(at)
    return {name: frozenset(places) for name, places in found.items()}
