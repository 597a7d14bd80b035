"""The levels that need an engine: what each is made of, made when its first run comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from windtunnel.core.language import Toolchain
from windtunnel.core.ports import Job, Languages, Sandbox
from windtunnel.engine.images import InImages
from windtunnel.sandbox.container.engine import Engine
from windtunnel.sandbox.container.find import find_engine
from windtunnel.sandbox.container.image_build import Plan, build
from windtunnel.sandbox.container.images import Chosen, Files, Images
from windtunnel.sandbox.container.sandbox import Container

PROJECT = "project"
"""What the commands of a project go by in place of a language."""
_PROJECT_IMAGE = "windtunnel/project:local"


def container(
    languages: Languages, *, engine: str = "", sdk: bool = True, own: Mapping[str, str] | None = None,
    pull: bool = True, runtime: str = "", gpus: str = "", pool_size: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Container, Languages]:
    """The container level, and the languages as its images have them."""
    found = find_engine(engine or None, sdk=sdk)
    images = Images(found, own=own, pull=pull, tell=tell)
    project = _Project(found)

    def image(job: Job) -> Chosen:
        return project.get() if job.language.name == PROJECT else images.get(job.language)

    return (Container(found, image=image, runtime=runtime, gpus=gpus, pool_size=pool_size),
            InImages(languages, images))


def vm(*, cache_dir: Path, pool_size: int) -> Sandbox:
    """The vm level."""
    from windtunnel.sandbox.vm.level import VirtualMachine  # noqa: PLC0415 -- few need it

    return VirtualMachine(cache_dir=cache_dir / "vm", pool_size=pool_size)


class _Project:
    """The image that a project's commands run in: almost empty, with the host's own tools bound into it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._chosen: Chosen | None = None

    def get(self) -> Chosen:
        with self._lock:
            if self._chosen is None:
                plan = Plan(name=_PROJECT_IMAGE, language=PROJECT, files=Files.HOST, toolchain=Toolchain(run=()))
                image = self._engine.image(_PROJECT_IMAGE) or build(self._engine, plan, tell=lambda _: None)
                self._chosen = Chosen(name=_PROJECT_IMAGE, id=image.id, files=Files.HOST)
            return self._chosen
