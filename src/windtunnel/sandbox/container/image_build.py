"""Making an image here, without a registry: an empty one to bind into, the host's own files, or packages.

The archive is whole before the engine sees any of it, in a file without a name: an interrupted build leaves no image,
and what was written is gone with us. The image that had the name before is forgotten only when the new one is there.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.language import Toolchain
from windtunnel.sandbox.container.engine import LABEL, Engine, Image
from windtunnel.sandbox.container.image_names import check_name, spellings
from windtunnel.sandbox.container.image_tar import write_empty
from windtunnel.sandbox.container.images import (
    FILES_LABEL,
    IMAGE,
    LANGUAGE_LABEL,
    TOOLCHAIN_LABEL,
    Files,
    is_ours,
    toolchain_label,
)
from windtunnel.sandbox.root import minimal_root

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One image to be made."""

    name: str
    language: str
    files: Files
    toolchain: Toolchain
    """How the language is run in it; for files of the host, as found there."""
    packages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a name that is none, and give it a tag, which engines would otherwise choose."""
        named = check_name(self.name, field="name")
        tagged = ":" in named.rpartition("/")[2]
        object.__setattr__(self, "name", named if tagged else f"{named}:latest")
        if self.files is Files.OWN:
            raise UsageError("files: an image is built from host, files or packages", field="files")


def labels(plan: Plan) -> dict[str, str]:
    """By which it is found again, and from which it is told how to use it."""
    made = {LABEL: IMAGE, LANGUAGE_LABEL: plan.language, FILES_LABEL: str(plan.files)}
    if plan.files is not Files.HOST:
        made[TOOLCHAIN_LABEL] = toolchain_label(plan.toolchain)
    return made


def build(engine: Engine, plan: Plan, *, tell: Tell = lambda _: None) -> Image:
    """Make it under its name; the image as the engine has it."""
    before = engine.image(plan.name)
    if before is not None and not is_ours(before):
        raise UsageError(f"name: {plan.name} is an image that Windtunnel did not build; it stays as it is "
                         "(choose another name)", field="name")
    with tempfile.TemporaryFile(prefix="windtunnel-image-") as archive:
        write(plan, archive, tell=tell)
        tell(f"handing {archive.tell()} bytes to {engine.name}")
        archive.seek(0)
        made = engine.import_tar(archive, name=plan.name, labels=labels(plan))
    if before is not None and before.id == made:  # each carries the time it was made at, so it is not the new one
        raise SandboxFailure(f"{engine.name} did not take the image {plan.name}; is its disk full?")
    if before is not None and spellings(plan.name).issuperset(before.names):
        with contextlib.suppress(IsolationUnavailable):  # a run may still be using it
            engine.remove_image(before.id)
    found = engine.image(plan.name)
    if found is None:
        raise SandboxFailure(f"{engine.name} took the image {plan.name} and does not have it")
    return found


def write(plan: Plan, out: IO[bytes], *, tell: Tell) -> None:
    """The file system of the image, as a tar archive."""
    try:
        if plan.files is Files.HOST:
            _write_host(plan, out)
        elif plan.files is Files.COPIED:
            _write_copied(plan, out, tell=tell)
        else:
            from windtunnel.sandbox.container.image_packages import write_packages  # noqa: PLC0415 -- seldom needed

            write_packages(plan.packages, out, tell=tell)
        out.flush()
    except OSError as error:
        raise SandboxFailure(f"the image {plan.name} cannot be written: {error.strerror or error} "
                             f"(it is put together in {tempfile.gettempdir()}; TMPDIR names another place)") from error


def _write_host(plan: Plan, out: IO[bytes]) -> None:
    root = minimal_root(plan.toolchain.paths, host_network=False, certificates=False)
    folders = [inside for source, inside in root.binds if os.path.isdir(source)]  # noqa: PTH112
    write_empty(root, out, folders=folders)


def _write_copied(plan: Plan, out: IO[bytes], *, tell: Tell) -> None:
    from windtunnel.sandbox.rootfs import closure, write_tar  # noqa: PLC0415 -- seldom needed

    paths = closure(named_files(plan.toolchain))
    tell(f"copying {len(paths)} files of this machine for {plan.language}")
    write_tar(paths, cast("BinaryIO", out))


def named_files(toolchain: Toolchain) -> tuple[str, ...]:
    """The host paths that a toolchain names: those it lists, and the programs in its commands."""
    found = list(toolchain.paths)
    for argv in (toolchain.run, toolchain.build, toolchain.profile):
        for word in argv or ():
            path = word if word.startswith("/") else word.partition("=")[2]
            if path.startswith("/") and "\n" not in path and os.path.isfile(path):  # noqa: PTH113
                found.append(path)
    return tuple(dict.fromkeys(found))
