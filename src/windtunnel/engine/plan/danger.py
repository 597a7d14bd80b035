"""Commands that a person should look at before they run, and those that nobody means.

What holds: a command is taken apart as a shell would, with its pipes, lists and substitutions, and each program in it
is looked at, also behind ``env``, ``sh -c`` and ``xargs``. What does not hold: this is a courtesy and no wall. Whoever
wants to hide a command can; the sandbox is what keeps it away from everything that matters.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from posixpath import basename, normpath

_OPERATORS = re.compile(r"&&|\|\||\|&|>>|<<|>\||&>|[();<>|&]")
_PUNCTUATION = frozenset("();<>|&")
_SEPARATORS = frozenset({"&&", "||", ";", "&", "(", ")"})
_PIPES = frozenset({"|", "|&"})
_WRITES = frozenset({">", ">>", ">|", "&>"})
_INNER = re.compile(r"\$\(([^()]{1,4000})\)|`([^`]{1,4000})`")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
_INTERPRETERS = _SHELLS | {"python", "python3", "perl", "ruby", "node", "php"}
_FETCHERS = frozenset({"curl", "wget", "fetch", "http", "aria2c"})
_DECODERS = frozenset({"base64", "base32", "xxd", "openssl", "uudecode", "gunzip", "rev", "tr"})
_BEHIND = frozenset({"env", "nohup", "nice", "ionice", "time", "exec", "command", "builtin", "setsid", "stdbuf",
                     "xargs", "timeout", "busybox", "chroot", "unshare", "sudo", "doas", "then", "do", "else", "if",
                     "while", "until", "!", "{"})
"""Words after which another program is named."""
_ASK = {
    **dict.fromkeys(("sudo", "su", "doas", "pkexec"), "asks for another user's rights"),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "kubectl", "helm", "terraform", "ansible",
                     "ansible-playbook", "vagrant"), "works on other machines or containers"),
    **dict.fromkeys(("ssh", "scp", "sftp", "rsync", "telnet", "nc", "ncat", "netcat", "socat"),
                    "talks to other machines"),
    **dict.fromkeys(("aws", "gcloud", "az", "heroku", "flyctl", "vercel", "netlify", "twine"), "works on a service"),
    **dict.fromkeys(("crontab", "at", "systemctl", "service", "launchctl"), "has something run later"),
    **dict.fromkeys(("useradd", "usermod", "passwd", "chpasswd", "visudo", "iptables", "nft", "sysctl", "insmod",
                     "modprobe", "mount", "umount"), "changes the system"),
    "eval": "runs a text that is made while it runs",
}
_REFUSE = {
    **dict.fromkeys(("mkfs", "fdisk", "parted", "wipefs", "shred", "sfdisk"), "destroys disks"),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "init"), "stops the machine"),
}
_PUBLISH = {
    ("git", "push"): "sends commits elsewhere", ("npm", "publish"): "", ("yarn", "publish"): "",
    ("pnpm", "publish"): "", ("cargo", "publish"): "", ("gem", "push"): "", ("poetry", "publish"): "",
    ("uv", "publish"): "",
    ("hatch", "publish"): "", ("flit", "publish"): "", ("mvn", "deploy"): "", ("gradle", "publish"): "",
    ("dotnet", "nuget"): "", ("gh", "release"): "", ("npm", "login"): "hands credentials over",
    ("npm", "adduser"): "hands credentials over"}
_SECRETS = (".ssh", ".aws", ".gnupg", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".docker/config.json",
            ".kube/config", "/etc/passwd", "/etc/shadow", "/etc/sudoers", "authorized_keys", "id_rsa", "id_ed25519")
_INSIDE = ("/workspace", "/tmp", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd")  # noqa: S108 -- inside the sandbox
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_MOST_DEPTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Why a command is held back."""

    why: str
    refuse: bool = False
    """Whether nobody may let it run; else a person may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of a command line."""

    argv: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Files that its output is sent to."""
    feeds: str = ""
    """The program before it in its pipe; empty where there is none."""

    @property
    def name(self) -> str:
        """Without its folder."""
        return basename(self.argv[0])


def danger(command: str) -> Danger | None:
    """The worst of a command; none where there is nothing to say."""
    try:
        found = list(_judged(command, 0))
    except ValueError:
        return Danger(why="it cannot be read as a shell would: quotes or brackets do not match")
    return next((one for one in found if one.refuse), next(iter(found), None))


def programs(command: str) -> tuple[Program, ...]:
    """The programs that a command starts by name; none where it cannot be read."""
    try:
        return tuple(_programs(_tokens(command)))
    except ValueError:
        return ()


def _judged(command: str, depth: int) -> Iterator[Danger]:
    if depth > _MOST_DEPTH:
        yield Danger(why="commands inside commands, too deep to follow")
        return
    tokens = _tokens(command)
    if _is_bomb(tokens):
        yield Danger(why="a function that starts itself without end", refuse=True)
    for program in _programs(tokens):
        yield from _of_program(program, depth)
    for found in _INNER.finditer(command):
        yield from _judged(found[1] or found[2], depth + 1)


def _tokens(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "", True
    found: list[str] = []
    for token in lexer:
        found += _OPERATORS.findall(token) if token and _PUNCTUATION.issuperset(token) else [token]
    return found


def _programs(tokens: Sequence[str]) -> Iterator[Program]:
    argv: list[str] = []
    writes: list[str] = []
    feeds, at = "", 0
    for at, token in enumerate(tokens):
        if token in _SEPARATORS or token in _PIPES:
            if argv:
                yield from _uncovered(argv, writes, feeds)
            feeds = basename(argv[0]) if token in _PIPES and argv else ""
            argv, writes = [], []
        elif at and tokens[at - 1] in _WRITES:
            writes.append(token)
        elif token not in _WRITES and not (at and tokens[at - 1] == "<") and token not in ("<", "<<"):
            argv.append(token)
    if argv or writes:
        yield from _uncovered(argv or [":"], writes, feeds)


def _uncovered(argv: list[str], writes: list[str], feeds: str) -> Iterator[Program]:
    """The program itself, and the one that it only starts."""
    rest = argv[_leading(argv):] or [":"]
    yield Program(argv=tuple(rest), writes=tuple(writes), feeds=feeds)
    if basename(rest[0]) in _BEHIND:
        behind = [word for word in rest[1:] if not word.startswith("-") and "=" not in word and not _is_number(word)]
        if behind:
            start = rest.index(behind[0], 1)
            yield from _uncovered(rest[start:], writes, feeds)


def _leading(argv: list[str]) -> int:
    """How many words in front only set variables."""
    return next((at for at, word in enumerate(argv) if not _VARIABLE.match(word)), len(argv))


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[0-9.]+[smhd]?", word) is not None


def _of_program(program: Program, depth: int) -> Iterator[Danger]:
    name, argv = program.name, program.argv
    if name == "rm":
        yield from _of_rm(argv)
    if name.split(".")[0] in _REFUSE:
        yield Danger(why=f"{name} {_REFUSE[name.split('.')[0]]}", refuse=True)
    if name == "dd" and any(word.startswith("of=/dev/") for word in argv):
        yield Danger(why="dd writes to a device", refuse=True)
    if name in _ASK:
        yield Danger(why=f"{name} {_ASK[name]}")
    yield from _of_pipe(program)
    yield from _of_publishing(name, [word for word in argv[1:] if not word.startswith("-")])
    if name in ("python", "python3") and argv[1:3] in (("-m", "twine"), ("-m", "smtplib")):
        yield Danger(why=f"{argv[2]} {_ASK.get(argv[2], 'sends something elsewhere')}")
    if name in _SHELLS and "-c" in argv[:-1]:
        yield from _judged(argv[argv.index("-c") + 1], depth + 1)
    if name == "eval":
        yield from _judged(" ".join(argv[1:]), depth + 1)
    yield from _of_files(program)


def _of_publishing(name: str, words: Sequence[str]) -> Iterator[Danger]:
    """Also by the project's own ``mvnw`` or ``gradlew``; options of git stand before its verb."""
    for word in words[:3 if name == "git" else 1]:
        for known in dict.fromkeys((name, name.removesuffix("w"))):
            if (known, word) in _PUBLISH:
                what = _PUBLISH[known, word] or "publishes, which cannot be taken back"
                yield Danger(why=f"{name} {word} {what}")


