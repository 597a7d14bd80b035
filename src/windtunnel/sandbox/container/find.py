"""Which engine this machine has, and how to speak to it: never another than the one that was named."""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.engine import Engine
from windtunnel.sandbox.container.socket_engine import SocketEngine

ENGINES = ("docker", "podman")
INSTALL = {
    "docker": "apt-get install docker.io tini, and start it: systemctl start docker",
    "podman": "apt-get install podman catatonit",
    "docker init": "apt-get install tini", "podman init": "apt-get install catatonit",
}
"""What makes each engine ready."""


def find_engine(name: str | None = None, *, sdk: bool = True, env: Mapping[str, str] | None = None) -> Engine:
    """The named engine, or the first that answers; by its socket where the ``docker`` package is, else by command."""
    if name is not None and name not in ENGINES:
        raise UsageError(f"engine: {name!r} is not one of {', '.join(ENGINES)}", field="engine")
    refused = []
    for engine in candidates((name,) if name else ENGINES, sdk=sdk, env=os.environ if env is None else env):
        try:
            engine.facts()
        except IsolationUnavailable as error:
            refused.append(str(error))
        else:
            return engine
    said = "; ".join(dict.fromkeys(refused))
    raise IsolationUnavailable(
        f"no container engine can be used: {said} (start it)" if said else
        f"no container engine is installed ({INSTALL[name] if name else ' or '.join(INSTALL[one] for one in ENGINES)})")


def candidates(names: Sequence[str], *, sdk: bool, env: Mapping[str, str]) -> list[Engine]:
    """Every way to speak to these engines that this machine seems to have, best first."""
    found: list[Engine] = []
    for name in names:
        if sdk and importlib.util.find_spec("docker") is not None:
            found += [SocketEngine(f"unix://{path}", name=name) for path in sockets(name, env) if _is_socket(path)]
        program = shutil.which(name, path=env.get("PATH", os.defpath))
        if program:
            found.append(CommandEngine(name, program=program))
    return found


def sockets(name: str, env: Mapping[str, str]) -> list[str]:
    """Where the engine listens: where its variable says, else the usual places; our own user's first."""
    variable = "DOCKER_HOST" if name == "docker" else "CONTAINER_HOST"
    given = env.get(variable, "")
    if given:
        return [given.removeprefix("unix://")] if given.startswith("unix://") else []
    own = env.get("XDG_RUNTIME_DIR", f"/run/user/{os.geteuid()}")
    if name == "docker":
        return ["/var/run/docker.sock", f"{own}/docker.sock"]
    return ["/run/podman/podman.sock", f"{own}/podman/podman.sock"] if os.geteuid() == 0 else [
        f"{own}/podman/podman.sock"]


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(Path(path).stat().st_mode)
    except OSError:
        return False
