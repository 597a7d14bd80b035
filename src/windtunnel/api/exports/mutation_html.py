"""A mutation run as one page: source in colour, each mutant with its diff, its fate and its tests.

What holds: the file asks nobody for anything; a browser runs in it the one script whose hash its rules name, and that
script writes words of others as text alone. The summary and the list of files are there without the script too.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping

from windtunnel.api.exports.mutation_html_data import page_data
from windtunnel.api.exports.mutation_html_script import SCRIPT
from windtunnel.api.exports.mutation_html_style import STYLE
from windtunnel.api.exports.mutation_html_top import main_part
from windtunnel.api.exports.mutation_sheets import sheets_of
from windtunnel.core.mutation import MutationResult
from windtunnel.engine.report.parts import attribute

_IN_SCRIPT = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}
"""Letters that could end the element that holds the data; in JSON they stand inside texts alone."""


def mutation_html(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """All of it; the same run gives the same page."""
    data = embedded(page_data(result, sheets_of(result, sources)))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{attribute(rules())}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>Mutation report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{main_part(result)}\n"
        f'<script type="application/json" id="data">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n')


def rules() -> str:
    """What a browser may do with the page: this style, this script, and nothing else."""
    return (f"default-src 'none'; script-src '{_hash(SCRIPT)}'; style-src '{_hash(STYLE)}'; base-uri 'none'; "
            "form-action 'none'")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def embedded(data: object) -> str:
    """JSON that no HTML reader takes for anything else; beyond ASCII all is escaped."""
    return json.dumps(data, separators=(",", ":")).translate(_IN_SCRIPT)
