"""Images of the container level: build, list and remove them, and how a language is run in the one it gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from windtunnel.core.errors import IsolationUnavailable, LanguageMissing, UsageError
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.ports import Languages
from windtunnel.languages import images as recipes
from windtunnel.sandbox.container.engine import LABEL, Engine, Image
from windtunnel.sandbox.container.image_build import Plan, build
from windtunnel.sandbox.container.image_names import check_name, local_name
from windtunnel.sandbox.container.images import IMAGE, LANGUAGE_LABEL, Files, Images, files_of, is_ours

Tell = Callable[[str], None]


class Source(StrEnum):
    """What an image is made of."""

    HOST = "host"
    """Nothing but folders, over which the host's own tools are bound when it is used."""
    FILES = "files"
    """A copy of the host's own tools."""
    PACKAGES = "packages"
    """The distribution's packages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One image that Windtunnel built."""

    language: str
    name: str
    files: str
    """``host``, ``copied`` or ``packages``."""
    size: int
    """Bytes, as the engine counts them."""
    engine: str
    id: str
    seconds: float | None = None
    """How long it took; none for one that was there."""


def plan(languages: Languages, language: Language, *, source: Source, name: str | None) -> Plan:
    """What to make for one language; the files of the host need the language to be installed there."""
    named = local_name(language.name) if name is None else name
    if source is Source.PACKAGES:
        packages, toolchain = recipes.packages(language)
        return Plan(name=named, language=language.name, files=Files.PACKAGES, toolchain=toolchain, packages=packages)
    files = Files.HOST if source is Source.HOST else Files.COPIED
    return Plan(name=named, language=language.name, files=files, toolchain=languages.toolchain(language))


def plans(
    languages: Languages, wanted: Sequence[str], *, source: Source = Source.HOST, name: str | None = None,
) -> list[Plan]:
    """What to make; without a language, for every one that is installed here, which costs little only for ``host``."""
    if name is not None and len(wanted) != 1:
        raise UsageError("--name: names one image, so name one language with it", field="--name")
    if wanted:
        chosen = dict.fromkeys(languages.get(text).name for text in wanted)
        return [plan(languages, languages.get(text), source=source, name=name) for text in chosen]
    if source is not Source.HOST:
        raise UsageError(f"language: name those to build --from {source}, because each takes time and space",
                         field="language")
    return [plan(languages, language, source=source, name=None) for language in languages
            if _installed(languages, language)]


def _installed(languages: Languages, language: Language) -> bool:
    try:
        languages.toolchain(language)
    except LanguageMissing:
        return False
    return True


def build_images(engine: Engine, planned: Sequence[Plan], *, tell: Tell = lambda _: None) -> Iterator[Built]:
    """Each as it is done; one that fails ends it, and those before it stay."""
    for one in planned:
        begun = time.monotonic()
        image = build(engine, one, tell=tell)
        yield _built(engine, image, name=one.name, seconds=time.monotonic() - begun)


def list_images(engine: Engine) -> list[Built]:
    """All that Windtunnel built, by language."""
    found = (image for image in engine.images(label=f"{LABEL}={IMAGE}") if is_ours(image))
    return sorted((_built(engine, image, name=name) for image in found for name in image.names or ("",)),
                  key=lambda built: (built.language, built.name))


def _built(engine: Engine, image: Image, *, name: str, seconds: float | None = None) -> Built:
    return Built(language=image.labels.get(LANGUAGE_LABEL, ""), name=name, files=str(files_of(image)),
                 size=image.size, engine=engine.name, id=image.id, seconds=seconds)


def remove_images(
    engine: Engine, languages: Languages, wanted: Sequence[str], *, everything: bool = False,
) -> list[str]:
    """Those named, by language or by name, or everything that Windtunnel built. Never somebody else's."""
    if bool(wanted) is everything:
        raise UsageError("image: name those to remove, or ask for all of them by --all", field="image")
    names = [_named(languages, text) for text in wanted] or [built.name or built.id for built in list_images(engine)]
    found = {name: engine.image(name) for name in dict.fromkeys(names)}
    for name, image in found.items():
        if image is None:
            raise UsageError(f"image: {engine.name} has no image {name} (windtunnel image list tells of all)",
                             field="image")
        if not is_ours(image):
            raise UsageError(f"image: {name} was not built by Windtunnel, so it is not ours to remove "
                             f"({engine.name} rmi {name} does)", field="image")
    for name in found:
        engine.remove_image(name)
        if engine.image(name) is not None:
            raise IsolationUnavailable(f"{engine.name} keeps the image {name}: a container still uses it")
    return list(found)


def _named(languages: Languages, text: str) -> str:
    try:
        return local_name(languages.get(text).name)
    except UsageError:
        return check_name(text, field="image")


class InImages:
    """The table of languages for the container level: each is called as its image wants it to be called."""

    def __init__(self, languages: Languages, images: Images) -> None:
        """``languages`` are those of the host."""
        self._languages, self._images = languages, images

    def get(self, name: str) -> Language:
        """By name or alias."""
        return self._languages.get(name)

    def toolchain(self, language: Language) -> Toolchain:
        """As in its image: the host's own where that is bound into it, else what the image or the table says."""
        chosen = self._images.get(language)
        if chosen.files is Files.HOST:
            return self._languages.toolchain(language)
        return replace(chosen.toolchain or recipes.image_toolchain(language), stamp=chosen.id)

    def __iter__(self) -> Iterator[Language]:
        """All of them."""
        return iter(self._languages)
