"""Section S: secrets and information of the host.

Each act looks only for what the suite itself planted, so that a run without walls prints nothing private.
"""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks.base import Attack, Values, Verdict, held, not_held
from windtunnel.sandbox.attacks.host import FOLDER_PREFIX, SECRET_NAME, Host
from windtunnel.sandbox.attacks.judges import astray, nothing_done, untold

_ENVIRONMENT = """
for name, value in os.environ.items():
    if name == {name}:
        say("did", "environ", value)
def initial():
    words = [word for word in read("/proc/self/environ", 100000).split("\\0") if word.startswith({name})]
    return words or checked(-1)
attempt("own-environ", initial)
finish()
"""

_PROCESSES = """
# The victim's number is known, so that a list of processes is not needed to reach it.
for pid in {str({victim}), *(entry for entry in listed("/proc") if entry.isdigit())}:
    try:
        words = [word for word in read(f"/proc/{pid}/{file}", 100000).split("\\0") if word.startswith({known})]
    except OSError:
        continue
    if words:
        say("did", "read", words)
attempt("victim", lambda: read("/proc/" + str({victim}) + "/{file}", 10) and "opened")
finish()
"""

_OPEN = """
for index, path in enumerate({paths}.split("|")):
    attempt("open-" + str(index), lambda: read(path))
finish()
"""

_ROUND_ABOUT = """
ways = ["/proc/" + pid + "/root" + {path} for pid in (str({victim}), "1", "self", "thread-self", str(os.getppid()))]
ways += ["/proc/" + str({victim}) + "/cwd/private", "/proc/" + str({victim}) + "/fd/" + str({descriptor})]
ways += ["../" * 30 + {path}.lstrip("/"), "/proc/self/cwd/" + "../" * 30 + {path}.lstrip("/")]
for index, way in enumerate(ways):
    attempt("way-" + str(index), lambda: read(way))
def escape():
    os.mkdir(TMP + "/" + TOKEN + "-jail")
    os.chroot(TMP + "/" + TOKEN + "-jail")
    os.chdir("../" * 30)
    os.chroot(".")
    return read({path})
attempt("chroot", lambda: in_child(escape))
finish()
"""

_DESCRIPTORS = """
for number in range(3, 1024):
    try:
        text = os.pread(number, 100, 0)
    except OSError:
        continue
    say("did", "descriptor-" + str(number), text.decode("utf-8", "replace"))
finish()
"""

_NAMES = """
say("saw", os.uname().nodename)
for path in ("/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostname", "/proc/sys/kernel/hostname"):
    try:
        say("saw", read(path).strip())
    except OSError:
        pass
finish()
"""

_KERNEL_LOG = """
buffer = ctypes.create_string_buffer(4096)
attempt("syslog", lambda: checked(libc.klogctl(3, buffer, 4096)) and "read")
attempt("kmsg", lambda: os.close(os.open("/dev/kmsg", os.O_RDONLY)))
attempt("proc-kmsg", lambda: os.close(os.open("/proc/kmsg", os.O_RDONLY | os.O_NONBLOCK)))
finish()
"""

_KERNEL_MEMORY = """
def addresses():
    lines = read("/proc/kallsyms", 20000).splitlines()
    found = [line for line in lines if line.split()[:1] and int(line.split()[0], 16)]
    return "addresses" if found else checked(-1)
def filled(path):
    return "entries" if os.listdir(path) else checked(-1)
attempt("kallsyms", addresses)
for path in ("/proc/kcore", "/dev/mem", "/dev/port"):
    attempt(path, lambda: os.close(os.open(path, os.O_RDONLY)))
for path in ("/sys/kernel/debug", "/sys/kernel/tracing", "/sys/firmware", "/sys/kernel/security"):
    attempt(path, lambda: filled(path))
finish()
"""

_LEAVE = """
key = int(TOKEN[2:9], 16)
for folder in ("/tmp", "/var/tmp", "/dev/shm", os.getcwd(), os.path.expanduser("~")):
    def leave():
        with open(os.path.join(folder, TOKEN + "-left"), "x") as file:
            file.write({content})
    try:
        leave()
    except OSError:
        pass
libc.shmget(key, 4096, 0o1666)
libc.msgget(key, 0o1666)
libc.semget(key, 1, 0o1666)
content = {content}.encode()
libc.syscall(NR["add_key"], b"user", TOKEN.encode(), content, len(content), ctypes.c_long(-4))
finish()
"""

_LOOK_AGAIN = """
key = int(TOKEN[2:9], 16)
for folder in ("/tmp", "/var/tmp", "/dev/shm", os.getcwd(), os.path.expanduser("~")):
    path = os.path.join(folder, TOKEN + "-left")
    attempt(folder, lambda: (read(path), os.unlink(path)))
def removed(kind, number):
    control = dict(shm=lambda: libc.shmctl(number, 0, None), msg=lambda: libc.msgctl(number, 0, None),
                   sem=lambda: libc.semctl(number, 0, 0))
    control[kind]()
    return "found"
attempt("shm", lambda: removed("shm", checked(libc.shmget(key, 4096, 0))))
attempt("msg", lambda: removed("msg", checked(libc.msgget(key, 0))))
attempt("sem", lambda: removed("sem", checked(libc.semget(key, 1, 0))))
def key_found():
    number = call("keyctl", 10, -4, ctypes.c_char_p(b"user"), ctypes.c_char_p(TOKEN.encode()), 0)
    call("keyctl", 9, number, -4)
    return "found"
attempt("keyring", key_found)
finish()
"""

