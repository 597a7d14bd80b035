"""Each wall of the container level is needed: taken away, alone or with those that back it, an attack succeeds.

A line names the walls that must *all* be gone before the attack succeeds; any one of them still holds it.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from containers import Changed

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import MIB, Limits
from windtunnel.sandbox.container import arguments, door, starter

pytestmark = pytest.mark.xdist_group("containers")


@dataclass(frozen=True, kw_only=True)
class Wall:
    """How one is taken away: fields of the specification, or of the request that is made of it."""

    spec: dict = field(default_factory=dict)
    body: dict = field(default_factory=dict)
    patch: tuple = ()
    """A name of the supervisor's, and what takes its place."""


def comer(connection, *, first, uid):
    """Whoever comes, whatever its user."""
    pid, user, _ = door._CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return CHILD(connection, first=first, uid=user) and pid


def careless(machine, code=starter._code):
    """A starter that asks whether it is dumpable where it should give up new privileges."""
    return code(machine).replace(b"\xbf\x26\0\0\0", b"\xbf\x03\0\0\0").replace(b"\xc0\x04\x80\xd2", b"\x60\x00\x80\xd2")


CHILD = door._child
WALLS = {
    "no network": Wall(spec={"network": "host"}),
    "read-only root": Wall(body={"ReadonlyRootfs": False}),
    "no capabilities": Wall(body={"CapDrop": []}),
    "no new privileges": Wall(body={"SecurityOpt": lambda old: [one for one in old if one != "no-new-privileges"]}),
    "no new privileges, by the starter": Wall(patch=("windtunnel.sandbox.container.starter._code", careless)),
    "engine's filter": Wall(spec={"seccomp": "unconfined"}),
    "starter's filter": Wall(patch=("windtunnel.sandbox.container.watching.seccomp", SimpleNamespace(load=lambda *_, **__: b""))),
    "number of processes": Wall(spec={"processes": -1}),
    "memory": Wall(spec={"memory_bytes": 0}),
    "unprivileged user": Wall(spec={"user": "0:0"}),
    "no other user at the door": Wall(patch=("windtunnel.sandbox.container.door._child", comer)),
    "open files": Wall(spec={"ulimits": {}}),
    "read-only /sandbox": Wall(spec={"mounts": lambda old: tuple(
        replace(mount, read_only=mount.read_only and mount.target != "/sandbox") for mount in old)}),
    "size of the file system": Wall(patch=("windtunnel.sandbox.container.cell.mount_disk", lambda *_: None)),
    "process namespace": Wall(body={"PidMode": "host"}),
    "IPC namespace": Wall(body={"IpcMode": "host"}),
    "host-name namespace": Wall(body={"UTSMode": "host"}, spec={}),
    "control-group namespace": Wall(body={"CgroupnsMode": "host"}),
}


@dataclass(frozen=True, kw_only=True)
class Control:
    """One attack: its code prints ``done`` when it succeeded, and anything else when it did not."""

    name: str
    code: str
    walls: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)

    def __str__(self):
        return f"{self.name}: {' + '.join(self.walls)}"


def tried(act):
    """Code that says ``done``, or why not."""
    lines = "".join(f"    {line}\n" for line in act.splitlines())
    return f"import os\ntry:\n{lines}    print('done')\nexcept (OSError, MemoryError) as error:\n    print(error)\n"


def called(call, prepare=""):
    """Code that makes a system call which must not fail."""
    return tried(f"import ctypes, struct; libc = ctypes.CDLL(None, use_errno=True)\n{prepare}\n"
                 f"if {call}: raise OSError(ctypes.get_errno(), 'refused')")


def shares(kind):
    here = str(Path(f"/proc/self/ns/{kind}").readlink())
    return f"import os; print('done' if os.readlink('/proc/self/ns/{kind}') == {here!r} else 'its own')"


