"""Messages with marks for what differs from run to run, so that equal problems are equal."""

from __future__ import annotations

import re

_MARKS = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
    (re.compile(r"(?:(?<=[\s'\"(`=:])|^)(?:file://)?(?:[A-Za-z]:)?(?:\.{0,2}[\\/])[\w.@+~\\/-]{1,600}(?::\d+){0,2}"),
     "<path>"),
    (re.compile(r"\b[\w-]{1,200}(?:/[\w.-]{1,200}){1,20}\.\w{1,8}(?::\d+){0,2}\b"), "<path>"),
    (re.compile(r"'(?:[^'\\\n]|\\.){0,400}'|\"(?:[^\"\\\n]|\\.){0,400}\"|`[^`\n]{0,400}`"), "<name>"),
    (re.compile(r"(?<![\w<])[-+]?\d[\d_,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w>])"), "<number>"),
    (re.compile(r"\s+"), " "),
)
MOST_NORMAL = 400


def normal(message: str) -> str:
    """The first lines of a message with its own parts marked; its words stay as they are."""
    text = message[:2000]
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    return text.strip()[:MOST_NORMAL]
