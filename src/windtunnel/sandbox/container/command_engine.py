"""Docker or Podman through their command line, for machines without the ``docker`` package or its socket."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.container.arguments import create_arguments
from windtunnel.sandbox.container.engine import Begun, Facts, Image, Spec, State, words
from windtunnel.sandbox.container.socket_engine import facts_of, has_init, image_of, state_of
from windtunnel.sandbox.handover import script
from windtunnel.sandbox.private import SHARED_PLACE, make_folder, own_place, remove_folder
from windtunnel.spawn import ask, converse, handles

_SECONDS, _PULL_SECONDS = 120.0, 1800.0
_CLIENT_FAILED = 125
"""What a client ends with for reasons of its own; a program may too."""
_LOOK_SECONDS = 2.0


class CommandEngine:
    """One engine behind its client program."""

    def __init__(self, name: str, *, program: str | None = None, options: Sequence[str] = ()) -> None:
        """``options`` go before every command: ``("--root", "/elsewhere")``."""
        self.name = name
        self._argv = [program or shutil.which(name) or name, *options]
        self._facts: Facts | None = None
        self._clients: dict[str, Client] = {}

    def facts(self) -> Facts:
        """As the engine tells of itself."""
        if self._facts is None:
            told = self._info()
            if told.get("ServerErrors"):  # older clients say so and call it a success
                raise IsolationUnavailable(
                    f"{self.name} cannot be asked what it is: {words(str(told['ServerErrors']))}")
            self._facts = (_podman_facts(told) if self.name == "podman" else facts_of(
                "docker", told, version=str(told.get("ServerVersion") or ""), by="command line"))
        return self._facts

    def _info(self) -> Any:  # noqa: ANN401 -- what the engine's answer is made of
        """What it says; Podman makes itself at home wherever it is asked, so it is shown a folder that will be gone."""
        with tempfile.TemporaryDirectory(prefix="windtunnel-look-", ignore_cleanup_errors=True) as folder:
            places = [word for option in ("root", "runroot", "network-config-dir", "tmpdir")
                      for word in (f"--{option}", f"{folder}/{option}")]
            options = [*places, "--storage-driver", "vfs"] if self.name == "podman" else []
            try:
                said = self._ask(*options, "info", "--format", "{{json .}}", doing="cannot be asked what it is")
            finally:
                _end_pause(Path(folder, "tmpdir", "pause.pid"))
        return _parsed(said, self.name)

    def _ask(self, *arguments: str, doing: str, stdin: IO[bytes] | None = None, seconds: float = _SECONDS) -> str:
        """What the client answers; one that may take long ends with us, and what it put together goes with it."""
        errand = [*script("errand"), str(os.getpid())] if seconds > _SECONDS else []
        code, said = ask([*errand, *self._argv, *arguments], seconds=seconds, stdin=stdin, join=False)
        if code == 127:  # noqa: PLR2004 -- it could not be started
            raise IsolationUnavailable(f"{self.name} is not installed (apt-get install "
                                       f"{'docker.io' if self.name == 'docker' else 'podman'})")
        if code:
            raise IsolationUnavailable(f"{self.name} {doing}: {words(said)}")
        return said

    def begin(self, spec: Spec) -> Begun:
        """By one client, which stays until the container's end and then knows how it ended."""
        with contextlib.ExitStack() as stack:
            place = make_folder(SHARED_PLACE if os.geteuid() == 0 else own_place())
            stack.callback(remove_folder, *place)
            folder, podman = Path(place[0]), self.name == "podman"
            (folder / "filter").write_text(spec.seccomp)
            words_of = [*self._argv, *(["--runtime", spec.runtime] if podman and spec.runtime else []), "run",
                        "--cidfile", f"{folder}/id", *(["--pidfile", f"{folder}/pid"] if podman else []),
                        *create_arguments(spec, profile=f"{folder}/filter", podman=podman)]
            # Podman's monitor may leave a file where it was started, and gives up where that is gone too early.
            client = Client(converse(words_of, cwd=str(folder), env=dict(os.environ), session=True),
                            fleeting=spec.fleeting, kept=stack.pop_all())
        try:
            container = client.await_file(folder / "id")
            pid = int(client.await_file(folder / "pid")) if podman else self._running(container, client)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove((folder / "id").read_text())
            client.close()
            raise
        self._clients[container] = client
        return Begun(id=container, pid=pid, streams=client)

    def _running(self, container: str, client: Client) -> int:
        """The host's number of its first process; the client may not have started it yet."""
        usual = cgroups.container_folders(container)
        until = time.monotonic() + _LOOK_SECONDS
        while usual and client.lives() and time.monotonic() < until:
            pid = next(filter(None, map(cgroups.first_process, usual)), 0)
            if pid:
                return pid  # found without asking, which by this way takes a process of its own
            time.sleep(0.002)
        while client.lives():
            state = self.state(container)
            if state.pid:
                return state.pid
        raise client.refusal()

    def state(self, container: str) -> State:
        """By inspection."""
        said = self._ask("container", "inspect", "--format", "{{json .State}}", container,
                         doing="does not tell of the container")
        return state_of(_parsed(said, self.name))

    def wait(self, container: str, *, seconds: float) -> State:
        """As its client tells, unless that lost sight of it."""
        code = self._clients[container].wait(seconds)
        if code is None:
            raise IsolationUnavailable(f"{self.name} did not end the container within {seconds:g} seconds")
        if code == _CLIENT_FAILED and self._exists(container):  # which an engine that is gone cannot tell, and raises
            return self.state(container)
        return State(running=False, exit_code=code, out_of_memory=False, pid=0)

    def kill(self, container: str) -> None:
        """By signal 9 to its first process, with which all others go."""
        code, said = ask([*self._argv, "kill", "--signal", "KILL", container], seconds=_SECONDS)
        if code and self._exists(container) and self.state(container).running:
            raise IsolationUnavailable(f"{self.name} does not end the container: {words(said)}")

    def remove(self, container: str) -> None:
        """Also while it runs; one whose client has seen it removed is not asked about again."""
        client = self._clients.pop(container, None)
        if client is not None and client.removed():
            return
        code, said = ask([*self._argv, "rm", "--force", "--volumes", container], seconds=_SECONDS)
        if code and self._exists(container):
            raise IsolationUnavailable(f"{self.name} does not remove the container: {words(said)}")

    def _exists(self, container: str) -> bool:
        return container in self.containers(label="")

    def containers(self, *, label: str) -> Mapping[str, str]:
        """Running or not."""
        key = label.partition("=")[0]
        wanted = ["--filter", f"label={label}"] if label else []
        read = "index .Labels" if self.name == "podman" else ".Label"
        value = f'{{{{{read} "{key}"}}}}' if key else ""
        said = self._ask("ps", "--all", "--no-trunc", *wanted, "--format", f"{{{{.ID}}}} {value}",
                         doing="does not list containers")
        rows = (line.partition(" ") for line in said.splitlines() if line.strip())
        return {container: value.strip() for container, _, value in rows}

    def image(self, name: str) -> Image | None:
        """By name or id."""
        code, said = ask([*self._argv, "image", "inspect", name], seconds=_SECONDS, join=False)
        if code:
            if re.search(r"no such image|not known|unable to find", said, re.IGNORECASE):
                return None
            raise IsolationUnavailable(f"{self.name} does not tell of the image: {words(said)}")
        return image_of(_parsed(said, self.name))

    def images(self, *, label: str) -> Sequence[Image]:
        """With their labels."""
        said = self._ask("images", "--no-trunc", "--quiet", "--filter", f"label={label}", doing="does not list images")
        found = [self.image(name) for name in dict.fromkeys(said.split())]
        return [image for image in found if image is not None]

    def pull(self, name: str, *, tell: Callable[[str], None]) -> None:
        """The command line tells of its steps only to a terminal, so there is one line before and one after."""
        tell(f"{self.name} pull {name}")
        self._ask("pull", "--quiet", "--", name, doing=f"cannot pull {name}", seconds=_PULL_SECONDS)
        tell(f"{name} is here")

    def import_tar(self, stream: IO[bytes], *, name: str, labels: Mapping[str, str]) -> str:
        """Through its standard input; a stream without a descriptor by way of a temporary file."""
        changes = [word for key, value in sorted(labels.items()) for word in ("--change", f"LABEL {key}={value}")]
        with contextlib.ExitStack() as stack:
            if not _has_descriptor(stream):
                copied = stack.enter_context(tempfile.TemporaryFile(prefix="windtunnel-image-"))
                shutil.copyfileobj(stream, copied)
                copied.seek(0)
                stream = copied
            self._ask("import", *changes, "-", name, doing="cannot import the image", stdin=stream,
                      seconds=_PULL_SECONDS)
        image = self.image(name)
        if image is None:
            raise IsolationUnavailable(f"{self.name} imported {name} and does not have it")
        return image.id

    def remove_image(self, name: str) -> None:
        """And what hangs on it alone."""
        if self.image(name) is not None:
            self._ask("rmi", "--", name, doing="does not remove the image")

    def reaper(self, label: str) -> Sequence[str]:
        """The client program and its options."""
        return ["command", label, *self._argv]


