"""The walls of the process level, each with how it is taken away. The package itself has no switch for this.

A wall is taken away by changing a text of a script that runs inside, bubblewrap's arguments, or a name of the
supervisor's. A text that is not there exactly once is an error, so that no control can rot in silence.
"""

import importlib.util
import marshal
import os
import resource
import struct
import tempfile
import types
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from windtunnel.sandbox import handover, seccomp, stems

INSIDE = Path(handover.__file__).parent / "inside"


# --- three ways to take something away ---

@dataclass(frozen=True)
class Inside:
    """A text of one of the scripts in ``inside/``."""

    module: str
    before: str
    after: str = ""


@dataclass(frozen=True)
class Flags:
    """Bubblewrap's arguments."""

    change: Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class Outside:
    """A name of the supervisor's: the real one is handed in, its replacement comes back."""

    name: str
    make: Callable[[Any], Any]


def changed(text, before, after):
    assert text.count(before) == 1, f"{before!r} is there {text.count(before)} times; this control must follow the code"
    return text.replace(before, after)


@contextmanager
def without(*names):
    """While this lasts, new sandboxes have every wall but these; with none named, nothing at all is changed."""
    if not names:
        yield
        return
    takings = list(dict.fromkeys(taking for name in names for taking in WALLS[name]))
    with tempfile.TemporaryDirectory(prefix="windtunnel-walls-") as folder, ExitStack() as stack:
        sources = _sources([taking for taking in takings if isinstance(taking, Inside)])
        for module, source in sources.items():
            Path(folder, f"{module}.py").write_text(source)
        stack.enter_context(patch.object(handover, "stem_files", lambda interpreter: _stem_files(interpreter, sources)))
        stack.enter_context(patch.object(
            handover, "script", lambda name: [*handover.plain_python(), f"{folder}/{name}.py"]))
        stack.enter_context(patch.object(
            stems, "arguments", _arguments(stems.arguments, [one for one in takings if isinstance(one, Flags)])))
        for taking in takings:
            if isinstance(taking, Outside):
                owner, _, attribute = taking.name.rpartition(".")
                made = taking.make(getattr(importlib.import_module(owner), attribute))
                stack.enter_context(patch(taking.name, made))
        yield


def _sources(takings):
    sources = {path.stem: path.read_text() for path in INSIDE.glob("*.py")}
    for taking in takings:
        sources[taking.module] = changed(sources[taking.module], taking.before, taking.after)
    return sources


def _stem_files(interpreter, sources):
    """What ``handover.stem_files`` answers, from these sources."""
    made = []
    for name in handover._STEM_MODULES:
        suffix, path = handover._suffix(interpreter), f"{handover.PLACE}/{name}.py"
        compiled = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(compile(sources[name], path, "exec"))
        made.append((compiled if suffix == ".pyc" else sources[name].encode(), f"{handover.PLACE}/{name}{suffix}"))
    return made


_EVERY = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
"""What ``--unshare-all`` stands for."""


def _arguments(original, takings):
    def arguments(*given):
        made = original(*given)
        place = made.index("--unshare-all")
        made[place:place + 1] = _EVERY
        for taking in takings:
            made = taking.change(made)
        return made

    return arguments


def no_flag(*words):
    """Leave out these words, which follow one another."""
    def change(made):
        places = [place for place in range(len(made)) if made[place:place + len(words)] == list(words)]
        assert len(places) == 1, f"{words} is there {len(places)} times; this control must follow the code"
        return made[:places[0]] + made[places[0] + len(words):]

    return Flags(change)


def more_flags(*words):
    """Before the last ones, which close the root."""
    return Flags(lambda made: [*made[:made.index("--remount-ro")], *words, *made[made.index("--remount-ro"):]])


