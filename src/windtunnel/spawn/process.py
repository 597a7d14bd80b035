"""Starting processes from any thread.

A process that must die with us is tied by the kernel to the *thread* that started it, so all are started by one
thread that lives as long as the interpreter.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, TypeVar

from windtunnel.core.errors import SandboxFailure

_T = TypeVar("_T")


class _Task:
    """Something to do on the keeper, and what came of it."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act
        self.done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None

    def do(self) -> None:
        try:
            self.value = self.act()
        except BaseException as error:  # noqa: BLE001 -- raised again where the task was asked for
            self.error = error
        self.done.set()


_tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
_keeper: threading.Thread | None = None
_keeper_lock = threading.Lock()


def keeper_call(act: Callable[[], _T]) -> _T:
    """Do it on the thread that never ends, and return what it returns."""
    global _keeper  # noqa: PLW0603 -- one thread for the whole interpreter, by nature
    with _keeper_lock:
        if _keeper is None:
            _keeper = threading.Thread(target=_keep, name="windtunnel-keeper", daemon=True)
            _keeper.start()
    task = _Task(act)
    _tasks.put(task)
    task.done.wait()
    if task.error is not None:
        raise task.error
    value: _T = task.value
    return value


def _keep() -> None:
    while True:
        _tasks.get().do()


def _forget_keeper() -> None:
    global _keeper, _keeper_lock, _tasks
    _keeper, _keeper_lock, _tasks = None, threading.Lock(), queue.SimpleQueue()


os.register_at_fork(after_in_child=_forget_keeper)


def start(
    argv: Sequence[str], *, pass_fds: Sequence[int] = (), stdin: int = subprocess.DEVNULL, output: int,
    env: Mapping[str, str],
) -> subprocess.Popen[bytes]:
    """Start a long-lived process that dies with us; both its output streams go to one descriptor."""

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv, pass_fds=pass_fds, stdin=stdin, stdout=output, stderr=output, env=dict(env), start_new_session=True)

    try:
        return keeper_call(begin)
    except OSError as error:
        raise SandboxFailure(f"cannot start {argv[0]}: {error.strerror}") from error


def converse(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], leak: bool = False, session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a process that is spoken to over three pipes; it is not tied to us, so the caller must end it.

    With ``leak`` it gets every inheritable descriptor of ours as well; only a run without walls wants that. In a
    ``session`` of its own it does not hear of an interruption from our terminal.
    """
    try:
        return subprocess.Popen(
            argv, cwd=cwd, env=dict(env), close_fds=not leak, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=session)
    except OSError as error:
        raise SandboxFailure(f"cannot start {argv[0]}: {error.strerror}") from error


def start_group(argv: Sequence[str], *, env: Mapping[str, str], mask: Iterable[int]) -> int:
    """Start a program in a process group of its own, with our output and no input; it is not tied to us."""
    nothing = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    try:
        return os.posix_spawnp(
            argv[0], list(argv), env, file_actions=nothing, setpgroup=0, setsigmask=mask, setsigdef=[signal.SIGPIPE])
    except OSError as error:
        raise SandboxFailure(f"cannot start {argv[0]}: {error.strerror}") from error


def ask(
    argv: Sequence[str], *, seconds: float = 10.0, env: Mapping[str, str] | None = None, uid: int | None = None,
    stdin: IO[bytes] | None = None, join: bool = True,
) -> tuple[int, str]:
    """Exit code and joined output of a short trusted command; 127 when it cannot start, 124 when it takes too long.

    Without ``join`` the errors are the answer of a command that failed, and are left out of that of one that did not.
    """
    try:
        done = subprocess.run(
            argv, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if join else subprocess.PIPE, timeout=seconds,
            env=None if env is None else dict(env), user=uid, group=uid, extra_groups=None if uid is None else [],
            check=False)
    except subprocess.TimeoutExpired:
        return 124, f"no answer within {seconds:g} seconds"
    except OSError as error:
        return 127, str(error)
    said = done.stderr if done.returncode and not join else done.stdout
    return done.returncode, said.decode("utf-8", "replace")