class Client:
    """A client program that is attached to a container."""

    def __init__(self, process: handles.Popen[bytes], *, kept: contextlib.ExitStack, fleeting: bool = False) -> None:
        """Its pipes become ours; what is ``kept`` is let go when it has ended."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._fleeting, self._kept = process, fleeting, kept
        self.stdin, self.stdout, self.stderr = (
            os.dup(stream.fileno()) for stream in (process.stdin, process.stdout, process.stderr))
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def await_file(self, path: Path) -> str:
        """What the client writes into a file, as soon as it is there."""
        until = time.monotonic() + _SECONDS
        while True:
            with contextlib.suppress(OSError):
                text = path.read_text().strip()
                if text:
                    return text
            if not self.lives():
                raise self.refusal()
            if time.monotonic() > until:
                raise IsolationUnavailable(f"no container was started within {_SECONDS:g} seconds")
            time.sleep(0.002)

    def refusal(self) -> IsolationUnavailable:
        """What it said before it gave up."""
        os.set_blocking(self.stderr, False)
        said = b""
        with contextlib.suppress(BlockingIOError):
            said = os.read(self.stderr, 4096)
        return IsolationUnavailable(f"the container was not started: {words(said.decode('utf-8', 'replace'))}")

    def wait(self, seconds: float) -> int | None:
        """Its exit code, which is the container's; None when it has not ended by then."""
        if self._process.poll() is None:
            ended = os.pidfd_open(self._process.pid)  # waiting with a limit any other way looks only now and then
            try:
                poll = select.poll()
                poll.register(ended, select.POLLIN)
                poll.poll(seconds * 1000)
            finally:
                os.close(ended)
        return self._process.poll()

    def removed(self) -> bool:
        """Whether it saw the engine remove the container."""
        return self._fleeting and self._process.poll() is not None

    def close(self) -> None:
        """End the client; the container is ended through the engine."""
        self._process.kill()
        self._process.wait()
        self._kept.close()


