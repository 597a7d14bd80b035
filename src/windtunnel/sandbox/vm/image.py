"""Read-only disk images in the EROFS format, written here: no root, no mount, no other tool, no copy of the tree.

Nothing is compressed, because unpacking under emulation costs more than reading. Everything belongs to one user.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from windtunnel.sandbox.rootfs import Entry

BLOCK = 4096
_SLOT = 32
_INODE = 64
_MAGIC = 0xE0F5E1E2
_EXTENDED_PLAIN = 1
"""Inode format: the long form, with its data in whole blocks."""
_TYPES = {"file": (stat.S_IFREG, 1), "folder": (stat.S_IFDIR, 2), "link": (stat.S_IFLNK, 7)}
_FIRST_SLOT = _INODE // _SLOT
"""Number zero would read as "no file"."""


@dataclass(slots=True, kw_only=True)
class _Node:
    entry: Entry
    number: int
    children: dict[bytes, _Node] = field(default_factory=dict)
    listing: bytes = b""
    block: int = 0

    @property
    def slot(self) -> int:
        return self.number * _INODE // _SLOT

    @property
    def size(self) -> int:
        return len(self.listing) if self.entry.kind == "folder" else self.entry.size

    @property
    def links(self) -> int:
        below = sum(child.entry.kind == "folder" for child in self.children.values())
        return 2 + below if self.entry.kind == "folder" else 1


def write_image(entries: Iterable[Entry], path: Path, *, owner: int = 0, device_bytes: int = 0) -> None:
    """An image of the tree, every folder before what is in it; the file is padded with a hole to ``device_bytes``.

    A file that shrinks while it is read is padded with zeros, one that grows is cut: the sizes were promised before.
    """
    nodes = _tree(entries)
    blocks = _lay_out(nodes)
    with path.open("xb") as file:
        _write_head(file, nodes, blocks=blocks, owner=owner)
        for node in nodes:
            if node.size:
                file.seek(node.block * BLOCK)
                _write_content(file, node)
        file.truncate(max(blocks * BLOCK, device_bytes))


def _tree(entries: Iterable[Entry]) -> list[_Node]:
    """All nodes, the root first, each with its number."""
    root = _Node(entry=Entry(path="/", kind="folder", mode=0o755), number=1)
    nodes = [root]
    folders = {"": root}
    for entry in entries:
        above, _, name = entry.path.rstrip("/").rpartition("/")
        node = _Node(entry=entry, number=len(nodes) + 1)
        nodes.append(node)
        folders[above].children[os.fsencode(name)] = node
        if entry.kind == "folder":
            folders[entry.path.rstrip("/")] = node
    for path, node in folders.items():
        node.listing = _listing(node, above=folders[path.rpartition("/")[0]] if path else root)
    return nodes


def _listing(node: _Node, *, above: _Node) -> bytes:
    """The names of a folder in whole blocks, sorted, because the kernel searches them by halving."""
    names = {b".": node, b"..": above} | node.children
    blocks: list[list[bytes]] = [[]]
    room = BLOCK
    for name in sorted(names):
        if len(name) + 12 > room:
            blocks.append([])
            room = BLOCK
        blocks[-1].append(name)
        room -= len(name) + 12
    made = [_names_block(block, names) for block in blocks]
    return b"".join(block.ljust(BLOCK, b"\0") for block in made[:-1]) + made[-1]


def _names_block(block: list[bytes], names: dict[bytes, _Node]) -> bytes:
    head, offset = b"", 12 * len(block)
    for name in block:
        head += struct.pack("<QHBx", names[name].slot, offset, _TYPES[names[name].entry.kind][1])
        offset += len(name)
    return head + b"".join(block)


def _lay_out(nodes: list[_Node]) -> int:
    """Give each node its blocks, after the superblock and all inodes; the number of blocks in all."""
    block = 1 + -(-(len(nodes) + 1) * _INODE // BLOCK)
    for node in nodes:
        node.block = block
        block += -(-node.size // BLOCK)
    return block


def _write_head(file: BinaryIO, nodes: list[_Node], *, blocks: int, owner: int) -> None:
    inodes = b"".join(_inode(node, owner) for node in nodes)
    content = zlib.crc32(inodes).to_bytes(4, "little") * 4
    file.seek(1024)
    file.write(struct.pack(
        "<IIIBBHQQIIII16s16sIHHH38x", _MAGIC, 0, 0, 12, 0, nodes[0].slot, len(nodes), 0, 0, blocks, 1, 0, content,
        b"windtunnel", 0, 0, 0, 0))
    file.seek(BLOCK + _FIRST_SLOT * _SLOT)
    file.write(inodes)


def _inode(node: _Node, owner: int) -> bytes:
    entry = node.entry
    seconds, fraction = divmod(max(0, entry.modified_ns), 10**9)
    return struct.pack(
        "<HHHHQIIIIQII16x", _EXTENDED_PLAIN, 0, _TYPES[entry.kind][0] | entry.mode, 0, node.size, node.block,
        node.number, owner, owner, seconds, fraction, node.links)


def _write_content(file: BinaryIO, node: _Node) -> None:
    if node.entry.kind == "folder":
        file.write(node.listing)
        return
    with node.entry.open() as content:
        _copy(content, file, node.size)


def _copy(content: BinaryIO, file: BinaryIO, size: int) -> None:
    """At most so many bytes; what is missing stays a hole, which reads as zeros."""
    while size > 0 and (data := content.read(min(size, 1 << 20))):
        file.write(data)
        size -= len(data)

