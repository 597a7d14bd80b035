"""Perl."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed, prefix


def find(which: Which) -> Toolchain | None:
    """``perl`` with its own library and the modules installed for all."""
    found = which("perl")
    if found is None:
        return None
    perl, root = located(found), prefix(found)
    return Toolchain(
        run=(perl, "{source}"),
        paths=needed(
            perl, root / "lib/perl5", "/usr/share/perl", "/usr/share/perl5", "/etc/perl",
            "/usr/local/share/perl", "/usr/local/share/perl5", "/usr/local/lib/site_perl",
        ),
    )  # fmt: skip


LANGUAGE = Language(
    name="perl",
    aliases=("pl",),
    suffixes=(".pl",),
    source="main.pl",
    find=find,
    install="apt-get install perl",
    reserved_env=(*LOADER_ENV, "PERL*"),
    image="perl:5.38-slim",
    examples=(
        Example(code='print "hello\\n";\n', stdout="hello\n"),
        Example(code="print uc(<STDIN>);\n", stdin="words\n", stdout="WORDS\n"),
        Example(code='die "no such thing\\n";\n', error="no such thing"),
        Example(code='use strict;\nuse List::Util "sum";\nprint sum(1, 2), "\\n";\n', stdout="3\n"),
    ),
)
