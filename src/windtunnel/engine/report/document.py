"""One file of HTML that needs nothing else, asks nobody for anything, and runs no program."""

from __future__ import annotations

import base64
import hashlib

from windtunnel.engine.report.parts import Markup, attribute


def rules_of(style: str) -> str:
    """What a browser may do with a page: show it in this one style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def document(title: str, *, style: str, rules: str, body: Markup) -> str:
    """The whole of it; the title is ours."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{attribute(rules)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{attribute(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n")
