"""The minimal root of a sandbox: which host paths it is made of, and the small files it needs of its own.

Never the host's root: programs and libraries of the distribution, what the language's toolchain names, and a
handful of neutral files in /etc. Nothing of /home, /root, /var, /srv, /opt or the rest of /etc.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

_COMMON = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libexec", "/usr/share/zoneinfo",
           "/etc/ld.so.cache", "/etc/alternatives")
_MERGED = ("/bin", "/sbin", "/lib", "/lib64", "/lib32")
_CERTIFICATES = ("/etc/ssl/certs", "/usr/share/ca-certificates", "/etc/pki/tls/certs")
_RESOLVER = ("/etc/resolv.conf", "/etc/hosts")
UID = 1000
FOLDERS = ("/tmp", "/sandbox", "/run", "/workspace", "/usr/local/bin")  # noqa: S108 -- inside the sandbox

ETC = {
    "passwd": f"root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nsandbox:x:{UID}:{UID}::/tmp:/bin/sh\n",
    "group": f"root:x:0:\nsandbox:x:{UID}:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "hostname": "sandbox\n",
    "protocols": "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
    "services": "http 80/tcp\nhttps 443/tcp\ndomain 53/udp\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """What to bind and link, as data."""

    binds: tuple[tuple[str, str], ...]
    """(host path, path inside), all read-only."""
    links: tuple[tuple[str, str], ...]
    """(target, path inside)."""
    files: tuple[tuple[str, str], ...]
    """(content, path inside)."""


def minimal_root(paths: Iterable[str], *, host_network: bool, certificates: bool) -> Root:
    """The root for a toolchain that needs these paths."""
    wanted = [*_COMMON, *paths]
    if certificates:
        wanted += _CERTIFICATES
    if host_network:
        wanted += _RESOLVER
    binds = _outermost((os.path.realpath(path), path) for path in wanted if os.path.exists(path))  # noqa: PTH110
    links, extra = _top_level()
    etc = {f"/etc/{name}": text for name, text in ETC.items()} | {"/etc/resolv.conf": ""}  # as if there were none
    taken = {inside for _, inside in binds}
    files = tuple((text, path) for path, text in etc.items() if path not in taken)
    return Root(binds=(*binds, *extra), links=links, files=files)


def _outermost(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Without those that another of them already covers at the same place."""
    kept: dict[str, str] = {}
    for source, inside in sorted(set(pairs), key=lambda pair: (pair[1].count("/"), pair[1])):
        cover = next((top for top in kept if inside == top or inside.startswith(top + "/")), None)
        if cover is None or os.path.realpath(kept[cover] + inside[len(cover):]) != source:
            kept[inside] = source
        elif not f"{source}/".startswith(f"{kept[cover]}/"):
            kept.setdefault(source, source)  # a link that leads out of the folder: show where it leads to
    return tuple((source, inside) for inside, source in kept.items())


def _top_level() -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """/bin, /lib and their like: links where the host has links, binds where it has folders."""
    links, binds = [], []
    for path in _MERGED:
        if os.path.islink(path):  # noqa: PTH114
            links.append((os.readlink(path), path))  # noqa: PTH115
        elif os.path.isdir(path):  # noqa: PTH112
            binds.append((path, path))
    return tuple(links), tuple(binds)
