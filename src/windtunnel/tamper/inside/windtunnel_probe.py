"""Inside the sandbox: what the functions of a changed file answer to the calls of a test, and to calls near them.

Carried out at the top of a file of tests, on both sides; ``FILES`` are the changed files. A copy of a test that asks
for it runs in a child of its own, where the functions of these files are replaced by ones that listen: each call from
outside of its file is done as always, and then again with copies of its arguments, one of them changed. What came of
all this ends as the message of the copy. In the process of the tests itself no function is replaced.

What does not hold: functions that are kept in tables of other files, calls whose arguments cannot be copied, generators
and coroutines are not asked again; what such a call does to files stays done, on both sides alike.
"""

from __future__ import annotations

import base64
import copy
import functools
import hashlib
import inspect
import json
import os
import re
import resource
import select
import signal
import sys
import time
import warnings
import zlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

FILES: List[str] = []
"""The changed files, relative to the project; what carries this out names them."""
MOST_SECONDS = 4.0
"""Of the processor, for all tests of a file together."""
MOST_SECONDS_EACH = 1.0
MOST_WAITED = 10.0
"""Seconds of the clock for one test: one that waits uses no processor."""
MOST_BYTES = 200_000
MOST_CALLS = 8
"""Calls of one test that are asked again."""
MOST_SPOTS = 6
MOST_OTHERS = 12
MOST_WORDS = 4
MOST_STEPS = 20_000
"""Lines that one call with other arguments may run; another argument can make a program run for ever."""
MOST_TEXT = 4_000
MOST_INPUT = 400
MOST_DEPTH = 5
MOST_PIECE = 30
LEAST_PIECE = 2
LONG_PIECE = 4
MOST_NAME = 80
LARGE = 50
PART = 1_300
"""Characters of one message; runners cut longer ones."""
DIGEST = 2
FAILED, ECHOES = 1, 2
Path = Tuple[Any, ...]


class _TooLong(BaseException):
    """More lines than a call may run."""


