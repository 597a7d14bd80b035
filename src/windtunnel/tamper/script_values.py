"""What an expression of a test says, whatever names its values go through on the way.

Words are tokens in canonical form: quotes, hanging commas, types, ``function`` against arrows and ``String(x)`` against
``x.toString()`` make no difference, and a name that stands for a value is replaced by it. Bounded: what is too long or
too deep stays as it is written.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from windtunnel.tamper.literals import number
from windtunnel.tamper.paths import is_test
from windtunnel.tamper.script import Script

Words = tuple[str, ...]

MOST_WORDS = 600
"""Words of one expression that are kept."""
MOST_READ = 150_000
"""Words of one file that are read, again for each row and each call."""
MOST_DEPTH = 5
"""Functions of the tests' own that call each other are followed so deep."""
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_NAME = re.compile(r"^[A-Za-z_$][\w$]*$")
_INNER = re.compile(r"\$\{.*?\}", re.DOTALL)
_OPERATORS = frozenset(
    ("+", "-", "*", "/", "%", "?", "&&", "||", "??", "=>", "===", "!==", "==", "!=", "<", ">", "<=", ">=", "await")
)
_STATEMENTS = frozenset(("const", "let", "var", "if", "for", "while", "try", "throw", "switch", "return"))
_CONTINUING = frozenset((".", "+", "?", ":", "=>", "&&", "||", "??"))
_MOVING = frozenset(("+=", "-=", "*=", "++", "--"))


@dataclass(frozen=True, slots=True)
class Callable:
    """A function in the text: where its parameters and its body stand."""

    parameters: tuple[int, int]
    """Between the brackets; of an arrow without brackets, its one name."""
    body: tuple[int, int]
    """Between the braces, or the expression."""
    block: bool
    """Whether the body has braces."""


@dataclass(slots=True)
class Scope:
    """What names stand for at a place."""

    values: dict[str, Words] = field(default_factory=dict)
    functions: dict[str, Callable] = field(default_factory=dict)

    def child(self) -> Scope:
        """A scope of its own that starts with what is known here."""
        return Scope(dict(self.values), dict(self.functions))


def parts(words: Words) -> list[Words]:
    """The entries of a literal in brackets."""
    found, depth, start = list[Words](), 0, 1
    for index, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if (word == "," and depth == 1) or (not depth and index == len(words) - 1):
            found.append(words[start:index])
            start = index + 1
    return [each for each in found if each]


def is_literal(words: Words, bracket: str) -> bool:
    """Whether it is one array or object, and nothing follows."""
    if words[:1] != (bracket,):
        return False
    depth = 0
    for index, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if not depth:
            return index == len(words) - 1
    return False


def property_of(words: Words, name: str) -> Words | None:
    """The value of a property of an object literal."""
    return next((each[2:] for each in parts(words) if each[0] == name and each[1:2] == (":",)), None)


def rows(words: Words) -> list[Words] | None:
    """What a loop over this goes through; None where the text does not say."""
    if is_literal(words, "["):
        found = list[Words]()
        for each in parts(words):
            spread = rows(each[1:]) if each[0] == "..." else [each]
            if spread is None:
                return None
            found += spread
        return found
    if words[:3] == ("Object", ".", "entries") and is_literal(words[4:-1], "{"):
        pairs = [(each[0], each[2:]) for each in parts(words[4:-1]) if each[1:2] == (":",)]
        return [
            ("[", repr(key) if _NAME.match(key) or key.isdecimal() else key, ",", *value, "]") for key, value in pairs
        ]
    if words[:1] == ("new",) and words[1:3] in (("Map", "("), ("Set", "(")):
        return rows(words[3:-1])
    return None


def joined(words: Words) -> Words:
    """As the start of a longer expression: in brackets where an operator would take it apart."""
    depth = 0
    for word in words:
        depth += (word in _OPEN) - (word in _CLOSE)
        if not depth and word in _OPERATORS:
            return ("(", *words, ")")
    return words


