"""An engine that only remembers: images by name, what was pulled, what was imported."""

from __future__ import annotations

import io
import tarfile

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container.engine import Image


class RememberingEngine:
    """Keeps images in a table; ``registry`` has those that can be pulled."""

    name = "docker"

    def __init__(self, *images, registry=(), refusal="no route to host"):
        self.table = {name: image for image in images for name in image.names}
        self.registry = {name: image for image in registry for name in image.names}
        self.refusal = refusal
        self.pulled = []
        self.imported = []
        self.removed = []

    def image(self, name):
        return self.table.get(name) or next((image for image in self.table.values() if image.id == name), None)

    def images(self, *, label):
        key, _, value = label.partition("=")
        each = {image.id: image for image in self.table.values()}
        return [image for image in each.values() if image.labels.get(key) == value]

    def pull(self, name, *, tell):
        self.pulled.append(name)
        tell(f"pulling\x1b[2J {name}")
        if name not in self.registry:
            raise IsolationUnavailable(self.refusal)
        self.table[name] = self.registry[name]

    def import_tar(self, stream, *, name, labels):
        data = stream.read()
        self.imported.append(data)
        made = Image(id=f"sha256:{len(self.imported):064x}", names=(name,), size=len(data), labels=labels)
        self.table[name] = made
        return made.id

    def remove_image(self, name):
        self.removed.append(name)
        gone = self.image(name)
        self.table = {key: image for key, image in self.table.items() if image is not gone}


def image(name, *, number=1, **labels):
    """One with these labels; ``_`` stands for the dot in their names."""
    return Image(id=f"sha256:{number:064d}", names=(name,), size=88,
                 labels={key.replace("_", "."): value for key, value in labels.items()})


def members(data):
    """(name, type, mode, link or content) of each member of an archive."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(member.name, member.type, member.mode, member.linkname or _content(archive, member))
                for member in archive]


def _content(archive, member):
    return archive.extractfile(member).read() if member.isreg() else b""
