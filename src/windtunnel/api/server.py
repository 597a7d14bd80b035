"""The intelligent sandbox's own door: ``IntelligentSandboxMCPServer``, its tools as methods."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from windtunnel.config.described import load_described
from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.keys import ALL, Caller, KeyRefused
from windtunnel.store.keys import REFUSAL
from windtunnel.store.papers import Papers
from windtunnel.tunnel import Tunnel

if TYPE_CHECKING:
    from windtunnel.tools.places import Places

_PREFIX = "_tool_"
_KEY = "api_key"
AUTH_FILE = "sandbox_auth.json"


class IntelligentSandboxMCPServer:
    """Every tool of the table as ``_tool_NAME(arguments, context)``: a dictionary in, a dictionary out.

    Where a ``sandbox_auth.json`` stands in the current folder, or keys were made, ``api_key`` must be a good one; else
    it is whoever runs this. An error is an answer too: ``{"success": False, "error": {…}}``. For clients that speak the
    protocol itself there are ``windtunnel mcp`` and ``windtunnel serve``.
    """

    def __init__(
        self, auth_file: str | os.PathLike[str] | None = None, *, tunnel: Tunnel | None = None,
        roots: tuple[str | os.PathLike[str], ...] = (),
    ) -> None:
        """``roots`` are the folders whose projects may be named; without any, all that this user may read."""
        from windtunnel.tools.places import Places  # noqa: PLC0415 -- beside the tools, which need the extra ``server``

        if importlib.util.find_spec("pydantic") is None:
            raise UsageError("server: pydantic is not installed (pip install 'windtunnel[server]')")
        described = self._described = load_described()
        self.tunnel = tunnel or Tunnel(described.settings, level=described.level)
        self._keys = self.tunnel.keys
        named = Path(auth_file) if auth_file is not None else Path(AUTH_FILE)
        if auth_file is not None or named.exists():
            self._keys.adopt(named)
        settings = self.tunnel.settings
        self._places: Places = Places(roots=tuple(map(Path, roots)) or (Path("/"),),
                                      private=(settings.state_dir, settings.cache_dir))
        self._papers = Papers(settings.state_dir / "papers.db")

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        """A tool by its described name."""
        from windtunnel.tools.table import TABLE  # noqa: PLC0415 -- needs the extra ``server``

        tool = TABLE.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
        if tool is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return lambda arguments, context=None: self.call(tool.name, arguments, context)

    def call(self, name: str, arguments: Mapping[str, Any], _: object = None) -> dict[str, Any]:
        """One tool; ``api_key`` among the arguments says who asks."""
        from windtunnel.tools.calling import call, failure_of  # noqa: PLC0415 -- needs the extra ``server``
        from windtunnel.tools.row import Context  # noqa: PLC0415
        from windtunnel.tools.table import TABLE  # noqa: PLC0415

        given = {key: value for key, value in arguments.items() if key != _KEY}
        try:
            caller = self._caller(arguments.get(_KEY))
            context = Context(tunnel=self.tunnel.acting(caller.user, caller.roles), caller=caller, places=self._places,
                              papers=self._papers, hosts=self._described.allowed_hosts,
                              tasks=self._described.concurrent_tasks)
            return {"success": True} | call(TABLE[name], context, given)
        except WindtunnelError as error:
            return {"success": False, "error": failure_of(error).plain()}

    def _caller(self, key: object) -> Caller:
        if not self._keys.store.any():
            return Caller(user=self.tunnel.acts_for, roles=("admin",), permissions=frozenset({ALL}))
        if not isinstance(key, str):
            raise KeyRefused(REFUSAL, field="key")
        return self._keys.store.check(key)

    def close(self) -> None:
        """End all that waits."""
        self._keys.close()
        self._papers.close()
        self.tunnel.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()
