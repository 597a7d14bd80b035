"""What tests print, taken once for all of them instead of before and after each part of each: nobody reads it here.

What holds: a test finds ``sys.stdout`` and the descriptors below it as pytest's own capture sets them. What does not
hold: where they lead to is another kind of file. Tests that ask for their own output (``capsys`` and the like) have it
as ever, and where there is one, nothing is changed at all.
"""

from __future__ import annotations

import os
from typing import Any, Iterable, List

ASKING = frozenset({"capsys", "capsysbinary", "capfd", "capfdbinary", "capteesys", "pytester", "testdir"})
"""Fixtures that look at what is printed, or that run pytest in the same process."""
PARTS = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")


class Output:
    """Of one process and its copies."""

    def __init__(self, config: Any) -> None:
        """Nothing is changed before somebody says so."""
        self.config = config
        self.manager: Any = config.pluginmanager.getplugin("capturemanager")
        self.taken: List[Any] = []
        """Parts of a test around which pytest does not take the output by itself any more."""

    def leave(self, items: Iterable[Any]) -> bool:
        """Let it not be taken around each part of a test; whether that can be, which it cannot where a test asks."""
        if self.manager is None or any(not ASKING.isdisjoint(getattr(item, "fixturenames", ())) for item in items):
            return False
        try:
            for name in PARTS:
                getattr(self.config.hook, name)._remove_plugin(self.manager)
                self.taken.append(name)
        except (AttributeError, ValueError):
            pass  # a pytest that is made in another way: what is left takes it as ever
        return len(self.taken) == len(PARTS)

    def take(self) -> None:
        """From now on, until it is let go."""
        if self.taken:
            self.manager.resume_global_capture()

    def let_go(self) -> None:
        """As it is between tests."""
        if self.taken:
            self.manager.suspend_global_capture(in_=False)

    def drop(self) -> None:
        """Let it go nowhere, for good: copies share the file that it would go to, which only grows."""
        whole = getattr(self.manager, "_global_capturing", None) if self.taken else None
        files = [getattr(getattr(whole, name, None), "tmpfile", None) for name in ("out", "err")]
        nowhere = os.open(os.devnull, os.O_RDWR)
        for file in files:
            try:
                os.dup2(nowhere, file.fileno())  # type: ignore[union-attr]  # none, or one in memory, is left as it is
            except (AttributeError, OSError, ValueError):
                continue
        os.close(nowhere)
