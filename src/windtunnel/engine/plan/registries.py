"""Where a package manager fetches from, as whoever runs Windtunnel has set it up; never as a project says.

A sandbox reaches only hosts that somebody named. Those of a registry come from the manager's own variables in this
process's environment; all others are named with the request (``allow_hosts``). Where nobody named one, an install has
no network, and its plan says so. A variable whose address holds a password is not handed on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

_VARIABLES = {
    "pip": ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"), "uv": ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX"),
    "poetry": ("PIP_INDEX_URL",), "pipenv": ("PIPENV_PYPI_MIRROR",), "pdm": ("PDM_PYPI_URL",),
    "npm": ("NPM_CONFIG_REGISTRY", "npm_config_registry"), "pnpm": ("NPM_CONFIG_REGISTRY", "npm_config_registry"),
    "yarn": ("YARN_NPM_REGISTRY_SERVER", "YARN_REGISTRY"), "bun": ("BUN_CONFIG_REGISTRY", "NPM_CONFIG_REGISTRY"),
    "go": ("GOPROXY",), "cargo": ("CARGO_REGISTRIES_CRATES_IO_INDEX", "CARGO_REGISTRY_INDEX"),
    "bundler": ("BUNDLE_MIRROR__ALL",), "composer": ("COMPOSER_REPO_PACKAGIST",),
}


def hosts_of(
    manager: str, *, allow_hosts: Sequence[str] = (), environ: Mapping[str, str] = os.environ,
) -> tuple[str, ...]:
    """All that an install of this manager may reach."""
    found = [host for name in _VARIABLES.get(manager, ()) for host in _hosts(environ.get(name, ""))]
    return tuple(dict.fromkeys((*allow_hosts, *found)))


def variables_of(manager: str, *, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that say where, to be handed on into the sandbox; without those that hold a password."""
    return {name: environ[name] for name in _VARIABLES.get(manager, ()) if environ.get(name)
            and not any(_has_password(address) for address in _addresses(environ[name]))}


def _hosts(text: str) -> list[str]:
    found = []
    for address in _addresses(text):
        try:
            parts = urlsplit(address)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and host:
            found.append(f"{host}:{port}" if port else host)
    return found


def _addresses(text: str) -> list[str]:
    """One or more, apart by spaces, commas or bars, as managers have it; cargo's begin with a word of its own."""
    words = text[:4000].replace(",", " ").replace("|", " ").split()
    return [word.removeprefix("sparse+") for word in words]


def _has_password(address: str) -> bool:
    return "@" in address.partition("://")[2].partition("/")[0]