CONTROLS = (
    Control(name="reaches a server on the host", walls=("no network",), code=tried(
        "import socket; socket.create_connection(('127.0.0.1', {port}), timeout=3)")),
    Control(name="writes to the root", walls=("read-only root", "unprivileged user", "no other user at the door"), code=tried("open('/planted', 'w')")),
    Control(name="gives a file away", walls=("no capabilities", "unprivileged user", "no other user at the door"), code=tried(
        "open('/tmp/x', 'w'); os.chown('/tmp/x', 1, 1)")),
    Control(name="is root on the host", walls=("unprivileged user", "no other user at the door"), code=(
        "import os; print('done' if os.getuid() == 0 and open('/proc/self/uid_map').read().split()[:2] == ['0', '0'] else 'not')")),
    Control(name="may gain privileges", walls=("no new privileges", "no new privileges, by the starter", "starter's filter"), code=(
        "print('done' if 'NoNewPrivs:\\t0' in open('/proc/self/status').read() else 'not')")),
    Control(name="makes a user namespace", walls=("starter's filter",), code=called("libc.unshare(0x10000000)")),
    Control(name="listens to its own calls", walls=("starter's filter",), code=called(
        "0 if libc.syscall({'x86_64': 317, 'aarch64': 277}[os.uname().machine], 1, 8, "
        "ctypes.c_buffer(struct.pack('HxxxxxxQ', 1, ctypes.addressof(allow)))) >= 0 else -1", "allow = ctypes.c_buffer(b'\\6\\0\\0\\0\\0\\0\\xff\\x7f')")),
    Control(name="names a file by its handle", walls=("engine's filter", "starter's filter"), code=called(
        "libc.name_to_handle_at(-100, b'/tmp', handle, ctypes.byref(ctypes.c_int()), 0)", "handle = ctypes.c_buffer(struct.pack('Ii', 128, 0), 136)")),
    Control(name="forks without end", walls=("number of processes",), limits=Limits(processes=20), code=tried(
        "import time\nfor n in range(60):\n    if os.fork() == 0: time.sleep(5); os._exit(0)")),
    Control(name="takes more memory than allowed", walls=("memory",), limits=Limits(memory_bytes=64 * MIB), code=tried(
        "x = bytearray(200 << 20)")),
    Control(name="opens more files than allowed", walls=("open files",), limits=Limits(open_files=64), code=tried(
        "kept = [open('/dev/null') for n in range(200)]")),
    Control(name="changes its own source", walls=("read-only /sandbox",), code=tried("open('/sandbox/more.py', 'w')")),
    Control(name="fills the host's disk", walls=("size of the file system",), limits=Limits(disk_bytes=4 * MIB), code=tried(
        "for n in range(4): open(f'/tmp/{n}', 'wb').write(bytes(2 << 20))")),
    Control(name="sees the host's processes", walls=("process namespace",), code=shares("pid")),
    Control(name="shares memory with the host", walls=("IPC namespace",), code=shares("ipc")),
    Control(name="shares the host's name", walls=("host-name namespace",), code=shares("uts")),
    Control(name="sees the host's control groups", walls=("control-group namespace",), code=shares("cgroup")),
)
PARTLY = [(control, kept) for control in CONTROLS for kept in control.walls if len(control.walls) > 1]


def changed(given, changes):
    return {name: change(given[name]) if callable(change) else change for name, change in changes.items()}


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def attacked(docker_engine, make_container, job, server, monkeypatch):
    """What the attack says with every wall but those named, or why it was never started."""
    def run(control, *names):
        walls = [WALLS[name] for name in names]
        spec = {name: change for wall in walls for name, change in wall.spec.items()}
        monkeypatch.setattr("windtunnel.sandbox.container.socket_engine.create_body", _body(walls))
        for wall in walls:
            if wall.patch:
                monkeypatch.setattr(*wall.patch)
        container = make_container(docker_engine, kind=Changed, change=lambda made: changed(
            {name: getattr(made, name) for name in spec}, spec))
        try:
            return container.run(job(control.code.replace("{port}", str(server)), limits=control.limits)).stdout
        except SandboxFailure as failure:
            return f"not started: {failure}"

    return run


def _body(walls):
    def make(spec, **options):
        made = arguments.create_body(spec, **options)
        for wall in walls:
            made["HostConfig"].update(changed(made["HostConfig"] | dict.fromkeys(wall.body.keys() - made["HostConfig"].keys()), wall.body))
            if wall.body.get("UTSMode"):
                made.pop("Hostname")  # the host's own cannot be changed
        return made

    return make


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_attack_is_held_with_every_wall(control, attacked):
    assert "done" not in attacked(control)


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_attack_succeeds_without_the_walls(control, attacked):
    assert "done" in attacked(control, *control.walls)


@pytest.mark.parametrize(("control", "kept"), PARTLY, ids=str)
def test_the_attack_is_held_by_each_of_the_walls_that_back_one_another(control, kept, attacked):
    assert "done" not in attacked(control, *(name for name in control.walls if name != kept))


def test_every_wall_is_in_a_control():
    assert {name for control in CONTROLS for name in control.walls} == set(WALLS)
