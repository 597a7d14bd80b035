"""Where the files of a new workspace come from: a folder, a git repository, another workspace, or nowhere.

A repository is fetched by git itself, without hooks, filters, submodules or anybody's configuration, and over
protocols that start no other program. What git fetches is bounded by time alone until it is there.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.workspace import Origin
from windtunnel.engine.check import check_workspace
from windtunnel.spawn import ask
from windtunnel.workspace.git_head import head
from windtunnel.workspace.kept.trees import Room, copy_tree
from windtunnel.workspace.tree import CACHES

_ADDRESS = re.compile(r"(https?|ssh|git)://[^\s\x00-\x1f]{1,2000}|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s\x00-\x1f]{1,2000}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@^~-]{0,200}")
_SECONDS = 600.0
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
    "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always", "-c", "protocol.ssh.allow=always",
    "-c", "protocol.git.allow=always", "-c", "protocol.file.allow=always", "-c", "submodule.recurse=false")
_REDIRECTS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX",
              "GIT_CONFIG_PARAMETERS", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_TEMPLATE_DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a workspace is filled from."""

    origin: Origin
    told: str
    """As it is shown and written down; without a password."""
    fill: Callable[[Path], str]
    """Fills a folder that is not there yet; gives the commit, where there is one."""


def source_of(
    given: str | os.PathLike[str] | None, *, commit: str, private: Sequence[str], room: Callable[[], Room],
) -> Source:
    """What was meant; refused before anything is made."""
    if given is None:
        return Source(origin="empty", told="", fill=_empty)
    text = os.fspath(given)
    if not isinstance(text, str) or "\0" in text:
        raise UsageError("source: not a path or address", field="source")
    if commit and not _REVISION.fullmatch(commit):
        raise UsageError(f"commit: {commit[:80]!r} is not a commit, branch or tag", field="commit")
    if _ADDRESS.fullmatch(text):
        return Source(origin="git", told=re.sub(r"//[^/@]*@", "//", text), fill=lambda target: _cloned(
            text, target, commit=commit, room=room()))
    local = text.removeprefix("file://")
    try:
        folder = check_workspace(local, private=private)
    except UsageError as error:
        raise UsageError(str(error).replace("workspace:", "source:", 1), field="source") from None
    assert folder is not None
    if commit or local != text:
        return Source(origin="git", told=folder, fill=lambda target: _cloned(
            f"file://{folder}", target, commit=commit, room=room()))
    return Source(origin="path", told=folder, fill=lambda target: _copied(folder, target, room=room()))


def _empty(target: Path) -> str:
    target.mkdir(mode=0o700)
    return ""


def _copied(folder: str, target: Path, *, room: Room) -> str:
    copy_tree(Path(folder), target, room=room, apart_from=CACHES)
    git = Path(folder) / ".git"
    return head(git).rpartition(b" ")[2].decode("ascii", "replace")[:64] if git.is_dir() else ""


def _cloned(address: str, target: Path, *, commit: str, room: Room) -> str:
    """Into a folder beside it first, so that what is too large never becomes a workspace."""
    with tempfile.TemporaryDirectory(prefix="clone-", dir=target.parent) as beside:
        clone = Path(beside) / "clone"
        _git("clone", "--quiet", "--no-checkout", "--no-recurse-submodules", "--template=", "--", address, str(clone))
        place = ("-C", str(clone))
        _git(*place, "checkout", "--quiet", "--detach", f"origin/{commit}" if commit and _has(
            clone, f"refs/remotes/origin/{commit}") else commit or "HEAD", "--")
        found = _git(*place, "rev-parse", "HEAD").strip()
        copy_tree(clone, target, room=room)
    return found


def _has(clone: Path, reference: str) -> bool:
    return ask(_command("-C", str(clone), "show-ref", "--verify", "--quiet", reference), env=_env())[0] == 0


def _git(*words: str) -> str:
    code, said = ask(_command(*words), seconds=_SECONDS, env=_env())
    if code == 127:  # noqa: PLR2004 -- the shell's word for a program that is not there
        raise SandboxFailure("git cannot be started (install git)")
    if code != 0:
        last = next((line for line in reversed(said.splitlines()) if line.strip()), f"exit code {code}")
        raise UsageError(f"source: git could not fetch it: {re.sub(r'//[^/@]*@', '//', last)[:300]}", field="source")
    return said


def _command(*words: str) -> list[str]:
    return ["git", *_SAFE, *words]


def _env() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _REDIRECTS}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_LFS_SKIP_SMUDGE": "1",
                   "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
