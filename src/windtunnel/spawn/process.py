"""Starting processes from any thread.

A process that must die with us is tied by the kernel to the *thread* that started it, so all are started by one
thread that lives as long as the interpreter.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from windtunnel.core.errors import SandboxFailure

_T = TypeVar("_T")
_tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
_keeper: threading.Thread | None = None
_keeper_lock = threading.Lock()


def keeper_call(task: Callable[[], _T]) -> _T:
    """Do the task on the thread that never ends, and return what it returns."""
    _ensure_keeper()
    future: Future[_T] = Future()
    _tasks.put((future, task))
    return future.result()


def _ensure_keeper() -> None:
    global _keeper  # noqa: PLW0603 -- one thread for the whole interpreter, by nature
    with _keeper_lock:
        if _keeper is None or not _keeper.is_alive():
            _keeper = threading.Thread(target=_keep, name="windtunnel-keeper", daemon=True)
            _keeper.start()


def _keep() -> None:
    while True:
        future, task = _tasks.get()
        try:
            future.set_result(task())
        except BaseException as error:  # noqa: BLE001 -- raised again where the task was asked for
            future.set_exception(error)


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


def ask(
    argv: Sequence[str], *, seconds: float = 10.0, env: Mapping[str, str] | None = None, uid: int | None = None,
) -> tuple[int, str]:
    """Exit code and joined output of a short trusted command; 127 when it cannot start, 124 when it takes too long."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
            env=None if env is None else dict(env), user=uid, group=uid, extra_groups=None if uid is None else [],
            check=False)
    except subprocess.TimeoutExpired:
        return 124, f"no answer within {seconds:g} seconds"
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout.decode("utf-8", "replace")
