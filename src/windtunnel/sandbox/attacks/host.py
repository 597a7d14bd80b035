"""The host's side of one attack: canaries, doors, a victim, and what was seen; all of it removed afterwards."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import USUAL
from windtunnel.sandbox.attacks.listeners import Listeners
from windtunnel.sandbox.attacks.posture import Posture
from windtunnel.spawn import converse, handles

FOLDER_PREFIX = "windtunnel-host-"
SECRET_NAME = "WINDTUNNEL_SELFCHECK_SECRET"  # noqa: S105 -- the name of a planted variable, not a password
_VICTIM = """\
import os, sys
print(os.open(sys.argv[2], os.O_RDONLY), flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Canary:
    """A file with random content that no program should be able to repeat."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Victim:
    """A process of the host's own with a secret in its environment, its command line and a descriptor."""

    process: handles.Popen[bytes]
    secret: str
    descriptor: int

    @property
    def alive(self) -> bool:
        """Whether nobody ended it."""
        return self.process.poll() is None


@dataclass(frozen=True, slots=True)
class Said:
    """What the program reported, and whether it got to its end."""

    did: dict[str, str]
    refused: dict[str, str]
    done: bool


class Host:
    """Makes each thing when first asked for; leaving the context removes them and ends the attack's processes."""

    def __init__(self, limits: Limits = USUAL) -> None:
        """Choose the token by which the attack's processes are known."""
        self.token = f"wt{secrets.token_hex(5)}"
        self.limits = limits
        self.posture: Posture | None = None
        self.peak_processes = 0
        self.reached_in: bool | None = None
        self.elapsed = 0.0
        self.planted: tuple[str, ...] = ()
        self.port = 0
        self.memory_before = 0
        self.run_beside: Callable[[], None] = _nothing
        self.beside: ExecutionResult | None = None
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        """Take the stage."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind."""
        processes.end(self.token)
        self._cleanup.close()

    def remove_afterwards(self, path: str) -> None:
        """Promise that the path is gone after the attack, whatever the program made of it."""
        self._cleanup.callback(_remove, path)

    def folder_in(self, parent: str, *, mode: int = 0o755) -> str:
        """A new folder that every user may enter, so that only the sandbox can refuse."""
        path = tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=parent)
        self.remove_afterwards(path)
        Path(path).chmod(mode)
        return path

    @cached_property
    def folder(self) -> str:
        """The private folder of this attack."""
        return self.folder_in(tempfile.gettempdir())

    def canary(self, name: str = "canary", *, mode: int = 0o644, folder: str | None = None) -> Canary:
        """A new file of random content."""
        canary = Canary(str(Path(folder or self.folder, name)), secrets.token_hex(16))
        Path(canary.path).write_text(canary.content, encoding="ascii")
        Path(canary.path).chmod(mode)
        return canary

    @cached_property
    def secret(self) -> str:
        """A random value in our own environment, for as long as the attack lasts."""
        value = secrets.token_hex(16)
        os.environ[SECRET_NAME] = value
        self._cleanup.callback(os.environ.pop, SECRET_NAME, None)
        return value

    @cached_property
    def private(self) -> Canary:
        """A file that only its owner may read."""
        return self.canary("private", mode=0o600)

    @cached_property
    def leaked(self) -> Canary:
        """A file that stays open in our process on an inheritable descriptor, as a careless caller leaves it."""
        canary = self.canary("leaked", mode=0o600)
        descriptor = os.open(canary.path, os.O_RDONLY)
        self._cleanup.callback(os.close, descriptor)
        os.set_inheritable(descriptor, True)  # noqa: FBT003 -- the standard library's own signature
        return canary

    @cached_property
    def listeners(self) -> Listeners:
        """Doors that count who knocks."""
        path = str(Path(self.folder, "door"))
        listeners = Listeners(path=path, abstract=f"{self.token}-door")
        self._cleanup.callback(listeners.close)
        Path(path).chmod(0o777)
        return listeners

    @cached_property
    def victim(self) -> Victim:
        """A process that waits on its standard input, so it ends with us even when we are killed."""
        secret = secrets.token_hex(16)
        process = converse(
            [sys.executable, "-I", "-S", "-c", _VICTIM, f"{self.token}-victim:{secret}", self.private.path],
            cwd=self.folder, env={SECRET_NAME: secret})
        self._cleanup.callback(_end, process)
        assert process.stdout is not None
        return Victim(process, secret, int(process.stdout.readline()))

    def said(self, result: ExecutionResult) -> Said:
        """The program's own report, read from the lines that carry the token."""
        did: dict[str, str] = {}
        refused: dict[str, str] = {}
        done = False
        for line in result.stdout.splitlines():
            words = line.split(" ", 3)
            if words[0] != self.token:
                continue
            done = done or words[1:2] == ["done"]
            if len(words) > 2 and words[1] in ("did", "refused"):  # noqa: PLR2004 -- token, verb, label
                (did if words[1] == "did" else refused)[words[2]] = words[3] if words[3:] else ""
        return Said(did, refused, done)


def _nothing() -> None:
    pass


def _end(process: handles.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        if Path(path).is_dir() and not Path(path).is_symlink():
            for folder, names, _ in os.walk(path):
                for name in names:
                    _open_up(Path(folder, name))
            shutil.rmtree(path)
        else:
            Path(path).unlink()


def _open_up(path: Path) -> None:
    # A link is left alone: the program may have pointed it at a folder of the host.
    if not path.is_symlink():
        path.chmod(0o700)
