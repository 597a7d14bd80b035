"""Elixir: mix.exs, of which only literal dependencies are read, and mix.lock."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at
from windtunnel.analysis.listing import Listing

_DEPENDENCY = re.compile(r"\{:(\w{1,80}),\s{0,5}\"([^\"]{1,60})\"([^}]{0,200})\}")
_APP = re.compile(r"\bapp:\s{0,5}:(\w{1,80})")
_LOCKED = re.compile(r"^\s{0,4}\"(\w{1,80})\":\s{0,4}\{:hex,\s{0,4}:\w{1,80},\s{0,4}\"([^\"]{1,60})\"", re.MULTILINE)


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """One application."""
    path = at(folder, "mix.exs")
    text = listing.text(path)[:200_000]
    named = _APP.search(text)
    found = Found(folder=folder, ecosystem="elixir", name=named[1] if named else "", manager="mix", manifests=[path])
    for name, wanted, rest in _DEPENDENCY.findall(text):
        found.want(name, wanted, file=path, group="dev" if "only:" in rest and ":prod" not in rest else "main")
    if "mix.lock" in names:
        lock = at(folder, "mix.lock")
        found.locks.append(lock)
        found.complete = True
        for name, version in _LOCKED.findall(listing.text(lock)[:2_000_000]):
            found.lock(name, version, file=lock)
    return found


ECOSYSTEM = Ecosystem(name="elixir", read=read, manifests=("mix.exs",))
