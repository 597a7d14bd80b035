"""A git commit of a promoted change, with the receipt of its trial in trailers.

What holds: the commit has the files of the change and nothing else; what else is staged stays staged. No hook runs,
since the change itself may have brought one. What does not hold: git reads the repository's own configuration, as it
does for everyone who works in it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.trial import SandboxResult
from windtunnel.spawn import ask

_SECONDS = 60.0
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "--literal-pathspecs")
_REDIRECTS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")


def check_committable(project: Path, changes: ChangeSet) -> None:
    """Refuse, before anything is tried, what could not be committed as this change and nothing else."""
    code, said = _git(project, "rev-parse", "--is-inside-work-tree")
    if code != 0 or said.split("\n")[0] != "true":
        raise _refusal(f"{project} is not in a git repository ({_last(said)})")
    if _git(project, "rev-parse", "--verify", "--quiet", "HEAD")[0] != 0:
        raise _refusal("the repository has no commit yet; make a first one")
    if _git(project, "var", "GIT_COMMITTER_IDENT")[0] != 0:
        raise _refusal("git does not know who you are (git config user.name and user.email)")
    tracked = _names(project, "ls-files", "-z")
    loose = sorted(change.relative_path for change in changes
                   if change.operation != "create" and change.relative_path not in tracked)
    if loose:
        raise _refusal(f"not tracked by git, so the commit would hold more than the change: {_some(loose)}")
    edited = _names(project, "diff", "--cached", *_DIFF) | _names(project, "diff", "HEAD", *_DIFF)
    own = sorted(changes.paths & edited)
    if own:
        raise _refusal(f"changes of your own that are not committed yet are in {_some(own)}")


_DIFF = ("--no-ext-diff", "--no-textconv", "--relative", "--name-only", "-z")


def commit(project: Path, result: SandboxResult, *, message: str) -> str:
    """Commit the files of a promoted change; the commit's hash."""
    trailers = f"Windtunnel-Trial: {result.id}\nWindtunnel-Tree: {result.tree}"
    with tempfile.NamedTemporaryFile(prefix="windtunnel-", suffix=".paths") as listed:
        listed.write(b"".join(path.encode() + b"\0" for path in sorted(result.changes.paths)))
        listed.flush()
        paths = (f"--pathspec-from-file={listed.name}", "--pathspec-file-nul")
        for words in (("add", "--all", "--force", *paths),
                      ("commit", "--quiet", "--no-verify", "--only", f"--message={message}\n\n{trailers}", *paths)):
            code, said = _git(project, *words)
            if code != 0:
                raise SandboxFailure(f"applied, but not committed: git {words[0]}: {_last(said)}")
    return _git(project, "rev-parse", "HEAD")[1].strip()


def _git(project: Path, *words: str) -> tuple[int, str]:
    env = {name: value for name, value in os.environ.items() if name not in _REDIRECTS}
    env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    return ask(["git", "-C", str(project), *_SAFE, *words], seconds=_SECONDS, env=env)


def _names(project: Path, *words: str) -> set[str]:
    code, said = _git(project, *words)
    if code != 0:
        raise SandboxFailure(f"git {words[0]}: {_last(said)}")
    return set(said.replace("\n", "\0").split("\0"))  # a warning among them stands on a line of its own


def _refusal(why: str) -> UsageError:
    return UsageError(f"--commit: {why}", field="--commit")


def _last(said: str) -> str:
    return next((line for line in reversed(said.splitlines()) if line.strip()), "no answer")[:300]


def _some(paths: Sequence[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")  # noqa: PLR2004
