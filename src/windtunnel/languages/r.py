"""R, by Rscript."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed, prefix


def find(which: Which) -> Toolchain | None:
    """``Rscript`` with the packages installed for all."""
    found = which("Rscript")
    if found is None:
        return None
    rscript, root = located(found), prefix(found)
    home = root if (root / "library/base").is_dir() else root / "lib/R"
    return Toolchain(
        run=(rscript, "--vanilla", "{source}"),
        paths=needed(rscript, "/usr/share/R", "/etc/R", "/usr/local/lib/R", root / "bin/R", home),
    )


LANGUAGE = Language(
    name="r",
    aliases=("rscript",),
    suffixes=(".R", ".r"),
    source="main.R",
    find=find,
    install="apt-get install r-base-core",
    reserved_env=(*LOADER_ENV, "R_*", "RHOME", "_R_*"),
    image="r-base:4.3.3",
    examples=(
        Example(code='cat("hello\\n")\n', stdout="hello\n"),
        Example(code='cat(toupper(readLines("stdin")), "\\n")\n', stdin="words\n", stdout="WORDS \n"),
        Example(code='stop("no such thing")\n', error="no such thing"),
        Example(code="cat(median(c(1, 2, 9)), fill = TRUE)\n", stdout="2\n"),
    ),
)
