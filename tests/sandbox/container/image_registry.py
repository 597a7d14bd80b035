"""A real registry of images on a loopback port, and a gate before it that can hold an answer half-way.

Nothing here speaks to another machine: the engines of these tests get a closed port for a proxy (``engines.NO_WAY_OUT``).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import engines

_CONFIG = """
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}/images}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
_TYPES = ("application/vnd.docker.distribution.manifest.v2+json", "application/vnd.oci.image.manifest.v1+json")
_CHUNK = 16_384


class Registry:
    """One that can be stopped and started again on the same port and the same images."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "config.yml").write_text(_CONFIG.format(folder=folder, port=self.port))

    def start(self) -> None:
        (program,) = engines.need("docker-registry")
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [program, "serve", f"{self._folder}/config.yml"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={"PATH": os.defpath, **engines.NO_WAY_OUT}, start_new_session=True)
        engines.until_ready(["curl", "-sf", "--noproxy", "*", f"http://{self.address}/v2/"], self._process, log=self._folder / "log")

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=30)

    def names(self) -> list[str]:
        """The repositories it has."""
        return list(json.loads(self._asked("GET", "/v2/_catalog")[1])["repositories"])

    def digest(self, name: str, tag: str) -> str:
        """By which its content is named."""
        return str(self._asked("HEAD", f"/v2/{name}/manifests/{tag}")[0]["Docker-Content-Digest"])

    def _asked(self, method: str, path: str) -> tuple[http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, headers={"Accept": ", ".join(_TYPES)})
            answer = connection.getresponse()
            assert answer.status == 200, (path, answer.status)
            return answer.headers, answer.read()
        finally:
            connection.close()


@contextlib.contextmanager
def registry() -> Iterator[Registry]:
    with engines.own_folder("registry") as folder:
        made = Registry(folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()


class Gate:
    """Passes bytes on to the registry and back; of an answer longer than ``most`` bytes the rest waits until it is opened."""

    def __init__(self, port: int, *, most: int = 200_000) -> None:
        self.holding, self._open = threading.Event(), threading.Event()
        self._port, self._most = port, most
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def open(self) -> None:
        self._open.set()

    def close(self) -> None:
        self.open()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port), timeout=60)
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
                threading.Thread(target=self._pass_back, args=(server, client), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError), target:
            while data := source.recv(_CHUNK):
                target.sendall(data)

    def _pass_back(self, source: socket.socket, target: socket.socket) -> None:
        passed = 0
        with contextlib.suppress(OSError), source, target:
            while data := source.recv(_CHUNK):
                passed += len(data)
                if passed > self._most:
                    self.holding.set()
                    self._open.wait(timeout=60)
                target.sendall(data)


@contextlib.contextmanager
def gate(port: int) -> Iterator[Gate]:
    made = Gate(port)
    try:
        yield made
    finally:
        made.close()


def free_port() -> int:
    """One that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