def rewritten(module, before, after):
    """A module of ours with one text changed."""
    made = types.ModuleType(module.__name__)
    made.SOURCE = changed(getattr(module, "SOURCE", None) or Path(module.__file__).read_text(), before, after)
    made.__file__ = module.__file__
    with patch.dict("sys.modules", {module.__name__: made}):
        exec(compile(made.SOURCE, module.__file__, "exec"), made.__dict__)
    return made


# --- what is taken away ---

def also_bound(*paths):
    """Host paths beside the minimal root."""
    return Outside("windtunnel.sandbox.stems.minimal_root",
                   lambda real: lambda needed, **options: real((*needed, *paths), **options))


def unlimited(kind):
    """No such limit for the process."""
    return Outside("windtunnel.sandbox.request.rlimits", lambda real: lambda limits, **options: [
        one for one in real(limits, **options) if one[0] != kind])


def ungrouped(controller):
    """The control group gets all its limits but those of this controller."""
    def make(real):
        return lambda limits: [write for write in real(limits) if write[0] != controller]

    return Outside("windtunnel.sandbox.cgroups._v1_writes", make), Outside("windtunnel.sandbox.cgroups._v2_writes", make)


def metered(meter, **fields):
    """The meter compares with other limits."""
    def make(real):
        return lambda first, limits, *rest: real(first, replace(limits, **fields), *rest)

    return Outside(f"windtunnel.sandbox.bubblewrap.{meter}", make)


def filter_with(**names):
    """The system-call filter, built anew with other tables."""
    def make(_):
        def load(machine, *, watch, variant=""):
            with patch.multiple(seccomp, **names):
                return seccomp.build(machine, watch=watch, variant=variant)

        return load

    return Outside("windtunnel.sandbox.seccomp.load", make)


def let(*calls):
    """The filter with these calls on its list, whatever their arguments."""
    real = seccomp._checked
    return filter_with(
        ALLOWED=seccomp.ALLOWED | set(calls),
        _checked=lambda *given, **options: {name: block for name, block in real(*given, **options).items() if name not in calls})


def _foreign_allowed(real):
    """The third instruction ends a process that calls by another convention."""
    def load(machine, **options):
        made = real(machine, **options)
        assert made[16:24] == struct.pack("<HBBI", 0x06, 0, 0, seccomp.KILL)
        return made[:16] + struct.pack("<HBBI", 0x06, 0, 0, seccomp.ALLOW) + made[24:]

    return load


def _leaky(real):
    def start(argv, *, pass_fds=(), **options):
        ours = [int(entry.name) for entry in Path("/proc/self/fd").iterdir() if entry.exists()]
        open_to_all = [number for number in ours if number > 2 and os.get_inheritable(number)]
        return real(argv, pass_fds=sorted({*pass_fds, *open_to_all}), **options)

    return start


HOST_PROC = (no_flag("--proc", "/proc"), more_flags("--bind", "/proc", "/proc"))
"""The stem has the host's /proc; a run still mounts its own over it."""
STAYS_ROOT = (Inside(
    "launch", "    os.setgroups([])\n    os.setresgid(uid, uid, uid)\n    os.setresuid(uid, uid, uid)\n"), *HOST_PROC)
"""Bubblewrap would cover parts of the /proc that it mounts for root, and the kernel then refuses the run its own."""
NO_PROC = Inside("view", '    kernel.mount(b"proc", b"/proc", b"proc", _PRIVATE | kernel.MS_NOEXEC | kernel.MS_RDONLY)\n')
"""A run goes on with the stem's /proc."""
NO_OWN_TMP = Inside("view", '("t", b"/tmp", 0o1777), ')
QUOTA = 'b"size=%d,nr_inodes=%d" % (order["disk"], order["inodes"])'

