"""Lays an overlay over a project for a container. Runs on the host as root, as a script, with the standard library.

Reads one marshalled order from standard input: ``project``, ``uid`` (who the project's owner is shown as), ``lower``,
``upper``, ``work`` and ``merged`` (folders of our own). The mounts stay until the supervisor, its guardian or the next
supervisor takes them away.
"""

from __future__ import annotations

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
    from windtunnel.sandbox.inside.launch import bind_mapped
else:
    import kernel
    from launch import bind_mapped

_OPEN = os.O_PATH | os.O_CLOEXEC


def main() -> None:
    """Bind the project with its owner mapped, then mount; paths go in as descriptors, so none can add an option."""
    with open(0, "rb", closefd=False) as file:
        order = marshal.loads(file.read())
    project = os.open(order["project"], _OPEN | os.O_DIRECTORY)
    bind_mapped(project, order["lower"], uid=order["uid"])
    folders = [os.open(order[name], _OPEN) for name in ("lower", "upper", "work")]
    options = b"lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr" % tuple(folders)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOATIME
    kernel.mount(b"overlay", order["merged"].encode(), b"overlay", flags, options)


if __name__ == "__main__":
    main()
