"""Checkpoints in a git repository, on a branch of their own: one file for each, in folders by day.

What holds: the work tree, the index and every other branch stay as they are; no hook runs, and nothing that the
repository's configuration names is started; a push reads no configuration of the repository at all, only the address of
the remote. Commits only ever come on top. What does not hold: whoever may write the repository may rewrite the branch;
push it to where the log's writer cannot, or protect it there.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.spawn.handing import hand
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.destination import ENDING, file_name
from windtunnel.store.audit.note import MOST_NOTE

BRANCH = "windtunnel-checkpoints"
_BRANCH = re.compile(r"(?!.*(\.\.|//|/\.|\.lock(/|$)|/$))[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.sshCommand=false",
         "-c", "core.filesRefLockTimeout=2000", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
         "-c", "commit.gpgSign=false", "--literal-pathspecs")
_RECEIVE = ("git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=true -c core.fsmonitor=false "
            "-c receive.autogc=false receive-pack")
_SECONDS, _PUSH_SECONDS = 20.0, 30.0
_MOST_OUTPUT = 64 * 1024**2
_ATTEMPTS = 10
_OWN = ("GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL")
"""Variables by which the user, and no repository, says how to reach others."""
_SCRATCH = "windtunnel-push-"
_WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "windtunnel"), ("EMAIL", "windtunnel@localhost"))}


def git_place(text: str) -> GitPlace:
    """``PATH[#BRANCH][?push=REMOTE]``; a typed error for anything else."""
    rest, _, asked = text.partition("?")
    path, _, branch = rest.partition("#")
    remote = asked.removeprefix("push=")
    if not path or not _BRANCH.fullmatch(branch or BRANCH):
        raise _wrong(f"{text[:80]!r} is not PATH#BRANCH of a git repository")
    if asked and (not asked.startswith("push=") or not _REMOTE.fullmatch(remote)):
        raise _wrong(f"{asked[:80]!r} is not push=REMOTE, with the name of a remote")
    return GitPlace(path=Path(os.path.abspath(path)), branch=branch or BRANCH, remote=remote)  # noqa: PTH100 -- as named


@dataclass(frozen=True, slots=True, kw_only=True)
class GitPlace:
    """One branch of one repository, bare or not."""

    path: Path
    branch: str
    remote: str = ""
    """Where the branch is pushed to, by its name in the repository; empty where it is not."""

    @property
    def name(self) -> str:
        """As it was written."""
        return f"git:{self.path}#{self.branch}{f'?push={self.remote}' if self.remote else ''}"

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def send(self, note: str, checkpoint: Checkpoint) -> str:
        """Commit it, unless it is there; then push, where that was asked for."""
        self._check_not_in_use()
        day = checkpoint.time[:10] if _DAY.fullmatch(checkpoint.time[:10]) else "undated"
        for _ in range(_ATTEMPTS):
            parent = self._found(f"{self._ref}^{{commit}}")
            if parent and self._found(f"{parent}:{day}/{file_name(checkpoint)}"):
                made, told = parent, "was committed already"
                break
            made = self._commit(note, f"{day}/{file_name(checkpoint)}", parent=parent)
            # Only on top of what was read: another writer who was faster is not overwritten.
            if self._git("update-ref", self._ref, made, parent)[0] == 0:
                told = f"committed as {made[:12]}"
                break
        else:
            raise SandboxFailure(f"{self.name}: the branch could not be moved; others kept moving it, or it is locked")
        return f"{told}, {self._push(made)}" if self.remote else told

    def kept(self) -> list[str]:
        """All notes of the branch, oldest first."""
        if not self._found(f"{self._ref}^{{commit}}"):
            raise UsageError(f"{self.name}: there is no such branch", field="checkpoint")
        listed = self._must("ls-tree", "-r", "-z", "--full-tree", self._ref).split("\0")
        found = sorted((name.rpartition("/")[2], about.split(" ")[2]) for about, _, name in (
            one.partition("\t") for one in listed if one) if name.endswith(ENDING) and about.split(" ")[1] == "blob")
        ids = "".join(f"{blob}\n" for _, blob in found)
        return _blobs(self._must("cat-file", "--batch", data=ids).encode(), [blob for _, blob in found])

    # --- git ---

    def _check_not_in_use(self) -> None:
        listed = self._must("worktree", "list", "--porcelain").split("\n")
        if f"branch {self._ref}" in listed:
            raise UsageError(f"{self.name}: the branch is checked out there, and its work tree is not ours to touch "
                             "(name another branch)", field="checkpoint")

    def _commit(self, note: str, path: str, *, parent: str) -> str:
        day, name = path.split("/")
        blob = self._must("hash-object", "-w", "--stdin", "--no-filters", data=note).strip()
        inner = self._tree(f"{parent}:{day}" if parent else "", f"100644 blob {blob}\t{name}")
        outer = self._tree(parent, f"040000 tree {inner}\t{day}")
        above = ("-p", parent) if parent else ()
        return self._must("commit-tree", outer, *above, data=f"Checkpoint of {int(name[:12])} records\n").strip()

    def _tree(self, base: str, entry: str) -> str:
        """The tree with one entry more, or another one of that name."""
        there = self._must("ls-tree", "-z", base) if base and self._found(base) else ""
        name = entry.partition("\t")[2]
        entries = [one for one in there.split("\0") if one and one.partition("\t")[2] != name]
        return self._must("mktree", "-z", data="".join(f"{one}\0" for one in [*entries, entry])).strip()

    def _found(self, what: str) -> str:
        code, said = self._git("rev-parse", "--verify", "--quiet", what)
        return said.strip() if code == 0 else ""

    def _must(self, *words: str, data: str = "") -> str:
        code, said = self._git(*words, data=data)
        if code != 0:
            raise SandboxFailure(f"{self.name}: git {words[0]}: {_last(said)}")
        return said

    def _git(self, *words: str, data: str = "") -> tuple[int | None, str]:
        # No protocol, so that a repository that lacks objects cannot have them fetched by a program that it names.
        env = {**_environment(), "GIT_CEILING_DIRECTORIES": str(self.path.parent), "GIT_ALLOW_PROTOCOL": "none",
               "GIT_NO_LAZY_FETCH": "1"}
        return _run(["-C", str(self.path), *_SAFE, *words], data, env=env, seconds=_SECONDS)

    def _push(self, commit: str) -> str:
        """From an empty repository that borrows the objects, so that only its owner's own configuration counts."""
        address = self._must("remote", "get-url", "--push", self.remote).split("\n")[0]
        local = address.startswith(("/", "./", "../", "file://"))
        objects = self._must("rev-parse", "--path-format=absolute", "--git-path", "objects").strip()
        if not local and not re.match(r"https://|ssh://|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:", address):
            raise SandboxFailure(f"{self.name}: {self.remote} is no address that is pushed to (https, ssh or a path)")
        # The remote end of a path runs here, as we do, and would start what its own configuration names.
        other = (f"--receive-pack={_RECEIVE}",) if local else ()
        own = {name: os.environ[name] for name in _OWN if name in os.environ}
        env = {**_environment(), **own, "GIT_ALLOW_PROTOCOL": "https:ssh:file"}
        with _scratch() as folder:
            self._clean("init", "--quiet", "--bare", "--template=", str(folder), env=env)
            (folder / "objects/info").mkdir(exist_ok=True)
            (folder / "objects/info/alternates").write_text(f"{objects}\n")
            self._clean("-C", str(folder), "-c", "core.hooksPath=/dev/null", "push", "--quiet", "--no-verify", *other,
                        "--", self._from_here(address), f"{commit}:{self._ref}", env=env)
        return f"pushed to {self.remote}"

    def _from_here(self, address: str) -> str:
        return str(self.path / address) if address.startswith(("./", "../")) else address

    def _clean(self, *words: str, env: dict[str, str]) -> None:
        code, said = _run(words, "", env=env, seconds=_PUSH_SECONDS)
        if code != 0:
            raise SandboxFailure(f"{self.name}: push: {_last(said) if code is not None else 'took too long'}")


def _run(words: Sequence[str], data: str, *, env: dict[str, str], seconds: float) -> tuple[int | None, str]:
    program = shutil.which("git")
    if program is None:
        raise SandboxFailure("checkpoint: git is not installed here (apt-get install git)")
    return hand([program, *words], data.encode(), seconds=seconds, env=env, most_output=_MOST_OUTPUT)


def _environment() -> dict[str, str]:
    """Ours, without what would lead git elsewhere."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**own, **_WHO, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0"}


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for one push; one that a killed process left is cleared away by the next."""
    for left in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        with contextlib.suppress(OSError), _held(left):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_SCRATCH) as folder, _held(Path(folder)):
        yield Path(folder)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Ours as long as we live; an OSError where somebody else holds it, or owns it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            raise PermissionError(folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _blobs(data: bytes, ids: Sequence[str]) -> list[str]:
    """What ``cat-file --batch`` says to these, in their order."""
    found, at = [], 0
    for blob in ids:
        line, _, _ = data[at:at + 200].partition(b"\n")
        words = line.decode("ascii", "replace").split(" ")
        if words[:2] != [blob, "blob"] or not words[2].isdecimal() or int(words[2]) > MOST_NOTE:
            raise UsageError(f"git: {blob[:12]} is no checkpoint, or there are too many", field="checkpoint")
        at += len(line) + 1
        found.append(data[at:at + int(words[2])].decode("utf-8", "replace"))
        at += int(words[2]) + 1
    return found


def _last(said: str) -> str:
    return next((line for line in reversed(said.splitlines()) if line.strip()), "no answer")[:300]


def _wrong(why: str) -> UsageError:
    return UsageError(f"checkpoint: {why}", field="checkpoint")
