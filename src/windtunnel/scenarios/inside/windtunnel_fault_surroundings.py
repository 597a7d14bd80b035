"""Variables that are gone, a language and a time zone that nobody expected; as the C library and children see them."""

from __future__ import annotations

import datetime as dt
import locale
import os
import sys
import time
from typing import Any, Dict, List

from windtunnel_fault_base import Fault, Measured, Patches  # type: ignore[import-not-found]  # lies beside this file
from windtunnel_fault_files import DISK  # type: ignore[import-not-found]  # the same

_KEPT = ("PYTHON", "LD_", "WINDTUNNEL", "MALLOC_", "COVERAGE_")
"""How variables begin that the interpreter and the harness live by."""


class _Variables(Fault):  # type: ignore[misc]  # known only where it runs
    """What changes variables, and puts them back."""

    def change(self, new: Dict[str, str], *, gone: List[str]) -> None:
        self.old = {name: os.environ.get(name) for name in (*new, *gone)}
        os.environ.update(new)
        for name in gone:
            os.environ.pop(name, None)

    def end(self) -> None:
        for name, value in self.__dict__.pop("old", {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class MissingEnvironment(_Variables):
    """The named variables are gone; without names all of them, but for what the interpreter lives by."""

    name = "missing_environment"

    def known(self) -> List[str]:
        return ["names"]

    def take(self, asked: Dict[str, Any]) -> None:
        names = asked.pop("names", None)
        if names is not None and not (isinstance(names, list) and all(isinstance(one, str) and one for one in names)):
            raise ValueError(f"{self.name}: names is not a list of names: {names!r:.60}")
        self.names = names

    def requested(self) -> str:
        return "all" if self.names is None else ", ".join(self.names)

    def begin(self) -> None:
        every = sorted(name for name in os.environ if not name.startswith(_KEPT))
        self.gone = every if self.names is None else self.names
        self.change({}, gone=self.gone)

    def probe(self) -> Measured:
        gone = [name for name in getattr(self, "gone", []) if name not in os.environ]
        return Measured("gone: " + ", ".join(gone), hasattr(self, "gone") and gone == self.gone)


class WrongTimeZone(_Variables):
    """The local time is of a place half an hour off the whole ones, with summers of its own."""

    name = "wrong_time_zone"
    file, rule = "Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"

    def known(self) -> List[str]:
        return ["zone"]

    def take(self, asked: Dict[str, Any]) -> None:
        usual = self.file if os.path.exists("/usr/share/zoneinfo/" + self.file) else self.rule
        self.zone = asked.pop("zone", usual)
        if not isinstance(self.zone, str) or not 0 < len(self.zone) < 100 or "\0" in self.zone:  # noqa: PLR2004 -- longer than any
            raise ValueError(f"{self.name}: zone is not the name of a time zone: {self.zone!r:.60}")

    def requested(self) -> str:
        return str(self.zone)

    def begin(self) -> None:
        self.change({"TZ": self.zone}, gone=[])
        time.tzset()

    def end(self) -> None:
        super().end()
        time.tzset()

    def probe(self) -> Measured:
        hours = (dt.datetime.fromtimestamp(0).astimezone().utcoffset() or dt.timedelta()).total_seconds() / 3600
        now = time.localtime().tm_gmtoff / 3600
        return Measured(f"{time.tzname[0]}, {now:+g} hours from UTC", bool(now or hours))


_COMMA = ("de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR", "es_ES.UTF-8", "it_IT.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8",
          "pl_PL.UTF-8", "nl_NL.UTF-8", "sv_SE.UTF-8", "tr_TR.UTF-8")


class WrongLocale(_Variables):
    """Texts are ASCII unless the program says otherwise; numbers have a comma where such a language is installed."""

    name = "wrong_locale"

    def begin(self) -> None:
        self.patches = Patches()
        self.was = {kind: locale.setlocale(kind) for kind in (locale.LC_CTYPE, locale.LC_NUMERIC, locale.LC_TIME)}
        self.change({"LC_ALL": "C", "LANG": "C"}, gone=["LC_CTYPE", "LANGUAGE"])
        locale.setlocale(locale.LC_CTYPE, "C")
        comma = next((name for name in _COMMA if _set(name)), None)
        self.reason = f"numbers and dates as in {comma}" if comma else "no language with a decimal comma is installed"
        if not _ascii(_encoding()):
            self.approximate = True
            DISK.use("encoding", "ascii")
            self.patches.put(locale, "getpreferredencoding", lambda *_: "ascii")
            self.patches.put(locale, "getencoding", lambda: "ascii")
        self.stdout, self.stdout_encoding = sys.stdout, getattr(sys.stdout, "encoding", None)
        _reencode(self.stdout, "ascii")

    def end(self) -> None:
        super().end()
        for kind, value in self.__dict__.pop("was", {}).items():
            locale.setlocale(kind, value)
        if "stdout" in self.__dict__:
            self.patches.undo()
            DISK.drop("encoding")
            _reencode(self.__dict__.pop("stdout"), self.stdout_encoding)

    def probe(self) -> Measured:
        encoding, point = _encoding(), locale.localeconv()["decimal_point"]
        return Measured(f"text files are {encoding}, the decimal point is {point!r}", _ascii(encoding))


def _set(name: str) -> bool:
    """Whether there is such a language."""
    try:
        locale.setlocale(locale.LC_NUMERIC, name)
        locale.setlocale(locale.LC_TIME, name)
    except locale.Error:
        return False
    return True


def _encoding() -> str:
    """What a text file is read as when nothing is said."""
    with open(os.devnull) as file:
        return file.encoding


def _ascii(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("ascii", "us-ascii", "ansi-x3.4-1968", "646")


def _reencode(stream: Any, encoding: Any) -> None:
    if encoding is not None and hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=encoding)