class Reader:
    """The expressions of one file."""

    def __init__(self, script: Script, *, path: str = "") -> None:
        """Look once at what the file imports and what changes while it runs."""
        self.script = script
        self.left = MOST_READ
        self.moving = self._moving()
        self.modules: set[str] = set()
        self.imported: dict[str, str] = {}
        self.made = self._made()
        self._origins(path)

    def _moving(self) -> set[str]:
        """Names that count or collect, so that no one value stands for them."""
        script = self.script
        return {
            script.text(place)
            for index in range(len(script.words))
            if script.text(index) in _MOVING
            for place in (index - 1, index + 1)
            if _NAME.match(script.text(place))
        }

    def _made(self) -> set[str]:
        """Functions and classes that the file makes itself."""
        script = self.script
        return {
            script.text(index + 1)
            for index in range(len(script.words))
            if script.text(index) in ("function", "class") and _NAME.match(script.text(index + 1))
        }

    def _origins(self, path: str) -> None:
        """Names under which the product is imported, and those that come from other files of the tests."""
        for name, origin in self.script.aliases.items():
            if not origin.startswith("."):
                continue
            place, member = split_origin(origin)
            if is_test(posixpath.normpath(posixpath.join(posixpath.dirname(path), place))):
                self.made.add(name)
            elif member:
                self.imported[name] = member
            else:
                self.modules.add(name)

    def text(self, start: int, end: int, scope: Scope, *, depth: int = 0) -> Words:
        """The canonical words of a span."""
        script, found, index, open_ = self.script, list[str](), start, list[str]()
        while index < min(end, len(script.words)) and len(found) < MOST_WORDS and self.left > 0:
            self.left -= 1
            mark = script.text(index)
            if mark in _OPEN:
                open_.append(mark)
            elif mark in _CLOSE and open_:
                open_.pop()
            key = open_[-1:] == ["{"] and script.text(index - 1) in ("{", ",")
            words, index = self._word(index, scope, key=key, depth=depth, before=found[-1] if found else "")
            found += words
        return tuple(found)

    def _literal(self, index: int, *, key: bool) -> Words:
        """A string, number, template or pattern; nothing for names and marks."""
        word = self.script.words[index]
        if word.kind == "string":
            plain = key and self.script.text(index + 1) == ":" and _NAME.match(word.text)
            return (word.text if plain else repr(word.text),)
        if word.kind == "number":
            return (number(word.text),)
        if word.kind == "template":
            return (_INNER.sub("${}", word.text),)
        return (word.text,) if word.kind == "pattern" else ()

    def _word(self, index: int, scope: Scope, *, key: bool, depth: int, before: str) -> tuple[Words, int]:
        script = self.script
        word, after = script.words[index], script.text(index + 1)
        if literal := self._literal(index, key=key):
            return literal, index + 1
        if word.kind == "mark":
            return self._mark(index, scope, depth=depth, before=before)
        if word.text == "as" and before not in ("", ",", "{") and _NAME.match(after):
            return (), self._after_type(index + 1)
        if word.text == "function" and depth < MOST_DEPTH:
            return self._function(index, scope, depth=depth + 1)
        if script.text(index - 1) == "." or (key and after == ":"):
            return (word.text,), index + 1
        words, place = self._name(index, scope, depth=depth)
        return ((word.text, ":", *words) if key and after in (",", "}") else words), place

    def _mark(self, index: int, scope: Scope, *, depth: int, before: str) -> tuple[Words, int]:
        script, mark, after = self.script, self.script.text(index), self.script.text(index + 1)
        if mark == "," and after in _CLOSE:
            return (), index + 1
        if mark == "!" and after in (".", ")", ",", ";", "]") and (_NAME.match(before) or before in (")", "]")):
            return (), index + 1
        if mark == "=>" and after == "{" and depth < MOST_DEPTH:
            words, place = self._body(index + 1, scope, depth=depth + 1)
            return ("=>", *words), place
        return ((mark,) if script.words[index].text != ";" else ()), index + 1

    def _body(self, index: int, scope: Scope, *, depth: int) -> tuple[Words, int]:
        """The body of a function, as the expression that it is where it is only one."""
        end = self.script.closing(index)
        start, stop = self.statement(index + 1, end)
        words = self.text(start, stop, scope, depth=depth) if stop > start else ()
        return (words or ("{", *self.text(index + 1, end, scope, depth=depth), "}")), end + 1

    def statement(self, start: int, end: int) -> tuple[int, int]:
        """The expression of a body that is nothing else; an empty span where it is more."""
        script = self.script
        start += script.text(start) == "return"
        stop = end - (script.text(end - 1) == ";")
        index = start
        while index < stop:
            if script.text(index) in (";", "}") or (index == start and script.text(index) in _STATEMENTS):
                return end, end
            index = script.closing(index) + 1 if script.text(index) in _OPEN else index + 1
        return start, stop

    def _function(self, index: int, scope: Scope, *, depth: int) -> tuple[Words, int]:
        found = self.callable(index)
        if found is None:
            return ("function",), index + 1
        given = self.text(*found.parameters, scope, depth=depth)
        words, place = self._body(found.body[0] - 1, scope, depth=depth)
        return ("(", *given, ")", "=>", *words), place

    def _name(self, index: int, scope: Scope, *, depth: int) -> tuple[Words, int]:
        script, name = self.script, self.script.text(index)
        called = script.text(index + 1) == "("
        if name == "String" and called and depth < MOST_DEPTH:
            end = script.closing(index + 1)
            return (*joined(self.text(index + 2, end, scope, depth=depth + 1)), ".", "toString", "(", ")"), end + 1
        if name == "Number" and called and depth < MOST_DEPTH:
            given = self.text(index + 2, script.closing(index + 1), scope, depth=depth + 1)
            if len(given) == 1 and re.fullmatch(r"'\d+(\.\d+)?'", given[0]):
                return (number(given[0][1:-1]),), script.closing(index + 1) + 1
        if name in scope.values and name not in self.moving:
            return self._member(scope.values[name], index + 1)
        if called and depth < MOST_DEPTH and (known := scope.functions.get(name)) is not None:
            span = self.statement(*known.body) if known.block else known.body
            if span[1] > span[0]:
                bound = self.bound(known, self.arguments(index + 1, scope, depth=depth + 1), scope)
                return joined(self.text(*span, bound, depth=depth + 1)), script.closing(index + 1) + 1
        if name in self.modules and script.text(index + 1) == ".":
            return (), index + 2
        own = name in scope.functions or name in self.made
        return (f"{name}@test" if own else self.imported.get(name, name),), index + 1

    def _member(self, words: Words, index: int) -> tuple[Words, int]:
        """A value, and what is taken out of it where the text says what that is."""
        script = self.script
        while True:
            inner = None
            if script.text(index) == "." and is_literal(words, "{"):
                inner = property_of(words, script.text(index + 1))
                place = index + 2
            elif script.text(index) == "[" and is_literal(words, "[") and script.text(index + 2) == "]":
                entries, at = parts(words), script.words[index + 1].text
                inner = entries[int(at)] if at.isdecimal() and int(at) < len(entries) else None
                place = index + 3
            if inner is None:
                return (joined(words) if script.text(index) in (".", "[", "(") else words), index
            words, index = inner, place

    def arguments(self, index: int, scope: Scope, *, depth: int = 0) -> list[Words]:
        """What a call is given, from its opening bracket."""
        return [self.text(start, end, scope, depth=depth) for start, end in self.spans(index)]

    def spans(self, index: int) -> Iterator[tuple[int, int]]:
        """Where the entries between brackets start and end."""
        script, end = self.script, self.script.closing(index)
        start = place = index + 1
        while place <= end:
            if place == end or script.text(place) == ",":
                if place > start:
                    yield start, place
                start = place + 1
            place = script.closing(place) + 1 if script.text(place) in _OPEN else place + 1

    def bound(self, function: Callable, given: list[Words], scope: Scope) -> Scope:
        """The scope inside a function that is called with these."""
        inner = scope.child()
        start, end = function.parameters
        if end - start == 1:
            spans = [(start, end)]
        else:
            spans = list(self.spans(start - 1)) if self.script.text(start - 1) == "(" else []
        for place, (first, _) in enumerate(spans):
            self.bind(first, given[place] if place < len(given) else None, inner)
        return inner

    def bind(self, index: int, words: Words | None, scope: Scope, *, depth: int = 0) -> None:
        """Let the names of a pattern stand for a value; None is a value that the text does not say."""
        script, name = self.script, self.script.text(index)
        if name in ("[", "{"):
            for place, (start, end) in enumerate(self.spans(index) if depth < MOST_DEPTH else ()):
                self._bind_part(start, end, (words, place), scope, listed=name == "[", depth=depth + 1)
            return
        scope.functions.pop(name, None)
        if words is None or len(words) >= MOST_WORDS or name in self.moving:
            scope.values.pop(name, None)
        elif words != (name,) and words[:1] != ("undefined",):
            scope.values[name] = words
        elif script.text(index + 1) == "=":
            scope.values[name] = self.text(index + 2, index + 3, scope)

    def _bind_part(
        self, start: int, end: int, entry: tuple[Words | None, int], scope: Scope, *, listed: bool, depth: int
    ) -> None:
        script, (words, place), name = self.script, entry, self.script.text(start)
        if listed:
            known = parts(words) if words and is_literal(words, "[") else None
            taken = (*joined(words), "[", str(place), "]") if words else None
            self.bind(start, known[place] if known and place < len(known) else taken, scope, depth=depth)
            return
        target = start + 2 if script.text(start + 1) == ":" else start
        value = None
        if words and is_literal(words, "{"):
            value = property_of(words, name)
            default = next((at for at in range(target, end) if script.text(at) == "="), 0)
            if value is None and default:
                value = self.text(default + 1, end, scope)
        elif words:
            value = (*joined(words), ".", name)
        self.bind(target, value, scope, depth=depth)

    def callable(self, index: int) -> Callable | None:
        """The function that starts at an index."""
        script = self.script
        index += script.text(index) == "async"
        if script.text(index) == "function":
            index += 1 + (script.text(index + 1) == "*")
            index += script.text(index) not in ("(", "")
            end = script.closing(index)
            brace = self._typed(end + 1, "{")
            found = script.text(index) == "(" and script.text(brace) == "{"
            return Callable((index + 1, end), (brace + 1, script.closing(brace)), block=True) if found else None
        end = script.closing(index) if script.text(index) == "(" else index
        arrow = self._typed(end + 1, "=>") if end > index else end + 1
        if script.text(arrow) != "=>":
            return None
        given = (index + 1, end) if end > index else (index, index + 1)
        if script.text(arrow + 1) == "{":
            return Callable(given, (arrow + 2, script.closing(arrow + 1)), block=True)
        return Callable(given, (arrow + 1, self.expression_end(arrow + 1)), block=False)

    def _typed(self, index: int, wanted: str) -> int:
        """After a type that may stand here."""
        if self.script.text(index) != ":":
            return index
        return next((at for at in range(index, index + 12) if self.script.text(at) == wanted), index)

    def _after_type(self, index: int) -> int:
        script = self.script
        place = script.path(index)[1]
        if script.text(place) == "<":
            place = next((at + 1 for at in range(place, place + 20) if script.text(at) == ">"), place)
        while script.text(place) == "[" and script.text(place + 1) == "]":
            place += 2
        return place

    def expression_end(self, start: int) -> int:
        """Where the expression that starts here ends, at the latest with its statement."""
        script, index = self.script, start
        for _ in range(MOST_WORDS):
            mark = script.text(index)
            if index >= len(script.words) or mark in (",", ";", "const", "let", "var", *_CLOSE):
                return index
            ended = index > start and script.words[index].fresh and mark not in _CONTINUING
            if ended and script.text(index - 1) not in (*_OPERATORS, "=", ":"):
                return index
            index = script.closing(index) + 1 if mark in _OPEN else index + 1
        return index


def split_origin(origin: str) -> tuple[str, str]:
    """A module's path, and the member that an alias takes out of it."""
    match = re.match(r"^(.*?\.[cm]?[jt]sx?|.*/[^./]+|[./]+)(?:\.([\w$]+))?$", origin)
    return (match[1], match[2] or "") if match else (origin, "")
