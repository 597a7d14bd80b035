"""What a finished program left in the guest, told to the host entry by entry.

The same walk as on the host (``harvest``), which follows no link and is bounded; the host checks every word again.
"""

from __future__ import annotations

import json
import os
import struct

from windtunnel.sandbox import harvest, layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.core.result import Artifact
    from windtunnel.sandbox.inside import guest_port, guest_view
    from windtunnel.sandbox.inside.kernel import Message
else:
    import guest_view

BATCH = 200


class GuestLayer(layer.Layer):
    """An overlay made by the guest's root marks a folder that was made again in another name space."""

    def _is_opaque(self, path: str) -> bool:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._upper)
        try:
            return os.getxattr(descriptor, "trusted.overlay.opaque") == b"y"
        except OSError:
            return False
        finally:
            os.close(descriptor)


vars(harvest)["Layer"] = GuestLayer  # the same reading, of this kernel's mark


def tell(control: guest_port.Control, message: Message, folders: list[int]) -> None:
    """Effects, then files asked for, then the layer, then the end."""
    omitted = 0
    if folders:
        omitted = tell_effects(control, message, folders)
        if message["artifacts"]:
            for name, file in harvest.read_tree(folders[0], message["artifacts"], most_bytes=message["most"]).items():
                control.send(b"A", packed(name, file))
        if message["keep_layer"]:
            left = harvest.read_layer(folders[-1], guest_view.PROJECT, most_bytes=message["most"])
            for name, kept in left.items():
                control.send(b"L", packed(name, kept))
    control.send(b"Z", b"%d" % omitted)


def tell_effects(control: guest_port.Control, message: Message, folders: list[int]) -> int:
    """In batches; how many were left out."""
    order = message["order"]
    shown = dict(zip(("/tmp", "/dev/shm", "/sandbox", "/workspace"), folders, strict=False))
    if not message["request"]["writable"]:
        del shown["/sandbox"]
    apart = [*order["kept"], *([order["alias"]] if order["alias"] else [])]
    lower = guest_view.PROJECT if order["workspace"] else None
    files, omitted = harvest.survey(shown, apart_from=apart, lower=lower)
    for start in range(0, len(files), BATCH):
        batch = files[start:start + BATCH]
        rows = [[file.path, file.kind, file.size, file.act, file.mode, file.hash] for file in batch]
        control.send(b"F", json.dumps(rows).encode())
    return omitted


def packed(name: str, file: Artifact | None) -> bytes:
    """A file with its name, whether it may be executed, and its mode; a deletion has no mode and no content."""
    path = os.fsencode(name)
    if file is None:
        return struct.pack(">HBi", len(path), 0, -1) + path
    mode = file.mode if file.mode is not None else -2
    return struct.pack(">HBi", len(path), file.executable, mode) + path + file.data
