"""What the tests of the watch look at."""

import select
from pathlib import Path


def dead(pidfd, *, seconds=0.0):
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def descriptors():
    """The open descriptors of this process, without the one that looks."""
    return {path.name for path in Path("/proc/self/fd").iterdir() if path.exists() or path.is_symlink()}
