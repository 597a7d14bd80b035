"""Which image a language gets: the user's own, else one built here, else the table's, and never another in silence."""

from __future__ import annotations

import base64
import binascii
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.language import Language, Toolchain
from windtunnel.sandbox.container.engine import LABEL, Engine, Image, words
from windtunnel.sandbox.container.image_names import check_reference, local_name

IMAGE = "image"
"""What the label ``windtunnel`` says on an image of ours; on a container it names the supervisor."""
LANGUAGE_LABEL, FILES_LABEL, TOOLCHAIN_LABEL = f"{LABEL}.language", f"{LABEL}.files", f"{LABEL}.toolchain"
_MOST_LABEL = 65_536


class Files(StrEnum):
    """Where the files of an image come from, and so how a language is called in it."""

    HOST = "host"
    """The image is almost empty: the container level binds the host's own toolchain into it, read-only."""
    COPIED = "copied"
    """A copy of the host's own files, at the same paths; its label says how they are called."""
    PACKAGES = "packages"
    """Made of the distribution's packages; its label says how they are called."""
    OWN = "own"
    """Somebody else's image, of the table or the user's: called by bare names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The image that one language gets."""

    name: str
    id: str
    """What to start: it names content, so nobody can put another image in its place."""
    files: Files
    toolchain: Toolchain | None = None
    """How to call the language, where the image itself says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """An image that is here."""

    name: str
    image: Image


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """One that must be fetched first."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """None can be had."""

    why: str


Decision: TypeAlias = Use | Pull | Refuse


def decide(language: Language, *, own: str | None, pull: bool, here: Callable[[str], Image | None]) -> Decision:
    """What to do about one language; ``here`` gives the images that need not be fetched.

    An image that the user named is used or refused: no other takes its place.
    """
    built = local_name(language.name)
    for name in (own,) if own else (built, language.image):
        found = here(name) if name else None
        if found is not None and (name != built or is_ours(found, language=language.name)):
            return Use(name=name, image=found)
    wanted = own or language.image
    if wanted and pull:
        return Pull(name=wanted)
    return Refuse(why=_missing(language, wanted, own=own is not None))


def is_ours(image: Image, *, language: str | None = None) -> bool:
    """Whether Windtunnel built it; with a language, for that one."""
    labels = image.labels
    return labels.get(LABEL) == IMAGE and (language is None or labels.get(LANGUAGE_LABEL) == language)


def files_of(image: Image) -> Files:
    """Where its files come from, as its label says; one without the label is somebody else's."""
    text = image.labels.get(FILES_LABEL, "")
    return Files(text) if is_ours(image) and text in tuple(Files) else Files.OWN


class Images:
    """The images of one engine by language; each is looked for, or fetched, once. Safe to use from many threads."""

    def __init__(
        self, engine: Engine, *, own: Mapping[str, str] | None = None, pull: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``own`` names the user's images by language; ``pull`` allows fetching, and ``tell`` hears of its progress."""
        self._engine, self._pull, self._tell = engine, pull, tell
        self._own = {name: check_reference(text, field=f"images.{name}") for name, text in (own or {}).items()}
        self._chosen: dict[str, Chosen] = {}
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def get(self, language: Language) -> Chosen:
        """Its image; ``IsolationUnavailable`` says what would make one."""
        with self._lock:
            own = self._locks.setdefault(language.name, threading.Lock())
        with own:  # others need not wait while this one is fetched
            known = self._chosen.get(language.name)
            if known is None:
                known = self._chosen[language.name] = self._choose(language)
            return known

    def forget(self, language: Language) -> None:
        """Look again next time, because the image is gone."""
        self._chosen.pop(language.name, None)

    def _choose(self, language: Language) -> Chosen:
        own = self._own.get(language.name)
        decision = decide(language, own=own, pull=self._pull, here=self._engine.image)
        if isinstance(decision, Pull):
            decision = self._pulled(language, decision.name)
        if isinstance(decision, Refuse):
            raise IsolationUnavailable(decision.why)
        files = files_of(decision.image)
        described = files in (Files.COPIED, Files.PACKAGES)
        return Chosen(name=decision.name, id=decision.image.id, files=files,
                      toolchain=read_toolchain(decision.image, language) if described else None)

    def _pulled(self, language: Language, name: str) -> Use:
        try:
            self._engine.pull(name, tell=lambda line: self._tell(words(line, most=200)))
        except IsolationUnavailable as error:
            raise IsolationUnavailable(
                f"the image {name} cannot be pulled: {words(str(error))} ({_remedy(language)})") from error
        found = self._engine.image(name)
        if found is None:
            raise IsolationUnavailable(f"{self._engine.name} pulled {name} and does not have it ({_remedy(language)})")
        return Use(name=name, image=found)


def _missing(language: Language, wanted: str, *, own: bool) -> str:
    if own:
        return f"the image {wanted}, set for {language.name}, is not here, and pulling is switched off (pull = false)"
    named = f" and {wanted} is not here" if wanted else ""
    return (f"no image was built for {language.name}{named} ({_remedy(language)}"
            + ("; or allow pulling: pull = true)" if wanted else ")"))


def _remedy(language: Language) -> str:
    return f"to build one here, without a registry: windtunnel image build {language.name}"


# --- how an image says what to call in it ---

def toolchain_label(toolchain: Toolchain) -> str:
    """A toolchain in letters that no engine reads as anything else; its host paths are left out."""
    value = {"run": toolchain.run, "build": toolchain.build, "profile": toolchain.profile, "env": dict(toolchain.env)}
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def read_toolchain(image: Image, language: Language) -> Toolchain:
    """What the label says; refused where it says nothing that makes sense."""
    text = image.labels.get(TOOLCHAIN_LABEL, "")[:_MOST_LABEL]
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        run, build, profile = _argv(value["run"]), _optional(value["build"]), _optional(value["profile"])
        env = {_text(name): _text(item) for name, item in value["env"].items()}
    except (binascii.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IsolationUnavailable(
            f"the image {words(image.id, most=80)} does not say how {language.name} is run in it; "
            f"build it anew: windtunnel image build {language.name}") from error
    return Toolchain(run=run, build=build, profile=profile, env=env)


def _optional(value: object) -> tuple[str, ...] | None:
    return None if value is None else _argv(value)


def _argv(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(type(value).__name__)
    return tuple(map(_text, value))


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(type(value).__name__)
    return value