_TEMPORARY = """
for folder in {folders}.split("|"):
    try:
        say("saw", [name for name in os.listdir(folder) if name.startswith({prefix})])
    except OSError:
        pass
finish()
"""

_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 -- the host's shared folders are what is attacked


def _shared_folders() -> tuple[str, ...]:
    places = dict.fromkeys((tempfile.gettempdir(), *_SHARED_FOLDERS))
    return tuple(place for place in places if os.access(place, os.W_OK))


def _in_environment(host: Host) -> Values:
    assert host.secret
    return {"name": SECRET_NAME}


def _victim_file(host: Host) -> Values:
    return {"victim": host.victim.process.pid, "known": SECRET_NAME}


def _victim_command(host: Host) -> Values:
    return {"victim": host.victim.process.pid, "known": f"{host.token}-victim:"}


def _public_paths(host: Host) -> Values:
    canaries = [host.canary(folder=host.folder_in(place)) for place in _shared_folders()]
    host.planted = tuple(canary.content for canary in canaries)
    return {"paths": "|".join(canary.path for canary in canaries)}


def _private_path(host: Host) -> Values:
    return {"paths": host.private.path}


def _round_about(host: Host) -> Values:
    host.remove_afterwards(f"{tempfile.gettempdir()}/{host.token}-jail")
    return {"victim": host.victim.process.pid, "descriptor": host.victim.descriptor, "path": host.private.path}


def _leaked(host: Host) -> Values:
    assert host.leaked
    return {}


def _left(host: Host) -> Values:
    for folder in _SHARED_FOLDERS:
        host.remove_afterwards(f"{folder}/{host.token}-left")
    return {"content": host.private.content}


def _folders(host: Host) -> Values:
    folders = [host.folder_in(place) for place in _shared_folders()]
    host.planted = tuple(Path(folder).name for folder in folders)
    return {"folders": "|".join(_shared_folders()), "prefix": FOLDER_PREFIX}


def _neutral_names(host: Host, result: ExecutionResult) -> Verdict:
    ours = {"host name": socket.gethostname()}
    machine_id = Path("/etc/machine-id")
    if machine_id.is_file():
        ours["machine-id"] = machine_id.read_text().strip()
    seen = {line.removeprefix(f"{host.token} saw ") for line in result.stdout.splitlines()}
    told = [name for name, value in ours.items() if value and value != "localhost" and value in seen]
    if told:
        return not_held(f"the program saw our {' and '.join(told)}")
    return astray(host, result) or held(f"the program saw other values than our {' and '.join(ours)}")


ATTACKS = (
    Attack(row="S01", title="looks for our secret in its environment", severity="Leak", code=_ENVIRONMENT,
           prepare=_in_environment, judge=untold(lambda host: host.secret)),
    Attack(row="S02", title="reads the environment of a host process", severity="Leak",
           code=_PROCESSES.replace("{file}", "environ"), prepare=_victim_file,
           judge=untold(lambda host: host.victim.secret)),
    Attack(row="S03", title="sees host processes and their command lines", severity="Leak",
           code=_PROCESSES.replace("{file}", "cmdline"), prepare=_victim_command,
           judge=untold(lambda host: host.victim.secret)),
    Attack(row="S04", title="reads a world-readable host file", severity="Leak", code=_OPEN,
           prepare=_public_paths, judge=untold(lambda host: host.planted)),
    Attack(row="S05", title="reads a host file that is private to its owner", severity="Leak", code=_OPEN,
           prepare=_private_path, judge=untold(lambda host: host.private.content)),
    Attack(row="S06", title="reaches a host file by /proc, by ../ and by chroot", severity="Esc", code=_ROUND_ABOUT,
           prepare=_round_about, judge=untold(lambda host: host.private.content)),
    Attack(row="S07", title="uses descriptors leaked by the supervisor", severity="Esc", code=_DESCRIPTORS,
           prepare=_leaked, judge=untold(lambda host: host.leaked.content)),
    Attack(row="S08", title="learns the host name and the machine-id", severity="Leak", code=_NAMES,
           judge=_neutral_names),
    Attack(row="S09", title="reads the kernel log", severity="Leak", code=_KERNEL_LOG, judge=nothing_done),
    Attack(row="S10", title="reads kernel memory, addresses and firmware tables", severity="Leak",
           code=_KERNEL_MEMORY, judge=nothing_done),
    Attack(row="S11", title="leaves objects for the next run to find", severity="Lat", code=_LEAVE,
           again=_LOOK_AGAIN, prepare=_left, judge=nothing_done),
    Attack(row="S12", title="lists the host's shared temporary folders", severity="Leak", code=_TEMPORARY,
           prepare=_folders, judge=untold(lambda host: host.planted)),
)
