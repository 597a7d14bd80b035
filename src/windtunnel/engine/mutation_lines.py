"""Which lines to mutate: those that a diff, the working tree or a range of commits adds or changes.

Numbers are those of the files as they are now. What does not hold: git reads the repository's own configuration, as it
does for everyone who works in it; no hook, external diff or text conversion runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.engine.foreign.door import SUFFIXES
from windtunnel.spawn import ask

_SECONDS = 60.0
_MOST_BYTES = 64 * 1024 * 1024
_MOST_LINES = 1_000_000
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
         "--literal-pathspecs")
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--unified=0", "--src-prefix=a/",
         "--dst-prefix=b/", "--no-renames")
_REDIRECTS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")
_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_RANGE = re.compile(r"[\w./^~@{}-]{1,200}")
_LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?")
Lines = dict[str, set[int]]


def of_diff(text: str) -> Lines:
    """The lines that a unified diff adds, by path; the path is read as git and diff write it."""
    if len(text) > _MOST_BYTES:
        raise UsageError(f"diff: larger than {_MOST_BYTES} bytes", field="diff")
    found: Lines = {}
    path, line = "", 0
    old_left = new_left = 0
    for row in text.split("\n"):
        hunk = _HUNK.match(row) if not (old_left or new_left) else None
        if hunk is not None:
            line, new_left = int(hunk[1]), int(hunk[2] or 1)
            old_left = _old(row)
        elif old_left or new_left:
            added, kept = row.startswith("+"), not row.startswith(("+", "-", "\\"))
            if added and path:
                found.setdefault(path, set()).add(line)
            line, new_left = line + (added or kept), max(0, new_left - (added or kept))
            old_left = max(0, old_left - (row.startswith("-") or kept))
        elif row.startswith("+++ "):
            path = _path(row[4:])
    return found


def _old(row: str) -> int:
    found = re.match(r"@@ -\d+(?:,(\d{1,9}))?", row)
    return int(found[1] or 1) if found is not None else 0


def _path(text: str) -> str:
    """Without the prefix and what follows a tab; nothing for a file that is deleted or lies elsewhere."""
    name = text.split("\t", 1)[0].strip().strip('"')
    name = name[2:] if name.startswith(("b/", "a/")) else name
    outside = name.startswith("/") or ".." in name.split("/") or not name
    return "" if outside or text.startswith("/dev/null") else name


def of_tree(project: Path) -> Lines:
    """What is not committed yet: changed lines, and all of files that git does not know."""
    found = of_diff(_git(project, "diff", "HEAD", *_DIFF))
    for name in _git(project, "ls-files", "--others", "--exclude-standard", "-z").split("\0"):
        path = project / name
        if name.endswith((".py", *SUFFIXES)) and path.is_file() and not path.is_symlink():
            found[name] = set(range(1, path.read_bytes().count(b"\n") + 2))
    return found


def of_range(project: Path, commits: str) -> Lines:
    """What a range of commits changed, such as ``main..HEAD``; the files must still be as its end has them."""
    if not _RANGE.fullmatch(commits) or commits.startswith("-") or ".." not in commits:
        raise UsageError(f"range: {commits[:100]!r} is not a range of commits (try main..HEAD)", field="range")
    return of_diff(_git(project, "diff", commits, *_DIFF, "--"))


def of_words(words: Sequence[str]) -> Lines:
    """``path:3`` or ``path:1-20``, several of them together."""
    found: Lines = {}
    for word in words:
        parts = _LINES.fullmatch(word)
        first, last = (int(parts[2]), int(parts[3] or parts[2])) if parts is not None else (0, 0)
        if parts is None or not 0 < first <= last or last - first > _MOST_LINES:
            raise UsageError(f"lines: {word[:100]!r} is not a place (try src/a.py:1-20)", field="lines")
        found.setdefault(os.path.normpath(parts[1]), set()).update(range(first, last + 1))
    return found


def _git(project: Path, *words: str) -> str:
    env = {name: value for name, value in os.environ.items() if name not in _REDIRECTS}
    env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    code, said = ask(["git", "-C", str(project), *_SAFE, *words], seconds=_SECONDS, env=env, join=False)
    if code != 0:
        lines = [line for line in said.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal:", "error:", "warning:"))]
        raise UsageError(f"git {words[0]}: {(told or lines[-1:] or ['no answer'])[0][:300]}", field="git")
    return said
