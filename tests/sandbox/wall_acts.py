"""Acts for walls that no row of the attack suite meets alone, judged from the host wherever it can see them."""

import os
from dataclasses import replace
from pathlib import Path

from windtunnel.core.limits import MIB
from windtunnel.sandbox.attacks import ALL
from windtunnel.sandbox.attacks.base import USUAL, Attack, held, not_held
from windtunnel.sandbox.attacks.judges import astray, collected, link_target, look, nothing_done, seen
from windtunnel.sandbox.attacks.resource_judges import disk_bounded

ROWS = {attack.row: attack for attack in ALL}


def act(title, code, *, judge=nothing_done, **fields):
    return Attack(row="", title=title, severity="", code=code, judge=judge, **fields)


def stands(title, check):
    """A program that only holds still; ``check`` says from its posture what is wrong."""
    return act(title, "hold()\n", watch=look, judge=seen(check))


def shares(namespace):
    return stands(f"shares our {namespace} namespace", lambda posture: (
        "it is ours" if namespace in posture.shared_namespaces else None))


def in_var(row):
    """A row of the suite whose host folder lies in /var/tmp, so that a private /tmp is not what hides it."""
    attack = ROWS[row]

    def prepare(host):
        host.folder = host.folder_in("/var/tmp")
        return attack.prepare(host)

    return replace(attack, prepare=prepare)


def _in_drop(host):
    """A host folder that everybody may write to, with nothing in it."""
    host.planted = (host.folder_in("/var/tmp", mode=0o1777),)
    return {"drop": host.planted[0]}


def _drop_empty(host, result):
    made = [path.name for path in Path(host.planted[0]).iterdir()]
    return not_held(f"the host has {made}") if made else astray(host, result) or held("the host's folder is empty")


def _slowed(host, result):
    """By the host's own clock: a tenth of a processor needs three seconds for what a whole one does in 0.3."""
    if verdict := astray(host, result):
        return verdict
    return not_held(f"done in {host.elapsed:.1f} s") if host.elapsed < 2 else held(f"it took {host.elapsed:.1f} s")


IS_ROOT = stands("runs as root of the host", lambda posture: "host uid 0" if "0" in posture.uids else None)
IN_OUR_SESSION = stands("sits in our session", lambda posture: "it is ours" if posture.session == os.getsid(0) else None)
DIES_LAST = act(
    "makes itself the last to be ended when memory is short",
    "attempt('oom', lambda: open('/proc/self/oom_score_adj', 'w').write('0'))\nhold()\n", watch=look,
    judge=seen(lambda posture: None if posture.oom_score_adj >= 500 else f"oom_score_adj {posture.oom_score_adj}"))
WRITES_HOST_FOLDER = act(
    "makes a file in a world-writable folder of the host",
    "attempt('make', lambda: os.close(os.open({drop} + '/new', os.O_CREAT | os.O_WRONLY)))\nfinish()\n",
    prepare=_in_drop, judge=_drop_empty)
OPENS_CORE_PATTERN = replace(ROWS["F10"], prepare=lambda host: {"paths": "/proc/sys/kernel/core_pattern"})
WRITES_SANDBOX = act(
    "changes the folder of its source", "attempt('make', lambda: os.mkdir('/sandbox/new'))\nfinish()\n")
READS_INIT = act(
    "reads the memory of init", "attempt('open', lambda: os.close(os.open('/proc/1/mem', os.O_RDONLY)))\nfinish()\n")
LIMITS_INIT = act(
    "changes a limit of init",
    "import resource\nattempt('prlimit', lambda: resource.prlimit(1, resource.RLIMIT_CORE, (0, 0)))\nfinish()\n")
TRACES = act("traces a child of its own", """
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
attempt("seize", lambda: checked(libc.ptrace(0x4206, child, None, None)))
os.kill(child, signal.SIGKILL)
finish()
""")
WIDENS_PIPE = act(
    "makes a pipe of a megabyte", "attempt('widen', lambda: fcntl.fcntl(os.pipe()[1], 1031, 2 ** 20))\nfinish()\n")
MANY_FILES = act("fills the disk with files that are small enough", """
total = 0
def fill(number):
    global total
    with open(TMP + "/" + TOKEN + str(number), "xb", buffering=0) as file:
        total += file.write(b"x" * 2 ** 22)
for number in range(6):
    attempt("file-" + str(number), lambda: fill(number))
print(TOKEN, "total", total, flush=True)
finish()
""", judge=disk_bounded, limits=replace(USUAL, disk_bytes=8 * MIB))
LEAVES_LINK = act(
    "leaves a link to a host file to be read back",
    "os.makedirs(OUT, exist_ok=True)\nos.symlink({path}, OUT + '/junit.xml')\nfinish()\n", prepare=link_target, judge=collected, build=True)
BURNS = act(
    "takes more of a processor than its share", "while time.process_time() < 0.3:\n    pass\nfinish()\n",
    judge=_slowed, limits=replace(USUAL, cores=0.1))