def _of_rm(argv: Sequence[str]) -> Iterator[Danger]:
    flags = "".join(word for word in argv[1:] if word.startswith("-"))
    deep = "r" in flags or "R" in flags or "recursive" in flags
    for word in argv[1:]:
        place = normpath(word.rstrip("*") or "/") if word.startswith("/") else word
        if deep and (place in ("/", "//", "~", "~/", "$HOME", "${HOME}", "/home", "/root", "/etc", "/usr", "/var")
                     or word in ("~/*", "$HOME/*", "/*")):
            yield Danger(why=f"rm removes {word}", refuse=True)
        elif deep and (word.startswith(("..", "~", "$HOME")) or (word.startswith("/") and not _is_inside(word))):
            yield Danger(why=f"rm removes {word}, outside of the workspace")


def _of_pipe(program: Program) -> Iterator[Danger]:
    if program.name in _INTERPRETERS and program.feeds in _FETCHERS:
        yield Danger(why=f"{program.feeds} feeds {program.name}: it runs what it fetches, unseen")
    elif program.name in _SHELLS and program.feeds in _DECODERS:
        yield Danger(why=f"{program.feeds} feeds {program.name}: it runs what nobody can read")
    elif program.name in _SHELLS and program.feeds and len(program.argv) == 1:
        yield Danger(why=f"{program.feeds} feeds {program.name}: it runs what another program prints")


def _of_files(program: Program) -> Iterator[Danger]:
    for word in (*program.writes, *program.argv[1:]):
        if any(secret in word for secret in _SECRETS):
            yield Danger(why=f"it names {word[:80]}, where secrets or accounts are kept")
    for word in program.writes:
        if word.startswith("/dev/") and not _is_inside(word):
            yield Danger(why=f"it writes to the device {word[:80]}", refuse=True)
        elif word.startswith(("/", "~", "..", "$HOME")) and not _is_inside(word):
            yield Danger(why=f"it writes to {word[:80]}, outside of the workspace")


def _is_inside(word: str) -> bool:
    place = normpath(word)
    return any(place == top or place.startswith(f"{top}/") for top in _INSIDE)


def _is_bomb(tokens: Sequence[str]) -> bool:
    """``name() { name | name & }``, whatever it is called."""
    for at in range(len(tokens) - 2):
        name = tokens[at]
        if tokens[at + 1:at + 3] == ["(", ")"]:
            body = tokens[at + 3:]
            if any(body[to:to + 3] == [name, "|", name] or body[to:to + 2] == [name, "&"] for to in range(len(body))):
                return True
    return False
