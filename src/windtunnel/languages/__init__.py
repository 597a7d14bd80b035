"""The table of languages, and what this machine has of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.language import Language, Toolchain, Which
from windtunnel.languages import (
    bash,
    c,
    cpp,
    go,
    java,
    javascript,
    lua,
    perl,
    php,
    python,
    r,
    ruby,
    rust,
    sh,
    typescript,
)
from windtunnel.languages.search import which as search

LANGUAGES: tuple[Language, ...] = (
    python.LANGUAGE,
    javascript.LANGUAGE,
    typescript.LANGUAGE,
    bash.LANGUAGE,
    sh.LANGUAGE,
    ruby.LANGUAGE,
    go.LANGUAGE,
    rust.LANGUAGE,
    java.LANGUAGE,
    c.LANGUAGE,
    cpp.LANGUAGE,
    php.LANGUAGE,
    perl.LANGUAGE,
    lua.LANGUAGE,
    r.LANGUAGE,
)
"""Those that come with Windtunnel."""

ENTRY_POINTS = "windtunnel.languages"
"""The group in which other packages name their ``Language`` constants."""


class LanguageTable:
    """Languages by name, alias and file ending: ours, the caller's own, and those of installed packages.

    Packages are asked only when a name is not known or all are listed. No name, alias or ending is given
    away twice: a language cannot take the place of another.
    """

    def __init__(self, extra: Iterable[Language] = (), *, which: Which = search) -> None:
        """Add the caller's own languages; ``which`` finds tools on the host."""
        self._which = which
        self._languages: list[Language] = []
        self._names: dict[str, Language] = {}
        self._suffixes: dict[str, Language] = {}
        self._toolchains: dict[Language, Toolchain] = {}
        self._asked_packages = False
        for language in (*LANGUAGES, *extra):
            self._add(language)

    def get(self, name: str) -> Language:
        """By name or alias, in any case."""
        key = name.lower()
        if key not in self._names:
            self._ask_packages()
        if key not in self._names:
            raise UsageError(f"language: {name[:80]!r} is not known{self._near(key)}", field="language")
        return self._names[key]

    def from_suffix(self, filename: str) -> Language:
        """By the file's ending; an exact ending goes before one in another case."""
        ending = _ending(filename)
        if ending.lower() not in self._suffixes:
            self._ask_packages()
        language = self._suffixes.get(ending) or self._suffixes.get(ending.lower())
        if language is None:
            raise UsageError(
                f"language: cannot be told from {filename[-80:]!r} (name it; `windtunnel languages` lists them)",
                field="language",
            )
        return language

    def toolchain(self, language: Language) -> Toolchain:
        """As found on this machine; looked for again each time while it is missing."""
        known = self._toolchains.get(language) or language.find(self._which)
        if known is None:
            raise LanguageMissing(f"{language.name} is not installed here (to install it: {language.install})")
        self._toolchains[language] = known
        return known

    def __iter__(self) -> Iterator[Language]:
        """All of them, ours first."""
        self._ask_packages()
        return iter(tuple(self._languages))

    def _add(self, language: Language) -> None:
        names = [name.lower() for name in (language.name, *language.aliases)]
        for key, table in ((names, self._names), (language.suffixes, self._suffixes)):
            taken = next((name for name in key if name in table), None)
            if taken is not None:
                raise UsageError(
                    f"language {language.name!r}: {taken!r} already belongs to {table[taken].name!r} (choose another)",
                    field="language",
                )
        self._languages.append(language)
        self._names.update(dict.fromkeys(names, language))
        self._suffixes.update(dict.fromkeys(language.suffixes, language))

    def _ask_packages(self) -> None:
        if self._asked_packages:
            return
        from windtunnel.languages.packages import languages  # noqa: PLC0415 -- slow to import, seldom needed

        for language in languages(ENTRY_POINTS):
            if language not in self._languages:
                self._add(language)
        self._asked_packages = True

    def _near(self, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 -- for the message of an error alone

        near = get_close_matches(name[:80], self._names, n=3)
        meant = f"; near: {', '.join(near)}" if near else ""
        return f"{meant} (`windtunnel languages` lists them)"


def _ending(filename: str) -> str:
    name = filename.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem else ""
