"""Docker or Podman through the ``docker`` package, over their socket."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.sandbox.container.arguments import create_body
from windtunnel.sandbox.container.engine import Begun, Facts, Image, Spec, State, words
from windtunnel.sandbox.container.pump import Pump

if TYPE_CHECKING:
    from docker import APIClient

_SECONDS = 120
_REMAPPED = re.compile(r"/(\d+)\.(\d+)$")
_ATTACH = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}


class SocketEngine:
    """One engine behind one socket; each thread has a connection of its own."""

    def __init__(self, url: str, *, name: str = "docker") -> None:
        """Nothing is asked before the first call; ``unix:///run/docker.sock``."""
        self.url, self.name = url, name
        self._local = threading.local()
        self._version: str | None = None
        self._facts: Facts | None = None

    def facts(self) -> Facts:
        """As the engine tells of itself."""
        if self._facts is None:
            with self._asked("cannot be asked what it is"):
                told, version = self._api.info(), self._api.version()
            if any("podman" in str(part.get("Name", "")).lower() for part in version.get("Components") or ()):
                self.name = "podman"
            self._facts = facts_of(self.name, told, version=str(version.get("Version", "")), by="socket")
        return self._facts

    @property
    def _api(self) -> APIClient:
        client: APIClient | None = getattr(self._local, "client", None)
        if client is None:
            import docker  # noqa: PLC0415 -- an extra, and slow to load

            client = docker.APIClient(base_url=self.url, version=self._version or "auto", timeout=_SECONDS)
            self._version = client._version  # noqa: SLF001 -- spares every further thread the question
            self._local.client = client
        return client

    @contextlib.contextmanager
    def _asked(self, what: str) -> Iterator[None]:
        """The engine's refusals as ours, in its own words."""
        import docker.errors  # noqa: PLC0415
        import requests  # noqa: PLC0415 -- comes with docker

        try:
            yield
        except docker.errors.APIError as error:
            raise IsolationUnavailable(f"{self.name} {what}: {words(str(error.explanation or error))}") from error
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            said = words(str(error), most=200)
            raise IsolationUnavailable(f"{self.name} {what}: no answer at {self.url} ({said})") from error

    def begin(self, spec: Spec) -> Begun:
        """In four requests."""
        container = self.create(spec)
        try:
            streams = self.start(container)
            try:
                return Begun(id=container, pid=self._running(container), streams=streams)
            except BaseException:
                streams.close()
                raise
        except BaseException:
            self.remove(container)
            raise

    def _running(self, container: str) -> int:
        """The host's number of its first process."""
        state = self.state(container)
        if not state.pid:
            raise SandboxFailure(f"the container ended before its program came: {state.error or state.exit_code}")
        return state.pid

    def create(self, spec: Spec) -> str:
        """By one request; Podman takes the filter by the name of a file, Docker as it is."""
        with contextlib.ExitStack() as stack:
            profile = spec.seccomp
            if self.name == "podman":
                file = stack.enter_context(profile_file(spec.seccomp))
                profile = file.name
            stack.enter_context(self._asked("does not make the container"))
            return str(self._api.create_container_from_config(create_body(spec, profile=profile))["Id"])

    def start(self, container: str) -> Pump:
        """Attached first, so that nothing the program says is lost."""
        with self._asked("does not start the container"):
            socket = self._api.attach_socket(container, params=_ATTACH)
            pump = Pump(getattr(socket, "_sock", socket), owner=socket)
            try:
                self._api.start(container)
            except BaseException:
                pump.close()
                raise
        return pump

    def state(self, container: str) -> State:
        """By inspection."""
        with self._asked("does not tell of the container"):
            return state_of(self._api.inspect_container(container)["State"])

    def wait(self, container: str, *, seconds: float) -> State:
        """Look until it has ended: the engine's own wait answers only after it has cleared away."""
        until = time.monotonic() + seconds
        while (state := self.state(container)).running:
            if time.monotonic() > until:
                raise IsolationUnavailable(f"{self.name} did not end the container within {seconds:g} seconds")
            time.sleep(0.002)
        return state

    def kill(self, container: str) -> None:
        """By signal 9 to its first process, with which all others go."""
        self._unless_gone(lambda: self._api.kill(container, signal="SIGKILL"), "does not end the container")

    def remove(self, container: str) -> None:
        """Also while it runs."""
        self._unless_gone(lambda: self._api.remove_container(container, force=True, v=True),
                          "does not remove the container")

    def _unless_gone(self, act: Callable[[], Any], what: str) -> None:
        import docker.errors  # noqa: PLC0415

        with self._asked(what):
            try:
                act()
            except docker.errors.APIError as error:
                if error.status_code not in (404, 409):  # gone, ended, or being removed already
                    raise

    def containers(self, *, label: str) -> Mapping[str, str]:
        """Running or not."""
        with self._asked("does not list containers"):
            found = self._api.containers(all=True, filters={"label": label})
        key = label.partition("=")[0]
        return {str(one["Id"]): str((one.get("Labels") or {}).get(key, "")) for one in found}

    def image(self, name: str) -> Image | None:
        """By name or id."""
        import docker.errors  # noqa: PLC0415

        with self._asked("does not tell of the image"):
            try:
                return image_of(self._api.inspect_image(name))
            except docker.errors.ImageNotFound:
                return None

    def images(self, *, label: str) -> Sequence[Image]:
        """With their labels."""
        with self._asked("does not list images"):
            return [image_of(self._api.inspect_image(one["Id"])) for one in self._api.images(filters={"label": label})]

    def pull(self, name: str, *, tell: Callable[[str], None]) -> None:
        """Telling of each step as it comes; what is fetched is told first, because not every engine says it."""
        tell(f"{self.name} pull {name}")
        with self._asked(f"cannot pull {name}"):
            for step in self._api.pull(name, stream=True, decode=True):
                if "error" in step:
                    raise IsolationUnavailable(f"{self.name} cannot pull {name}: {words(str(step['error']))}")
                tell(words(f"{step.get('status', '')} {step.get('id', '')} {step.get('progress', '')}", most=120))

    def import_tar(self, stream: IO[bytes], *, name: str, labels: Mapping[str, str]) -> str:
        """By one upload."""
        repository, _, tag = name.rpartition(":")
        changes = [f"LABEL {key}={value}" for key, value in sorted(labels.items())]
        facts = self.facts()
        with self._asked("cannot import the image"):
            image = self._import_podman(stream, changes, version=facts.version) if self.name == "podman" else (
                self._import_docker(stream, changes))
            self._api.tag(image, repository=repository, tag=tag)
            return str(self._api.inspect_image(image)["Id"])

    def _import_docker(self, stream: IO[bytes], changes: Sequence[str]) -> str:
        said = str(self._api.import_image(src=stream, changes=changes))
        told = json.loads(said.strip().splitlines()[-1])
        if "status" not in told:
            why = words(str(told.get("error", said)))
            raise IsolationUnavailable(f"{self.name} cannot import the image: {why}")
        return str(told["status"])

    def _import_podman(self, stream: IO[bytes], changes: Sequence[str], *, version: str) -> str:
        """By Podman's own door: what comes by the one that it shares with Docker stays behind as a file of its own."""
        api = self._api
        answer = api.post(f"{api.base_url}/v{version}/libpod/images/import", data=stream, timeout=_SECONDS,
                          params={"changes": list(changes)}, headers={"Content-Type": "application/x-tar"})
        api._raise_for_status(answer)  # noqa: SLF001 -- its refusals as those of all other requests
        return str(answer.json()["Id"])

    def remove_image(self, name: str) -> None:
        """And what hangs on it alone."""
        self._unless_gone(lambda: self._api.remove_image(name), "does not remove the image")

    def reaper(self, label: str) -> Sequence[str]:
        """The socket is all it needs."""
        return ["socket", self.url.removeprefix("unix://"), label]


