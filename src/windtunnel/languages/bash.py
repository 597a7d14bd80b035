"""Bash."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed

SHELL_ENV = (
    *LOADER_ENV,
    "BASH_*", "BASHOPTS", "SHELLOPTS", "ENV", "PS4", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "POSIXLY_CORRECT",
)  # fmt: skip
"""What makes a shell read another file, trace itself or read its script otherwise."""


def find(which: Which) -> Toolchain | None:
    """``bash``."""
    found = which("bash")
    if found is None:
        return None
    command = (located(found), "{source}")
    # Without SHELL, bash asks the name service who it is, which a waiting sandbox does not answer.
    return Toolchain(run=command, warm=command, paths=needed(located(found)), env={"SHELL": located(found)})


LANGUAGE = Language(
    name="bash",
    suffixes=(".bash",),
    source="main.bash",
    find=find,
    install="apt-get install bash",
    reserved_env=SHELL_ENV,
    image="ubuntu:22.04",
    examples=(
        Example(code='words=(hello there)\necho "${words[0]}"\n', stdout="hello\n"),
        Example(code='read -r word\necho "${word^^}"\n', stdin="words\n", stdout="WORDS\n"),
        Example(code='set -u\necho "$missing"\n', error="missing: unbound variable"),
        Example(code="if true; then\n", error="syntax error: unexpected end of file"),
    ),
)
