"""Section K: other processes and the kernel's surface."""

from __future__ import annotations

import os

from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks.base import Attack, Values, Verdict, held, not_held, only_x86_64
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import astray, both, look, nothing_done, refusals, seen, untold
from windtunnel.sandbox.attacks.posture import Posture

_SIGNAL = """
attempt("probe", lambda: os.kill({victim}, 0))
attempt("pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open({victim}), signal.SIGKILL))
attempt("kill", lambda: os.kill({victim}, signal.SIGKILL))
finish()
"""

_TRACE = """
def stolen():
    return os.pread(call("pidfd_getfd", call("pidfd_open", {victim}, 0), {descriptor}, 0), 100, 0).decode()
attempt("pidfd_getfd", stolen)
attempt("mem", lambda: os.close(os.open("/proc/" + str({victim}) + "/mem", os.O_RDWR)))
attempt("ptrace-seize", lambda: in_child(lambda: checked(libc.ptrace(0x4206, {victim}, None, None))))
def vector():
    return call("process_vm_readv", {victim}, 0, 0, 0, 0, 0)
attempt("process_vm_readv", vector)
finish()
"""

_USER_NAMESPACE = """
def cloned():
    pid = call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
def cloned3():
    arguments = struct.pack("=8Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = call("clone3", ctypes.c_char_p(arguments), len(arguments))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
attempt("unshare", lambda: in_child(lambda: checked(libc.unshare(0x10000000))))
attempt("clone", cloned)
attempt("clone3", cloned3)
attempt("unshare-mount", lambda: in_child(lambda: checked(libc.unshare(0x20000))))
def joined():
    handle = os.open("/proc/self/ns/net", os.O_RDONLY)
    checked(libc.setns(handle, 0))
attempt("setns", lambda: in_child(joined))
finish()
"""

_IO_URING = """
attempt("io_uring_setup", lambda: call("io_uring_setup", 4, ctypes.create_string_buffer(120)))
finish()
"""

_USERFAULTFD = """
attempt("userfaultfd", lambda: call("userfaultfd", 0))
attempt("user-mode-only", lambda: call("userfaultfd", 1))
finish()
"""

_BPF = """
array = struct.pack("=IIIII", 2, 4, 4, 1, 0) + bytes(100)
attempt("bpf-map", lambda: call("bpf", 0, ctypes.c_char_p(array), len(array)))
# A software clock event on itself alone, excluding the kernel.
event = struct.pack("=IIQQQQQ", 1, 112, 1, 0, 0, 0, 0b1100001) + bytes(64)
attempt("perf_event_open", lambda: call("perf_event_open", ctypes.c_char_p(event), 0, -1, -1, 0))
finish()
"""

_KEYS = """
content = TOKEN.encode()
attempt("add_key", lambda: call("add_key", ctypes.c_char_p(b"user"), ctypes.c_char_p(content),
                                ctypes.c_char_p(content), len(content), -2))
attempt("keyctl", lambda: call("keyctl", 0, -3, 0))
finish()
"""

_MODULES = """
attempt("finit_module", lambda: call("finit_module", -1, ctypes.c_char_p(b""), 0), reached=True)
attempt("init_module", lambda: call("init_module", 0, 0, ctypes.c_char_p(b"")), reached=True)
finish()
"""

# On a terminal of its own, so that nothing is typed into anybody else's.
_TERMINAL = """
import pty
try:
    main, side = pty.openpty()
except OSError:
    main = side = -1
    say("refused", "openpty", "no terminal to type on")
def typed(request):
    os.setsid()
    fcntl.ioctl(side, 0x540E, 0)
    call("ioctl", side, request, ctypes.c_char_p(b"x"))
attempt("TIOCSTI", lambda: in_child(lambda: typed(0x5412)))
attempt("TIOCSTI-bit-32", lambda: in_child(lambda: typed(0x5412 | 1 << 32)))
hold()
"""

_HOLD = "hold()\n"

_INT_80 = """
import mmap
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(bytes.fromhex("53b814000000cd805bc3"))  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
def entered():
    value = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
    if value < 0:
        raise OSError(-value, "refused")
attempt("int-0x80", lambda: in_child(entered))
attempt("x32", lambda: in_child(lambda: call(0x40000000 | 39)))
finish()
"""

_CLOCK = """
buffer = ctypes.create_string_buffer(256)
def same_tick():
    checked(libc.adjtimex(buffer))
    struct.pack_into("=I", buffer, 0, 0x4000)
    return checked(libc.adjtimex(buffer))
attempt("adjtimex", same_tick)
finish()
"""

_PRIORITY = """
import resource
attempt("real-time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
def immune():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-500")
attempt("oom-immunity", immune)
def raised():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
attempt("hard-limit", raised)
hold()
"""

_BY_HANDLE = """
handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128), 136)
mount = ctypes.c_int()
def reopened(path):
    checked(libc.name_to_handle_at(-100, path, handle, ctypes.byref(mount), 0))
    folder = os.open(path, os.O_RDONLY)
    return checked(libc.open_by_handle_at(folder, handle, os.O_RDONLY))
for path in (b"/", b"/usr", b"/tmp", b"/sandbox"):
    if os.path.isdir(path):
        attempt(path.decode(), lambda: reopened(path))
finish()
"""


