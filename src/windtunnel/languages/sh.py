"""The POSIX shell, whichever one the machine calls ``sh``."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.bash import SHELL_ENV
from windtunnel.languages.places import located, needed


def find(which: Which) -> Toolchain | None:
    """``sh``, by that name: several shells behave differently when called otherwise."""
    found = which("sh")
    if found is None:
        return None
    command = (located(found), "{source}")
    return Toolchain(run=command, warm=command, paths=needed(located(found)))


LANGUAGE = Language(
    name="sh",
    aliases=("shell", "posix"),
    suffixes=(".sh",),
    source="main.sh",
    find=find,
    install="apt-get install dash",
    reserved_env=SHELL_ENV,
    image="ubuntu:22.04",
    examples=(
        Example(code="echo hello\n", stdout="hello\n"),
        Example(code="tr a-z A-Z\n", stdin="words\n", stdout="WORDS\n"),
        Example(code='echo "no such thing" >&2\nexit 3\n', error="no such thing"),
    ),
)
