"""A root file system of the distribution's packages, by ``mmdebstrap`` and the machine's own apt sources.

The sources are asked for at run time and reach mmdebstrap through its standard input, so that a mirror, or a password
in its address, is seen in no list of processes and stays in no file. mmdebstrap runs in a process and a mount namespace
of its own: when we die, however we die, all its processes and mounts go with us. The folder it worked in is removed
when it ends; after a kill the next build does, because its name says whose it was.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.sandbox.container.engine import words
from windtunnel.sandbox.container.image_tar import write_cleaned
from windtunnel.sandbox.private import make_folder, remove_folder, sweep
from windtunnel.spawn import ask, converse, handles, keeper_call

_TARGETS = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ARCHITECTURE)|$(ORIGIN)"
_PLAIN = re.compile(r"[^\s|\[\]\"]+")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{1,127}")
_IDENTITY = re.compile(r'^(ID|VERSION_CODENAME)="?([a-z][a-z0-9-]*)"?$', re.MULTILINE)
_SETTING = re.compile(r'Acquire::(?:https?::[\w:.-]+|Check-Valid-Until|Retries|ForceIPv[46]) "[^"\n]*";')
_PASSED = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LEFT_OUT = ("/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*")
"""Not the manuals: some packages cannot be set up without their folder. They are left out of the archive."""
_MOST_LINES, _TOLD_LINES = 1000, 3
_ERROR = re.compile(r"E: |dpkg: error|.* error: ")
_GRACE_SECONDS = 10.0
_APART = ("--pdeathsig", "KILL", "--",
          "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--")
"""What setpriv is told, so that nothing of it outlives us."""
SECONDS = 1800.0
"""The most that installing packages may take."""


def write_packages(
    packages: Sequence[str], out: IO[bytes], *, tell: Callable[[str], None], seconds: float = SECONDS,
    path: str = PATH,
) -> None:
    """The packages and what they need, as a cleaned tar archive; ``tell`` hears each line of progress."""
    if os.geteuid() != 0:
        raise IsolationUnavailable("only root can install packages into an image (sudo windtunnel image build; or take "
                                   "the host's own files: --from files)")
    program, apt_get, apt_config, setpriv = (
        _program(name, path) for name in ("mmdebstrap", "apt-get", "apt-config", "setpriv"))
    distribution, codename = machine_identity(_os_release())
    targets = _asked(apt_get, "indextargets", "--format", _TARGETS, "Created-By: Packages")
    sources = sources_list(targets, distribution=distribution, codename=codename)
    settings = _SETTING.findall(_asked(apt_config, "dump"))
    argv = [setpriv, *_APART, *arguments(program, packages, codename=codename, settings=settings)]
    with _workplace() as folder, _started(argv, environment(os.environ, path=path, folder=folder)) as process:
        _install(process, sources, out, tell=tell, seconds=seconds)


def _program(name: str, path: str) -> str:
    found = shutil.which(name, path=path)
    if found is None:
        package = {"apt-get": "apt", "apt-config": "apt", "setpriv": "util-linux"}.get(name, name)
        raise IsolationUnavailable(f"{name} is not installed, and images are made of packages by it (apt-get install "
                                   f"{package}; or take the host's own files: --from files)")
    return found


def arguments(program: str, packages: Sequence[str], *, codename: str, settings: Sequence[str]) -> list[str]:
    """Mmdebstrap's command line: sources come in by its standard input, the archive goes out by its output."""
    for name in packages:
        if _PACKAGE.fullmatch(name) is None:
            raise SandboxFailure(f"not the name of a package: {words(name, most=80)!r}")
    included = [f"--include={','.join(packages)}"] if packages else []
    return [program, "--mode=root", "--variant=essential", "--format=tar", "--dpkgopt=force-unsafe-io", *included,
            *(f"--dpkgopt=path-exclude={path}" for path in _LEFT_OUT),
            *(f"--aptopt={setting.removesuffix(';')}" for setting in settings),
            '--aptopt=APT::Install-Recommends "false"', "--", codename, "-", "-"]


def sources_list(targets: str, *, distribution: str, codename: str) -> str:
    """Lines for apt, from what apt says of the machine's own sources; other releases and other makers are left out.

    A maker is known once the machine has read the source; one that is not known is taken. Nothing is ever taken
    without its signature: the keys are those that the machine has for its distribution.
    """
    lines = dict.fromkeys(filter(None, (_source(line, distribution, codename) for line in targets.splitlines())))
    if not lines:
        raise IsolationUnavailable(
            f"this machine's apt has no source of packages for {codename} (see /etc/apt/sources.list.d; or take the "
            "host's own files: --from files)")
    return "".join(f"{line}\n" for line in lines)


