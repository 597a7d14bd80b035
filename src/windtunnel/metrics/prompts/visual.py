"""The prompt of the visual agent: a block with labelled sections, or a template with four places to fill."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.metrics.prompts.section import read_text

LAYOUT_LINES = 50
_MOST_PATH = 4096
_PLACE = re.compile(r"\{\{|\}\}|\{(path|description|context|func)\}")
_UNKNOWN = "unknown file"
_DEFAULT = """\
### Introduction
Add a Python helper to `{path}` that {description}.

### Functions
- `{func}(*args, **kwargs)`

### Dependencies
standard library

### Coding standards
Follow PEP8 with 4-space indents and <79 character lines. Use Google style docstrings and inline comments for complex \
logic.

### Repository layout
{layout}

### Environment
{python}

### Metadata
description: {description}

### Version control
commit all changes to git using descriptive commit messages

### Testing
Run `scripts/setup_tests.sh` then execute `pytest --cov`. Report any failures.
The suite includes integration checks under `tests/test_sandbox_integration.py`
that exercise preset adaptation and synergy metric forecasts. These tests run in
CI along with the rest of the collection.

### Snippet context
{context}
"""


def function_name(description: str) -> str:
    """``auto_`` and the words of the description."""
    return f"auto_{re.sub(r'[^0-9A-Za-z_]+', '_', description).strip('_')}"


def layout_of(names: Iterable[str], *, lines: int = LAYOUT_LINES) -> str:
    """So many file names, in order; dots stand for the others."""
    every = sorted(names)
    return "\n".join([*every[:lines], *(["..."] if len(every) > lines else [])])


def visual_prompt(path: str | None, description: str, *, context: str, func: str, layout: str, python: str) -> str:
    """The default format."""
    return _filled(_DEFAULT, {
        "path": path or _UNKNOWN, "description": description, "context": context.strip(), "func": func,
        "layout": layout, "python": python}, re.compile(r"\{(path|description|context|func|layout|python)\}"))


def visual_prompt_by(template: str, path: str | None, *, description: str, context: str, func: str) -> str:
    """By a template: a file's path, or the text itself; braces that are no place stay as they are, ``{{`` is ``{``."""
    names = {"path": path or _UNKNOWN, "description": description, "context": context.strip(), "func": func}
    return _filled(_text_of(template), names, _PLACE)


def prefixed(prefix: str, prompt: str) -> str:
    """The prefix on lines of its own."""
    return prompt if not prefix else prefix + ("" if prefix.endswith("\n") else "\n") + prompt


def _filled(text: str, names: dict[str, str], places: re.Pattern[str]) -> str:
    """Each place once; what is filled in is not looked at again."""
    return places.sub(lambda found: names[found[1]] if found[1] else found[0][0], text)


def _text_of(template: str) -> str:
    if "\n" not in template and len(template) < _MOST_PATH and "\0" not in template and Path(template).is_file():
        return read_text(Path(template))
    if not _PLACE.search(template):
        raise UsageError(f"VA_PROMPT_TEMPLATE: {template[:100]!r} is neither a file nor a template "
                         "(one with {path}, {description}, {context} or {func} would do)", field="VA_PROMPT_TEMPLATE")
    return template
