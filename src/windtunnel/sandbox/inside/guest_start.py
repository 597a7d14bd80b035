"""Starts a machine on the host. Runs outside, as a script, with the standard library alone.

Enters the control groups whose entrances it is given as descriptors, so that all that follows is counted there; then
becomes bubblewrap: for a caller who is root by way of ``launch``, which leaves root for good.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel, launch
else:
    import kernel
    import launch


def main() -> None:
    """Enter, and become the next."""
    for descriptor in map(int, sys.argv[1:]):
        os.write(descriptor, b"0")
        os.close(descriptor)
    if os.geteuid() == 0:
        launch.main()
    with open(0, "rb", closefd=False) as file:
        order = marshal.loads(file.read())
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    kernel.libc.prctl(kernel.PR_SET_PDEATHSIG, kernel.SIGKILL, 0, 0, 0)
    os.execv(order["argv"][0], order["argv"])


if __name__ == "__main__":
    main()