def _source(line: str, distribution: str, codename: str) -> str | None:
    fields = line.split("|")
    if len(fields) != _TARGETS.count("|") + 1 or not all(_PLAIN.fullmatch(field) for field in fields[:4]):
        return None
    uri, release, component, architecture, origin = fields
    if release != codename and not release.startswith(f"{codename}-"):
        return None
    if origin.lower() not in (distribution, "", "$(origin)"):
        return None
    return f"deb [arch={architecture}] {uri} {release} {component}"


def machine_identity(os_release: str) -> tuple[str, str]:
    """The distribution and what it calls its release: ``debian``, ``bookworm``."""
    found = dict(_IDENTITY.findall(os_release))
    if set(found) != {"ID", "VERSION_CODENAME"}:
        raise IsolationUnavailable("this machine is no Debian or Ubuntu, so there are no packages to make an image of "
                                   "(take the host's own files: --from files)")
    return found["ID"], found["VERSION_CODENAME"]


def environment(given: Mapping[str, str], *, path: str, folder: str) -> dict[str, str]:
    """Nothing of ours but the way to the mirror."""
    passed = {name: given[name] for name in _PASSED if name in given}
    return {"PATH": path, "LC_ALL": "C.UTF-8", "TMPDIR": folder, "DEBIAN_FRONTEND": "noninteractive", **passed}


def _os_release() -> str:
    try:
        with open("/etc/os-release", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read(65_536)
    except OSError:
        return ""


def _asked(*argv: str) -> str:
    code, said = ask(argv, seconds=60)
    if code:
        raise IsolationUnavailable(f"{argv[0]} cannot be asked for the sources of packages: {words(said)}")
    return said


@contextlib.contextmanager
def _workplace() -> Iterator[str]:
    """A folder that goes when we do, or that the next build removes: it is ours by its name and by a lock on it."""
    parent = tempfile.gettempdir()
    sweep(parent)
    folder, lock = make_folder(parent)
    try:
        os.fchmod(lock, 0o711)  # apt reads its downloads as a user of its own
        yield folder
    finally:
        remove_folder(folder, lock)


@contextlib.contextmanager
def _started(argv: Sequence[str], env: Mapping[str, str]) -> Iterator[handles.Popen[bytes]]:
    """Started by the thread that lives as long as we do, because its life is tied to that thread; ended in any case."""
    process = keeper_call(lambda: converse(argv, cwd="/", env=env, session=True))
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        _until_all_ended(process)


def _until_all_ended(process: handles.Popen[bytes]) -> None:
    """Its output ends when the last of its processes is gone, so that nobody writes below its folder any more."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            with contextlib.suppress(OSError):
                while stream.readable() and stream.read(1 << 16):
                    pass
                stream.close()


def _install(
    process: handles.Popen[bytes], sources: str, out: IO[bytes], *, tell: Callable[[str], None], seconds: float,
) -> None:
    with _deadline(process, seconds) as late, _heard(process, tell) as said:
        failure = _exchange(process, sources, out)
        process.wait()  # the deadline ends it, if nothing else does
    if late.is_set():
        raise SandboxFailure(f"installing packages took more than {seconds:g} seconds: {_why(said)}")
    if process.returncode:
        raise SandboxFailure(f"mmdebstrap could not install the packages: {_why(said)}")
    if failure is not None:
        raise failure


def _exchange(process: handles.Popen[bytes], sources: str, out: IO[bytes]) -> SandboxFailure | None:
    """The sources go in and the archive comes out; what was wrong with it, of which mmdebstrap may know more."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(sources.encode())
        process.stdin.close()
    try:
        write_cleaned(process.stdout, out)
    except SandboxFailure as error:
        process.stdout.close()  # so that it does not wait for a reader
        return error
    return None


@contextlib.contextmanager
def _deadline(process: handles.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Ends it when its time is over, and then says so."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


@contextlib.contextmanager
def _heard(process: handles.Popen[bytes], tell: Callable[[str], None]) -> Iterator[deque[str]]:
    """The last lines of what it says, which grow while it runs."""
    assert process.stderr is not None
    said: deque[str] = deque(maxlen=_MOST_LINES)
    reader = threading.Thread(target=_hear, args=(process.stderr, said, tell), daemon=True)
    reader.start()
    yield said
    reader.join(_GRACE_SECONDS)


def _hear(stream: IO[bytes], said: deque[str], tell: Callable[[str], None]) -> None:
    """Each line as it comes, cleaned; only the last ones are kept."""
    with contextlib.suppress(ValueError, OSError):  # closed under our hands, because all is over
        while line := stream.readline(4096):
            text = words(line.decode("utf-8", "replace"), most=200)
            if text:
                tell(text)
                said.append(text)


def _why(said: Iterable[str]) -> str:
    """The first errors, of which the later ones come; else the last lines."""
    lines = list(said)
    errors = [line for line in lines if _ERROR.match(line)][:_TOLD_LINES]
    return "; ".join(errors or lines[-_TOLD_LINES:]) or "it said nothing"
