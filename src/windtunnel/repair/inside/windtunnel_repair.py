"""Judges proposals of fixes: tests are collected once, and each proposal is tried in a copy of that process.

This process has the test runner loaded and nothing of the project; it decides what is tried, and its sealed records are
all that is believed. It takes orders on its standard input until that ends.
What holds against a hostile proposal: it cannot send a record, look into the processes that decide or wait, or leave
files of the project changed for the next one. What does not hold: tests and code run in one process, so a proposal can
have its own tests pass, as any code can; whoever calls this proves a proposal by a trial before it is offered.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import socket
import sys
import zlib
from typing import Any, Dict, List, Optional

MOST_FILE, MOST_FILES, MOST_BYTES = 4 * 1024**2, 20_000, 256 * 1024**2
PIECE = 3000
ASKING_SECONDS = 30.0
LITTER = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", ".tox", ".nox", "__pycache__"})


class Desk:
    """Takes orders and tells."""

    def __init__(self, send: Any, seal: Any, *, orders: int) -> None:
        """``orders`` is where they come in."""
        from windtunnel_repair_code import Sources  # type: ignore[import-not-found]  # lies beside this file when it runs
        from windtunnel_repair_copies import Copies  # type: ignore[import-not-found]  # the same

        self.send, self.seal, self.orders = send, seal, orders
        self.options: Dict[str, Any] = seal.options()
        self.sources = Sources(_project_files(os.path.realpath(os.getcwd())))
        self.copies = Copies(self.wait_bare)
        self.tree: Any = None
        self.rest = b""
        self.lines: List[bytes] = []
        self.ended = False

    def wait_bare(self, orders: socket.socket) -> None:
        """What the first one that waits does; in a copy."""
        from windtunnel_repair_shop import Shop  # type: ignore[import-not-found]  # the same

        os.setpgid(0, 0)
        _silence()
        options = self.options
        tests_of = __import__("windtunnel_repair_" + options["runner"]).Tests
        shop = Shop(self.sources, orders, memory=options["memory"], collect_seconds=options["collect_seconds"])
        shop.tests = tests_of(shop.ready, shop.collected)
        shop.take(shop.serve())
        self.seal.hide(self.options["runner"])
        self.seal.open_paths(current=self.options["module"] or self.options["runner"] == "unittest")
        sys.argv = [self.options["runner"], *self.options["args"]]
        with contextlib.suppress(BaseException):
            shop.tests.start(list(self.options["args"]))
        if shop.answer is not None:
            shop.answer.end(error="it does not load: the tests could not be collected")
        os._exit(1)

    def run(self) -> int:
        """Until nobody orders any more."""
        self.send("begin", tool=self.options["runner"], version=sys.version.split()[0])
        while True:
            line = self._next()
            if line is None:
                break
            order = json.loads(line)
            if order["do"] == "ask":
                self._ask(order)
            elif order["do"] == "wave":
                self._wave(order)
        self.copies.finish()
        self.send("end", exit=0, count=0, stopped="")
        return 0

    def _ask(self, order: Dict[str, Any]) -> None:
        """Have the collected process do something in a copy, and tell all that it said."""
        made = self.copies.start(
            "shop", order["order"], most=order.get("most", 64 * 1024**2), slack=order.get("slack", ASKING_SECONDS))
        while made.number in self.copies.under_way and not self._gone():
            self.copies.wait()
        self._keep_files()
        data = json.dumps({"words": made.words, "whole": made.whole, "end": made.end}).encode()
        text = base64.b64encode(zlib.compress(data, 1)).decode()
        pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
        for number, piece in enumerate(pieces):
            self.send("piece", ask=order["id"], number=number, of=len(pieces), text=piece)

    def _keep_files(self) -> None:
        """The project as it is once its tests are collected; what came after that goes again."""
        from windtunnel_repair_tree import Tree  # type: ignore[import-not-found]  # the same

        self.copies.sweep()
        if self.tree is None:
            self.tree = Tree(os.getcwd())
        else:
            self.tree.restore()

    def _wave(self, order: Dict[str, Any]) -> None:
        from windtunnel_repair_wave import Wave  # type: ignore[import-not-found]  # the same

        self._keep_files()
        root = os.path.realpath(os.getcwd())
        order["proposals"] = [[[os.path.join(root, path), start, end, new] for path, start, end, new in splices]
                              for splices in order["proposals"]]
        self.wave = order["id"]
        ended = Wave(self.copies, self.tree, self.sources.files, order).run(self._tell, self._stopped)
        self._keep_files()
        lost = sorted(self.tree.lost)[:5]
        self.send("over", wave=order["id"], why=ended, lost=[os.path.basename(path)[:200] for path in lost])

    def _tell(self, trial: Any) -> None:
        self.send("judged", wave=self.wave, **trial.report())

    def _stopped(self) -> bool:
        """Whether somebody says so, or nobody is there any more; the only thing that is said during a wave."""
        if self._gone():
            return True
        stops = [line for line in self.lines if json.loads(line).get("do") == "stop"]
        self.lines = [line for line in self.lines if line not in stops]
        return any(json.loads(line).get("id") == self.wave for line in stops)

    def _gone(self) -> bool:
        """Whether nobody is there any more."""
        self._read(wait=False)
        return self.ended

    def _next(self) -> Optional[bytes]:
        while not self.lines and not self.ended:
            self._read(wait=True)
        return self.lines.pop(0) if self.lines else None

    def _read(self, *, wait: bool) -> None:
        if self.ended or not select.select([self.orders], [], [], None if wait else 0)[0]:
            return
        data = os.read(self.orders, 1 << 16)
        self.ended = not data
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.lines += lines


def main() -> int:
    """Serve; the exit code says whether it came to its end."""
    orders = os.dup(0)  # nobody else inherits it
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same
    from windtunnel_repair_words import PR_SET_DUMPABLE, control  # type: ignore[import-not-found]  # the same

    send: Any = seal.sender((sys.modules[__name__],))
    desk = Desk(send, seal, orders=orders)
    for name in ("shop", "wave", "tree", desk.options["runner"]):
        __import__("windtunnel_repair_" + name)
    del sys.path[0]
    control(PR_SET_DUMPABLE, 0)
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    return desk.run()


def _project_files(root: str) -> Dict[str, bytes]:
    """All Python files of the project, as they are now; links are not followed."""
    found: Dict[str, bytes] = {}
    room = MOST_BYTES
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in LITTER and not os.path.islink(os.path.join(folder, name))]
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".py") and os.path.isfile(path) and not os.path.islink(path) and len(found) < MOST_FILES \
                    and os.path.getsize(path) <= min(room, MOST_FILE):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    found[path] = file.read()
                    room -= len(found[path])
    return found


def _silence() -> None:
    """What the project prints goes nowhere: the way out is for records alone."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