def _victim(host: Host) -> Values:
    return {"victim": host.victim.process.pid, "descriptor": host.victim.descriptor}


def _victim_lives(host: Host, result: ExecutionResult) -> Verdict:
    if not host.victim.alive:
        return not_held("the host's process was ended")
    return nothing_done(host, result)


def _terminal(host: Host, result: ExecutionResult) -> Verdict:
    """Held by either wall: no way to type, or a session that has no terminal of ours."""
    if verdict := astray(host, result):
        return verdict
    typed = host.said(result).did
    if not typed:
        return held(f"refused: {refusals(host, result)}")
    if host.posture is None or host.posture.session == os.getsid(0):
        return not_held(f"it may type ({', '.join(typed)}) and is not seen in a session of its own")
    return held(f"it is in session {host.posture.session}, not in ours; typing worked only on its own terminal")


def _no_capabilities(posture: Posture) -> str | None:
    sets = posture.capabilities
    return "not empty: " + ", ".join(f"{name} {value}" for name, value in sets.items()) if sets else None


def _filtered(posture: Posture) -> str | None:
    mode = posture.status.get("Seccomp")
    return None if mode == "2" else f"Seccomp mode is {mode}, not 2"


def _plain_priority(posture: Posture) -> str | None:
    found = [f"{name} {value}" for name, value, wrong in (
        ("policy", posture.policy, posture.policy != 0),
        ("nice", posture.nice, posture.nice < 0),
        ("oom_score_adj", posture.oom_score_adj, posture.oom_score_adj < 0),
    ) if wrong]
    return ", ".join(found) or None


def _all_as_declared(posture: Posture) -> str | None:
    """Every trait at once; the first lines of the answer to whether the walls stand."""
    extra = {number: link for number, link in posture.descriptors.items() if number > 2}  # noqa: PLR2004 -- 0, 1, 2
    writable = [mount.point for mount in posture.mounts if mount.host_writable]
    found = (
        "it runs as host uid 0" if "0" in posture.uids else None,
        _no_capabilities(posture),
        None if posture.status.get("NoNewPrivs") == "1" else "NoNewPrivs is 0",
        _filtered(posture),
        f"shared namespaces: {', '.join(posture.shared_namespaces)}" if posture.shared_namespaces else None,
        f"descriptors beyond the three: {extra}" if extra else None,
        f"writable host mounts: {', '.join(writable[:5])}" if writable else None,
        None if posture.oom_score_adj >= 0 else f"oom_score_adj {posture.oom_score_adj}",
    )
    return "; ".join(trouble for trouble in found if trouble) or None


ATTACKS = (
    Attack(row="K01", title="signals a host process", severity="DoS", code=_SIGNAL, prepare=_victim,
           judge=_victim_lives),
    Attack(row="K02", title="traces a host process and takes its descriptors", severity="Esc", code=_TRACE,
           prepare=_victim, judge=both(untold(lambda host: host.private.content), nothing_done)),
    Attack(row="K03", title="makes a user namespace by three calls, and joins one", severity="Int",
           code=_USER_NAMESPACE, judge=nothing_done),
    Attack(row="K04", title="sets up an io_uring", severity="Int", code=_IO_URING, judge=nothing_done),
    Attack(row="K05", title="handles page faults in user space", severity="Int", code=_USERFAULTFD,
           judge=nothing_done),
    Attack(row="K06", title="makes a BPF map and a performance event", severity="Int", code=_BPF, judge=nothing_done),
    Attack(row="K07", title="uses the kernel's keyrings", severity="Lat", code=_KEYS, judge=nothing_done),
    Attack(row="K08", title="reaches the loading of kernel modules", severity="Esc", code=_MODULES,
           judge=nothing_done),
    Attack(row="K09", title="types into a terminal", severity="Esc", code=_TERMINAL, watch=look, judge=_terminal),
    Attack(row="K10", title="holds capabilities", severity="Int", code=_HOLD, watch=look,
           judge=seen(_no_capabilities)),
    Attack(row="K11", title="enters the kernel by the 32-bit tables", severity="Int", code=_INT_80,
           judge=nothing_done, needs=only_x86_64),
    Attack(row="K12", title="sets the clock", severity="DoS", code=_CLOCK, judge=nothing_done),
    Attack(row="K13", title="takes priority over the host", severity="DoS", code=_PRIORITY, watch=look,
           judge=both(nothing_done, seen(_plain_priority))),
    Attack(row="K14", title="runs without a system-call filter", severity="Int", code=_HOLD, watch=look,
           judge=seen(_filtered)),
    Attack(row="K15", title="opens a file by its handle", severity="Esc", code=_BY_HANDLE, judge=nothing_done),
    Attack(row="K16", title="stands as declared: uids, capabilities, filter, namespaces, descriptors, mounts",
           severity="Esc", code=_HOLD, watch=look, judge=seen(_all_as_declared)),
)
