"""``windtunnel languages``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, table
from windtunnel.core.errors import LanguageMissing
from windtunnel.core.language import Language

if TYPE_CHECKING:
    from windtunnel.languages import LanguageTable


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("languages", help="which languages there are, and which are installed here")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """List them."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.languages import LanguageTable  # noqa: PLC0415
    from windtunnel.languages.custom import language_from  # noqa: PLC0415

    known = LanguageTable(language_from(given) for given in config.load().languages)
    rows = [_row(known, language) for language in known]
    if chosen.json:
        print(json_text(rows))
    else:
        shown = [[str(row["name"]), "yes" if row["installed"] else "no", " ".join(row["suffixes"]),
                  str(row["command"] if row["installed"] else row["install"])] for row in rows]
        print(table(shown, head=["language", "here", "files", "runs by, or what to install"]))
    return 0


def _row(known: LanguageTable, language: Language) -> dict[str, Any]:
    row: dict[str, Any] = {"name": language.name, "aliases": language.aliases, "suffixes": language.suffixes,
                           "installed": False, "command": None, "install": language.install}
    try:
        toolchain = known.toolchain(language)
    except LanguageMissing:
        return row
    compiler = toolchain.build[0] if toolchain.build else toolchain.run[0]
    return row | {"installed": True, "command": compiler}
