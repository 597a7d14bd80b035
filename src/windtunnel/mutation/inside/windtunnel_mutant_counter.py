"""A process that waits for orders, and makes a copy of itself for each."""



from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
from typing import Any, Dict, List, Tuple

from windtunnel_mutant_items import Items  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_plugin import Plugin  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_watch import Watch  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_words import Answer, receive_descriptors  # type: ignore[import-not-found]  # the same


class Counter(Plugin, Items):  # type: ignore[misc]  # they lie beside this file when it runs
    """Where orders are taken."""

    def __init__(self, orders: socket.socket, sources: Any, options: Dict[str, Any]) -> None:
        """``orders`` come from the process that knows nothing of the project."""
        Plugin.__init__(self)
        Items.__init__(self)
        self.root = os.getcwd()
        self.orders, self.sources, self.mutants, self.memory = orders, sources, options["mutants"], options["memory"]

    def serve(self) -> None:
        """Until nobody orders any more."""
        wake, bell = os.pipe()
        os.set_blocking(bell, False)
        signal.set_wakeup_fd(bell)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(self.orders, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == wake:
                    os.read(wake, 512)
                elif not self._take((wake, bell)):
                    return
            self._reap()

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._say({"ended": pid, "status": status})

    def _say(self, word: Dict[str, Any]) -> None:
        self.orders.send(json.dumps(word).encode())

    def _take(self, bells: Tuple[int, int]) -> bool:
        """The next order; ``bells`` are of no use in a copy."""
        data, descriptors = receive_descriptors(self.orders, 2)
        if not data:
            return False
        descriptor, letter = descriptors
        with os.fdopen(letter, "rb") as file:
            file.seek(0)
            order = json.load(file)
        with contextlib.suppress(Exception):
            self.before(order)
        try:
            pid = os.fork()
        except OSError:
            pid = -1  # no more processes may be made: the other side makes room
        if pid == 0:
            signal.set_wakeup_fd(-1)
            for descriptor_of_ours in bells:
                os.close(descriptor_of_ours)
            self.orders.close()
            os.setpgid(0, 0)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._obey(order, Answer(descriptor))
        os.close(descriptor)
        self._say({"begun": order["number"], "pid": pid} if pid > 0 else {"refused": order["number"]})
        return True

    def before(self, order: Dict[str, Any]) -> None:
        """What an order asks of this process itself, so that all copies made later have it."""

    def _obey(self, order: Dict[str, Any], answer: Answer) -> None:
        """In a copy; does not return."""
        raise NotImplementedError


def note_writes(answer: Answer, folder: str) -> None:
    """Let the answer say whether the project's files were changed in this process."""
    watch, end = Watch(os.getcwd(), folder), answer.end

    def last(fate: str, **more: Any) -> None:
        answer.wrote = watch.wrote
        end(fate, **more)

    answer.end = last


def _forget_folder(items: List[Any]) -> None:
    """The folder that pytest made for its temporary files is another one in each copy."""
    factory = getattr(items[0].config, "_tmp_path_factory", None) if items else None
    if factory is not None and getattr(factory, "_given_basetemp", None) is None:
        factory._basetemp = None