@contextlib.contextmanager
def profile_file(text: str) -> Iterator[IO[str]]:
    """A file with the filter, for as long as the engine needs to read it."""
    with tempfile.NamedTemporaryFile("w", prefix="windtunnel-filter-", suffix=".json") as file:
        file.write(text)
        file.flush()
        yield file


def facts_of(name: str, told: Mapping[str, Any], *, version: str, by: str) -> Facts:
    """From what ``info`` says, which is the same by socket and by command line for Docker."""
    security = [str(option) for option in told.get("SecurityOptions") or ()]
    rootless = any("rootless" in option for option in security)
    held = bool(told.get("MemoryLimit")) and bool(told.get("PidsLimit", True)) and told.get("CgroupDriver") != "none"
    groups = (2 if str(told.get("CgroupVersion")) == "2" else 1) if held else 0
    folder = _REMAPPED.search(str(told.get("DockerRootDir") or ""))
    remapped = any("userns" in option for option in security) and folder is not None and not rootless
    return Facts(
        name=name, version=version, by=by, rootless=rootless, groups=0 if rootless and groups == 1 else groups,
        runtimes=tuple(sorted(told.get("Runtimes") or ())), runtime=str(told.get("DefaultRuntime") or ""),
        init=has_init(name, told), seccomp=any("seccomp" in option for option in security),
        remapped=(int(folder[1]), int(folder[2])) if remapped and folder is not None else None)


def has_init(name: str, told: Mapping[str, Any]) -> bool:
    """Whether its process 1 is installed where it looks for it."""
    if name == "podman":
        return any(os.access(path, os.X_OK) for path in ("/usr/libexec/podman/catatonit", "/usr/bin/catatonit"))
    binary = str(told.get("InitBinary") or "docker-init")
    return any(os.access(Path(folder, binary), os.X_OK)
               for folder in ("/usr/bin", "/usr/local/bin", "/usr/libexec/docker", "/usr/local/libexec/docker"))


def state_of(told: Mapping[str, Any]) -> State:
    """From an inspection."""
    running = bool(told.get("Running")) or str(told.get("Status")) in ("running", "paused", "stopping")
    return State(
        running=running, exit_code=int(told.get("ExitCode") or 0), out_of_memory=bool(told.get("OOMKilled")),
        pid=int(told.get("Pid") or 0), error=words(str(told.get("Error") or "")))


def image_of(told: Mapping[str, Any]) -> Image:
    """From an inspection."""
    config = told.get("Config") or {}
    labels, volumes = config.get("Labels") or {}, config.get("Volumes") or {}
    return Image(id=str(told["Id"]), names=tuple(told.get("RepoTags") or ()), size=int(told.get("Size") or 0),
                 volumes=tuple(sorted(map(str, volumes))),
                 labels={str(key): str(value) for key, value in labels.items()})