def _end_pause(file: Path) -> None:
    """End the process that a rootless Podman leaves to keep its namespace, where it says which that is."""
    with contextlib.suppress(OSError, ValueError):
        pid = int(file.read_text())
        if Path(f"/proc/{pid}/comm").read_text().strip() in ("catatonit", "podman", "podman pause"):
            os.kill(pid, signal.SIGKILL)


def _parsed(text: str, name: str) -> Mapping[str, Any]:
    """An engine's answer, or the first of several; a typed error for what is none."""
    with contextlib.suppress(ValueError, LookupError):
        told = json.loads(text)
        told = told[0] if isinstance(told, list) else told
        if isinstance(told, dict):
            return told
    raise IsolationUnavailable(f"{name} gives an answer that is not JSON: {words(text, most=200)}")


def _has_descriptor(stream: IO[bytes]) -> bool:
    try:
        return stream.fileno() >= 0
    except (OSError, AttributeError, ValueError):
        return False


def _podman_facts(told: Mapping[str, Any]) -> Facts:
    host = told.get("host") or {}
    security = host.get("security") or {}
    version = 2 if str(host.get("cgroupVersion", "")).endswith("2") else 1
    controllers = {str(name) for name in host.get("cgroupControllers") or ()}
    rootless = bool(security.get("rootless"))
    held = not rootless or (version == 2 and {"memory", "pids"} <= controllers)  # noqa: PLR2004
    runtime = str((host.get("ociRuntime") or {}).get("name") or "")
    return Facts(
        name="podman", version=str((told.get("version") or {}).get("Version") or ""), by="command line",
        rootless=rootless, groups=version if held else 0, runtimes=(runtime,), runtime=runtime,
        init=has_init("podman", {}), seccomp=bool(security.get("seccompEnabled")))
