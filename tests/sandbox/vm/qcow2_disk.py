"""Small qcow2 disks, written here: whole, or with a part of them in another file of the host."""

from __future__ import annotations

import struct

CLUSTER_BITS = 16
CLUSTER = 1 << CLUSTER_BITS
EXTERNAL_DATA = 0x44415441
COPIED = 1 << 63


def qcow2_disk(data: bytes = b"", *, size: int = 1 << 20, backing: bytes = b"", external: bytes = b"", **head: int) -> bytes:
    """The data in the first cluster; ``backing`` and ``external`` name other files, ``head`` overrides header fields."""
    named = struct.pack(">II", EXTERNAL_DATA, len(external)) + external.ljust(-(-len(external) // 8) * 8, b"\0") if external else b""
    after = named + bytes(8)
    fields = {
        "magic": 0x514649FB, "version": 3, "backing_offset": 104 + len(after) if backing else 0, "backing_size": len(backing),
        "cluster_bits": CLUSTER_BITS, "size": size, "encrypted": 0, "table_size": 1, "table_offset": 3 * CLUSTER,
        "counts_offset": CLUSTER, "counts_clusters": 1, "snapshots": 0, "snapshots_offset": 0,
        "incompatible": 4 if external else 0, "compatible": 0, "autoclear": 0, "count_order": 4, "length": 104} | head
    first = struct.pack(">IIQIIQIIQQIIQQQQII", *fields.values()) + after + backing
    counts = struct.pack(">6H", *[1] * 6)
    where = 0 if external else 5 * CLUSTER
    level2 = struct.pack(">Q", where | COPIED) if data or external else b""
    clusters = [first, struct.pack(">Q", 2 * CLUSTER), counts, struct.pack(">Q", 4 * CLUSTER | COPIED), level2, data]
    return b"".join(cluster.ljust(CLUSTER, b"\0") for cluster in clusters)
