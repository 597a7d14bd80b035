"""PHP, as a command."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, needed, prefix

_SETTINGS = ("-d", "display_errors=stderr", "-d", "log_errors=0", "-d", "html_errors=0")
"""One plain report of an error, on standard error, whatever the machine's php.ini says."""


def find(which: Which) -> Toolchain | None:
    """``php`` with the settings that load its extensions."""
    found = which("php")
    if found is None:
        return None
    php, root = located(found), prefix(found)
    return Toolchain(
        run=(php, *_SETTINGS, "{source}"),
        paths=needed(php, "/etc/php", "/usr/share/php", root / "etc/php", root / "lib/php"),
    )


LANGUAGE = Language(
    name="php",
    suffixes=(".php",),
    source="main.php",
    find=find,
    install="apt-get install php-cli",
    reserved_env=(*LOADER_ENV, "PHPRC", "PHP_*"),
    image="php:8.2-cli-alpine",
    examples=(
        Example(code='<?php echo "hello\\n";\n', stdout="hello\n"),
        Example(code="<?php echo strtoupper(fgets(STDIN));\n", stdin="words\n", stdout="WORDS\n"),
        Example(code='<?php throw new Exception("no such thing");\n', error="Uncaught Exception: no such thing"),
        Example(code="<?php echo json_encode([1]), PHP_EOL;\n", stdout="[1]\n"),
    ),
)
