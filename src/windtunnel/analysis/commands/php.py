"""PHP: composer, with tests and linters from ``vendor/bin``."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_COMPOSER = "composer install --no-interaction --no-progress"


def find(look: Look) -> Iterator[ProjectCommand]:
    """Laravel's own commands, then the usual tools, then scripts of composer.json."""
    if look.has("composer.json"):
        why = look.lock("composer.lock") or "composer.json"
        yield made(Purpose.INSTALL, _COMPOSER, why=why, network=True)
        yield made(Purpose.AUDIT, "composer audit", why=why, network=True)
    yield from _tests(look)
    if look.tool("phpstan"):
        yield made(Purpose.LINT, "vendor/bin/phpstan analyse --no-progress", why="set up for phpstan")
    elif look.tool("phpcs"):
        yield made(Purpose.LINT, "vendor/bin/phpcs", why="set up for phpcs")
    elif look.some(".php"):
        yield made(Purpose.LINT, "find . -name '*.php' -not -path './vendor/*' -print0 | xargs -0 -n1 php -l",
                   why="convention: every file must at least parse")
    if look.tool("php-cs-fixer"):
        yield made(Purpose.FORMAT, "vendor/bin/php-cs-fixer fix", why="set up for php-cs-fixer", writes=True)
    if look.script("build"):
        yield made(Purpose.BUILD, "composer run build", why="composer.json: script build")
    yield from _start(look)


def _tests(look: Look) -> Iterator[ProjectCommand]:
    plain = look.has("tests/run.php", "tests/test.php", "test.php", "tests.php")
    if look.has("artisan"):
        yield made(Purpose.TEST, "php artisan test", why="artisan")
    elif look.tool("pest"):
        yield made(Purpose.TEST, "vendor/bin/pest", why="tests for pest")
    elif look.tool("phpunit") or look.has("phpunit.xml", "phpunit.xml.dist"):
        yield made(Purpose.TEST, "vendor/bin/phpunit", why="tests for phpunit")
    elif look.script("test"):
        yield made(Purpose.TEST, "composer run test", why="composer.json: script test")
    elif plain:
        yield made(Purpose.TEST, f"php -d zend.assertions=1 -d assert.exception=1 {plain}", why=plain)


def _start(look: Look) -> Iterator[ProjectCommand]:
    if look.has("artisan"):
        yield made(Purpose.START, "php artisan serve", why="artisan", ends=False)
    elif look.has("public/index.php"):
        yield made(Purpose.START, "php -S 127.0.0.1:8000 -t public", why="public/index.php", ends=False)
    elif look.has("index.php"):
        yield made(Purpose.START, "php -S 127.0.0.1:8000", why="index.php", ends=False)


_PART = Part(folder="", ecosystem="php", manager="composer", manifests=("composer.json",))
_PARSES = "find . -name '*.php' -not -path './vendor/*' -print0 | xargs -0 -n1 php -l"
ECOSYSTEM = Ecosystem(name="php", find=find, examples=(
    Example(part=_PART, names=("composer.json", "phpunit.xml", "src/Cart.php"), commands=(
        (Purpose.INSTALL, _COMPOSER), (Purpose.AUDIT, "composer audit"), (Purpose.TEST, "vendor/bin/phpunit"),
        (Purpose.LINT, _PARSES))),
    Example(part=Part(folder="", ecosystem="php"), names=("index.php", "tests/run.php"), commands=(
        (Purpose.TEST, "php -d zend.assertions=1 -d assert.exception=1 tests/run.php"), (Purpose.LINT, _PARSES),
        (Purpose.START, "php -S 127.0.0.1:8000"))),
))