WALLS = {
    # The host's user, files and environment.
    "throw-away user": STAYS_ROOT,
    "minimal root": (also_bound("/var"),),
    "read-only root": (Flags(lambda made: ["--bind" if word == "--ro-bind" else word for word in made]),),
    # For root's throw-away user the launcher stages all that is bound below /tmp, which would cover the host's.
    "private /tmp": (
        also_bound("/tmp"), NO_OWN_TMP, Inside("launch", 'STAGE = "/tmp"', 'STAGE = "/run"'),
        Outside("windtunnel.sandbox.stems._STAGE", lambda _: "/run")),
    # It belongs to the sandbox, so this is also what a sandbox used twice would be without.
    "file system of the run": (more_flags("--tmpfs", "/tmp"), NO_OWN_TMP),
    "read-only /sandbox": (Inside("view", 'if not request["writable"]:', "if False:"),),
    "own /proc": (*HOST_PROC, NO_PROC),
    "read-only /proc": (Inside("view", "kernel.MS_NOEXEC | kernel.MS_RDONLY)", "kernel.MS_NOEXEC)"),),
    "Landlock": (Outside("windtunnel.sandbox.bubblewrap.order_for", lambda real: lambda *given, **options: real(
        *given, **options) | {"landlock": False}),),
    "empty environment of the supervisor": (Outside("windtunnel.sandbox.stems.start", lambda real: lambda argv, **options: real(
        argv, **(options | {"env": dict(os.environ)}))),),
    "cleared environment of the stem": (no_flag("--clearenv"),),
    "environment of the request": (Inside(
        "kernel", "os.execve(argv[0], argv, environment)", "os.execve(argv[0], argv, {**os.environ, **environment})"),),
    "closed descriptors": (Outside("windtunnel.sandbox.stems.start", _leaky),),
    # Namespaces: bubblewrap's around the stem, and those of each run within. Only root can do without the first.
    "user namespace of the stem": (*STAYS_ROOT, no_flag("--unshare-user"), no_flag("--uid", "0"), no_flag("--gid", "0")),
    # With no user namespace at all, the bounds of kernel objects would be the host's: both go together.
    "user namespace of the run": (
        Inside("stem", "kernel.NEWUSER | "), Inside("view", '    map_ids(order["uid"])\n'), Inside("view", "    bound_kernel_objects()\n")),
    "process namespace of the stem": (no_flag("--unshare-pid"), no_flag("--as-pid-1")),
    # Without it nothing ends with init, and its kill(-1) would reach others: both go together.
    "process namespace of the run": (
        Inside("stem", "kernel.NEWPID | "), Inside("stem", "report(status, end_the_rest(), traffic)", "report(status, [], traffic)"), NO_PROC),
    "network namespace of the stem": (no_flag("--unshare-net"),),
    "network namespace of the run": (
        Inside("stem", '(kernel.NEWNET if order["own_network"] else 0)', "0"), Inside("view", "        loopback_up()\n", "        pass\n")),
    "IPC namespace of the stem": (no_flag("--unshare-ipc"),),
    "IPC namespace of the run": (Inside("stem", "kernel.NEWIPC | "),),
    "host-name namespace of the stem": (no_flag("--unshare-uts"), no_flag("--hostname", "sandbox")),
    "host-name namespace of the run": (Inside("stem", " | kernel.NEWUTS"),),
    "host name of the run": (Inside("view", '    kernel.libc.sethostname(b"sandbox", 7)\n'),),
    "control-group namespace of the stem": (no_flag("--unshare-cgroup-try"),),
    "control-group namespace of the run": (Inside("stem", '    kernel.call(libc.unshare(kernel.NEWCGROUP), "unshare")\n'),),
    "no nested user namespaces": (Inside("view", '("user_namespaces", 0), '),),
    # Powers and calls.
    "dropped capabilities": (Inside(
        "stem", "    kernel.drop_capabilities()\n    libc.prctl(kernel.PR_SET_DUMPABLE, 1", "    libc.prctl(kernel.PR_SET_DUMPABLE, 1"),),
    "bounded capabilities": (Inside(
        "stem", "    kernel.bound_capabilities()\n    os.setsid()\n", "    os.setsid()\n"),),
    "no new privileges of the stem": (Inside("stem", "    libc.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)\n"),),
    "untraceable init": (Inside(
        "stem", "        libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)\n        kernel.bound_capabilities()\n",
        "        libc.prctl(kernel.PR_SET_DUMPABLE, 1, 0, 0, 0)\n        kernel.bound_capabilities()\n"),),
    "system-call filter": (Inside(
        "stem", 'return kernel.filter_calls(FILTERS["watch" if order["watch"] else "plain"], listen=order["watch"])', "return -1"),),
    "filter: other conventions": (Outside("windtunnel.sandbox.seccomp.load", _foreign_allowed),),
    "filter: terminal requests": (filter_with(TERMINAL_REQUESTS=()),),
    "filter: namespaces": (let("unshare", "clone"),),
    "filter: sockets": (let("socket"),),
    "filter: pipe sizes": (let("fcntl"),),
    "filter: limits of others": (let("prlimit64"),),
    **{f"filter: {call}": (let(call),) for call in (
        "io_uring_setup", "userfaultfd", "perf_event_open", "bpf", "add_key", "keyctl", "ptrace", "mount")},
    # Sessions.
    "session of the run": (Inside(
        "stem", "    os.setsid()\n    os.umask(0o022)\n    kernel.take_streams", "    os.umask(0o022)\n    kernel.take_streams"),),
    "session of the stem": (no_flag("--new-session"),),
    "session of the supervisor's child": (Outside("windtunnel.sandbox.stems.start", lambda real: rewritten(
        importlib.import_module(real.__module__), "start_new_session=True", "start_new_session=False").start),),
    # Limits.
    "size of the file system": (Inside("view", QUOTA, 'b"nr_inodes=%d" % order["inodes"]'),),
    "inodes of the file system": (Inside("view", QUOTA, 'b"size=%d" % order["disk"]'),),
    "size of one file": (unlimited(resource.RLIMIT_FSIZE),),
    "memory of the group": ungrouped("memory"),
    "memory of the tree": (metered("TreeMeter", memory_bytes=2**50),),
    "processes of the group": ungrouped("pids"),
    "processes of the user": (unlimited(resource.RLIMIT_NPROC),),
    "processor time of the group": (metered("GroupMeter", cpu_seconds=None),),
    "processor time of the tree": (metered("TreeMeter", cpu_seconds=None),),
    "processors of the group": ungrouped("cpu"),
    "open files": (unlimited(resource.RLIMIT_NOFILE),),
    "wall time": (Outside("windtunnel.sandbox.bubblewrap.Watched", lambda real: lambda **fields: real(
        **(fields | {"wall_seconds": 60.0}))),),
    "output bound": (Outside("windtunnel.sandbox.bubblewrap.Kept", lambda real: lambda _, **options: real(2**40, **options)),),
    # Reading back.
    "plain files alone are read back": (Outside("windtunnel.sandbox.bubblewrap.harvest", lambda real: rewritten(
        real, "follow_symlinks=False)\n                    if not own:", "follow_symlinks=True)\n                    if not own:")),),
    "no link is opened": (Outside("windtunnel.sandbox.bubblewrap.harvest", lambda real: rewritten(
        real, "_OPEN = os.O_RDONLY | os.O_NOFOLLOW | ", "_OPEN = os.O_RDONLY | ")),),
    # The supervisor's death.
    "death with the supervisor": (no_flag("--die-with-parent"), Inside(
        "launch", "    libc.prctl(kernel.PR_SET_PDEATHSIG, kernel.SIGKILL, 0, 0, 0)\n")),
    # It does go in the end, so that a control leaves nothing behind.
    "end with the control socket": (Inside(
        "stem", "        if not data:\n            os._exit(0)\n        order =",
        "        if not data:\n            libc.sleep(6)\n            os._exit(0)\n        order ="),),
}