class Listener:
    """In the child: stands before the functions of the changed files, and hands on each call that it hears."""

    def __init__(self, tell: Callable[[List[Any]], None]) -> None:
        """``tell`` is handed what was heard of each call."""
        self.tell, self.busy = tell, False
        self.known: Set[Tuple[str, str]] = set()

    def watch(self, files: List[str]) -> None:
        """Replace the functions of these files, wherever a module holds them."""
        modules = [each for each in list(sys.modules.values()) if isinstance(getattr(each, "__dict__", None), dict)]
        made: Dict[int, Tuple[Any, Any]] = {}
        for module in modules:
            if of_files(getattr(module, "__file__", None), files):
                for key, value in list(vars(module).items()):
                    if getattr(value, "__module__", None) != module.__name__:
                        continue
                    if inspect.isfunction(value):
                        made[id(value)] = value, self.wrapped(key, value)
                    elif inspect.isclass(value):
                        self.watch_class(value)
        for module in modules:
            for key, value in list(vars(module).items()):
                if id(value) in made:
                    vars(module)[key] = made[id(value)][1]

    def watch_class(self, kind: type) -> None:
        """Methods by their plain names; what makes and compares objects is left alone."""
        for key, value in list(vars(kind).items()):
            if key.startswith("__") and key != "__call__":
                continue
            made: Any = None
            if inspect.isfunction(value):
                made = self.wrapped("%s.%s" % (kind.__name__, key), value)
            elif isinstance(value, property) and value.fget is not None:
                made = property(self.wrapped("%s.%s" % (kind.__name__, key), value.fget), value.fset, value.fdel)
            elif isinstance(value, staticmethod):
                made = staticmethod(self.wrapped("%s.%s" % (kind.__name__, key), value.__func__))
            if made is not None:
                setattr(kind, key, made)

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, heard from outside of its file."""
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            return function

        @functools.wraps(function)
        def watched(*args: Any, **named: Any) -> Any:
            if self.busy or len(self.known) >= MOST_CALLS:
                return function(*args, **named)
            return self.heard(name, function, (args, named))

        return watched

    def heard(self, name: str, function: Callable[..., Any], given: Tuple[Any, Any]) -> Any:
        """The answer of a call; the same call with other arguments is asked after it."""
        self.busy = True
        try:
            kept = copied(given)
            told = ""
            try:
                answer = function(*given[0], **given[1])
                told = answered(answer, given)
            except Exception as error:
                told = failure(error)
                raise
            finally:
                if kept is not None and told:
                    self.note(name, function, kept, told)
            return answer
        finally:
            self.busy = False

    def note(self, name: str, function: Callable[..., Any], given: Any, told: str) -> None:
        """Ask again with other arguments, but not for a call that was heard before."""
        try:
            known = name[:MOST_NAME], described(given)[:MOST_INPUT]
            if known not in self.known:
                self.known.add(known)
                self.tell([*known, *asked(function, given, told)])
        except Exception:
            # An object that cannot even be described is not asked about.
            return


class Telling:
    """In the process of the tests: what was heard of each, and how much time is left."""

    def __init__(self) -> None:
        """One for a file of tests."""
        self.left = MOST_SECONDS
        self.first: Dict[str, List[str]] = {}
        """By test, what was heard during each of its rows; the copies that tell the other parts come later."""
        self.count: Dict[Tuple[str, int], int] = {}

    def __call__(self, part: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make a copy of a test tell a part of what is heard during it, instead of what it claims."""
        return functools.partial(self.telling, part)

    def telling(self, part: int, test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def told(*args: Any, **named: Any) -> None:
            name = test.__qualname__.rstrip("0123456789")
            row = self.count[name, part] = self.count.get((name, part), -1) + 1
            known = self.first.setdefault(name, [])
            if row >= len(known):
                known.append(self.during(test, args, named))
            raise AssertionError("probe[%d:%s]" % (part, known[row][part * PART : (part + 1) * PART]))

        return told

    def during(self, test: Callable[..., Any], args: Any, named: Any) -> str:
        """All that is heard while a test runs, as signs that every runner hands on; a line for each call."""
        seconds = min(MOST_SECONDS_EACH, self.left)
        if seconds <= 0:
            return ""
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            hear(writing, functools.partial(test, *args, **named), seconds)
        os.close(writing)
        try:
            told = received(reading)
        finally:
            os.close(reading)
            os.kill(child, signal.SIGKILL)
            used = os.wait4(child, 0)[2]
            self.left -= used.ru_utime + used.ru_stime
        return base64.b64encode(zlib.compress(told, 9)).decode()


def hear(writing: int, test: Callable[[], Any], seconds: float) -> None:
    """The child: never comes back, and leaves nothing to do at its end."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        Listener(lambda call: send(writing, call)).watch(FILES)
        test()
    except BaseException:
        # How the test ends is told by the test itself.
        pass
    finally:
        os._exit(0)


def send(writing: int, call: List[Any]) -> None:
    """One call as a line."""
    data = (json.dumps(call) + "\n").encode()
    while data:
        data = data[os.write(writing, data) :]


def received(reading: int) -> bytes:
    """What the child tells until it ends or its time does."""
    told, until = b"", time.monotonic() + MOST_WAITED
    while len(told) < MOST_BYTES and select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        data = os.read(reading, 65_536)
        if not data:
            break
        told += data
    return told[: told.rfind(b"\n") + 1]


def of_files(path: Optional[str], files: List[str]) -> bool:
    """Whether a module stands in one of these files."""
    return isinstance(path, str) and any(os.path.realpath(path).endswith(os.sep + each) for each in files)


def asked(function: Callable[..., Any], given: Any, told: str) -> List[Any]:
    """What is told of one call: its answer, and those to the calls near it, as numbers."""
    spots, packed, piece = [], b"", ""
    for path, value in list(leaves(given, ()))[:MOST_SPOTS]:
        count = 0
        for other in list(others(value))[:MOST_OTHERS]:
            near = copied(given)
            if near is None:
                break
            near = placed(near, path, other)
            text = described(near).lower()
            lost = [each for each in pieces(value) if each not in text]
            now = once(function, near)
            echo = next((each for each in lost if holds(now, each)), "")
            piece = piece or echo
            flags = (now[:1] == "!") * FAILED + bool(echo) * ECHOES
            packed += number(now) + number(template(now, other)) + bytes([flags])
            count += 1
        spots.append([described(value)[:MOST_INPUT], count])
    return [told[:MOST_INPUT], number(told).hex(), spots, base64.b64encode(packed).decode(), piece[:MOST_PIECE]]


def once(function: Callable[..., Any], given: Any) -> str:
    """What a call gives, or how it fails; one that takes too long fails."""
    steps = [0]

    def step(_frame: Any, event: str, _argument: Any) -> Any:
        if event == "line":
            steps[0] += 1
            if steps[0] > MOST_STEPS:
                raise _TooLong
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        answer = function(*given[0], **given[1])
    except _TooLong:
        return "!too long"
    except Exception as error:
        return failure(error)
    finally:
        sys.settrace(before)
    return answered(answer, given)


def answered(answer: Any, given: Any) -> str:
    """An answer as text; of a call that answers nothing, what it made of its arguments."""
    return "=" + described(answer) if answer is not None else "~" + described(given)


def failure(error: BaseException) -> str:
    """An error as text."""
    return "!%s: %s" % (type(error).__name__, str(error)[:200])


def copied(value: Any) -> Any:
    """A copy of arguments; None for what cannot be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return None


def number(text: str) -> bytes:
    """A few bytes that stand for an answer."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:DIGEST]


def template(text: str, given: Any) -> str:
    """An answer with a sign for what was given: an input that is handed through is no answer."""
    word = given if isinstance(given, str) else described(given)
    if len(word) >= LONG_PIECE:
        return text.replace(word, "\0")
    return re.sub(r"(?<!\w)%s(?!\w)" % re.escape(word), "\0", text) if word else text


def described(value: Any, depth: int = 0) -> str:
    """A value as text, the same in every run; objects by their fields."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(round(value, 9) if isinstance(value, float) else value)[:MOST_TEXT]
    return type(value).__name__ if depth >= MOST_DEPTH else described_parts(value, depth)


def described_parts(value: Any, depth: int) -> str:
    """What is made of other values."""
    if isinstance(value, dict):
        parts = ["%s: %s" % (described(key, depth + 1), described(each, depth + 1)) for key, each in value.items()]
        return "{%s}" % ", ".join(parts)[:MOST_TEXT]
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(described(each, depth + 1) for each in value)[:MOST_TEXT]
    if isinstance(value, (set, frozenset)):
        return "{%s}" % ", ".join(sorted(described(each, depth + 1) for each in value))[:MOST_TEXT]
    fields = getattr(value, "__dict__", None)
    if isinstance(fields, dict) and not callable(value):
        return type(value).__name__ + described(fields, depth + 1)
    shown = repr(value) if type(value).__module__ in ("datetime", "decimal", "fractions") else ""
    return shown[:MOST_TEXT] or type(value).__name__


def leaves(value: Any, path: Path) -> Iterator[Tuple[Path, Any]]:
    """Texts and numbers within arguments that say something, and lists, with the way to each."""
    if isinstance(value, (str, bytes)):
        if 0 < len(value) <= MOST_INPUT:
            yield path, value
    elif isinstance(value, (int, float)):
        if not isinstance(value, bool) and value not in (0, 1, -1):
            yield path, value
    elif len(path) <= MOST_DEPTH:
        if isinstance(value, list) and path:
            yield path, value
        for key, each in inner(value):
            yield from leaves(each, (*path, key))


def inner(value: Any) -> List[Tuple[Any, Any]]:
    """What a list, a dict or an object is made of."""
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if isinstance(value, dict):
        return list(value.items())
    fields = getattr(value, "__dict__", None)
    return list(fields.items()) if isinstance(fields, dict) and not callable(value) else []


def placed(value: Any, path: Path, other: Any) -> Any:
    """The value with another one at the end of a way; of what is copied already."""
    if not path:
        return other
    key, rest = path[0], path[1:]
    if isinstance(value, tuple):
        return tuple(placed(each, rest, other) if at == key else each for at, each in enumerate(value))
    if isinstance(value, (list, dict)):
        value[key] = placed(value[key], rest, other)
    else:
        value.__dict__[key] = placed(value.__dict__[key], rest, other)
    return value


def others(value: Any) -> Iterator[Any]:
    """Values near this one; of a number the next ones come first."""
    if isinstance(value, int):
        yield from (value + 1, value - 1, value + 2, value + 10, value * 2, value + 7, value - 2, value + 3)
        yield from (value + 100, value - 100) if abs(value) > LARGE else (value * 10, value + 23)
    elif isinstance(value, float):
        yield from (value + step for step in (1.0, -1.0, 0.5, 10.0, 0.25, 2.0, 7.0, 0.01))
        yield value * 2
    elif isinstance(value, bytes):
        yield from (each.encode("latin-1", "replace") for each in texts(value.decode("latin-1")))
    elif isinstance(value, str):
        yield from texts(value)
    elif value:
        yield from (value[:-1], value[1:], value[::-1], [*value, value[-1]], [*value, *value])


def texts(value: str) -> Iterator[str]:
    """The same length, with other signs of the same kind; then longer and shorter ones."""
    places = [place for place, sign in enumerate(value) if sign.isalnum()]
    for place in dict.fromkeys((*places[:: max(1, len(places) // 2)][:2], *places[-1:])):
        yield value[:place] + next_sign(value[place], 1) + value[place + 1 :]
    words = list(re.finditer(r"[A-Za-z]+|[0-9]+", value))
    for word in words[:MOST_WORDS] if len(words) > 1 else ():
        yield value[: word.start()] + "".join(next_sign(sign, 4) for sign in word[0]) + value[word.end() :]
    yield "".join(next_sign(sign, 2) for sign in value)
    yield value + next_sign(value[-1], 3)
    yield next_sign(value[0], 3) + value
    if len(value) > 1:
        yield value[:-1]
        yield value[1:]


def next_sign(sign: str, step: int) -> str:
    """Another sign of the same kind; what is neither a letter nor a digit stays."""
    for first, count in (("0", 10), ("a", 26), ("A", 26)):
        if 0 <= ord(sign) - ord(first) < count:
            return chr(ord(first) + (ord(sign) - ord(first) + step) % count)
    return sign


def pieces(value: Any) -> List[str]:
    """What of an input would be known again in an answer."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return [each for each in re.findall(r"[a-z]+|[0-9]+", value.lower()) if len(each) >= LEAST_PIECE]
    return [described(value)] if isinstance(value, (int, float)) else []


def holds(told: str, piece: str) -> bool:
    """Whether an answer has a piece: a long one anywhere, a short one as a word of its own."""
    if piece.isalpha() and len(piece) >= LONG_PIECE:
        return piece in told.lower()
    return re.search(r"(?<!\w)%s(?!\w)" % re.escape(piece), told.lower()) is not None


telling = Telling()
