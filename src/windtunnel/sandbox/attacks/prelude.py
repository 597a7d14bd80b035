"""What every attacking program begins with: a name the host can find it by, and a way to say what happened.

The process carries the token as its ``comm``, which the host reads in the process table without
asking the program; ``hold`` adds a plus sign when all acts are done and waits to be looked at and
ended. Each line on standard output begins with the token. A program that never says ``done``
proves nothing.
"""

PRELUDE = """\
import ctypes, errno, fcntl, os, signal, socket, struct, sys, time
TOKEN = {token}
libc = ctypes.CDLL(None, use_errno=True)
TMP = os.environ.get("TMPDIR") or "/tmp"
OUT = os.environ.get("WINDTUNNEL_BARE_BUILD", TMP + "/build")
ARM = os.uname().machine == "aarch64"
NR = {name: pair[ARM] for name, pair in dict(
    io_uring_setup=(425, 425), userfaultfd=(323, 282), bpf=(321, 280), perf_event_open=(298, 241),
    add_key=(248, 217), keyctl=(250, 219), init_module=(175, 105), finit_module=(313, 273), clone=(56, 220),
    clone3=(435, 435), pidfd_open=(434, 434), pidfd_getfd=(438, 438), fsopen=(430, 430), open_tree=(428, 428),
    process_vm_readv=(310, 270), ioctl=(16, 29), getpid=(39, 172)).items()}
WALL = (errno.EPERM, errno.EACCES, errno.ENOSYS)

def checked(value):
    if value == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return value

def call(name, *arguments):
    return checked(libc.syscall(ctypes.c_long(NR[name] if isinstance(name, str) else name), *(
        ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))

def say(*words):
    print(TOKEN, *(str(word).replace("\\n", " ") for word in words), flush=True)

def attempt(label, act, reached=False):
    # With reached, only the refusals a wall gives count as refusals: any other error came from behind it.
    try:
        value = act()
    except BaseException as error:
        number = getattr(error, "errno", None)
        if reached and number is not None and number not in WALL:
            say("did", label, errno.errorcode.get(number, number))
        else:
            say("refused", label, errno.errorcode.get(number, type(error).__name__))
        return None
    say("did", label, value)
    return value

def in_child(act):
    # A child ends at once: 0 when the act worked, else the error number; a signal becomes EPERM.
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            act()
        except OSError as error:
            code = error.errno or 1
        except BaseException:
            code = errno.EINVAL
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code if code > 0 else errno.EPERM, "refused in the child")
    return "ok"

def read(path, size=200):
    with open(path, "rb") as file:
        return file.read(size).decode("utf-8", "replace")

def listed(path):
    # What a folder holds; nothing, said as a refusal, where it may not be listed.
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        say("refused", "list-" + path, errno.errorcode.get(error.errno))
        return []

def named(text):
    libc.prctl(15, text.encode(), 0, 0, 0)

def finish():
    say("done")

def hold():
    say("done")
    named(TOKEN + "+")
    time.sleep(20)

named(TOKEN)
"""
