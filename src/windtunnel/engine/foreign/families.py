"""Which test commands judge which languages, and what of a build is worth keeping from one mutant to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from windtunnel.core.testfile import is_test
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.mutation.grammars import language_of
from windtunnel.tamper.paths import is_environment, is_runner

BUILT = ".windtunnel-build"
"""A folder in the sandbox's copy of the project that holds what compilers keep; its name hides it from ``go``."""
_LEFT_ALONE_FOLDERS = frozenset({
    "docs", "doc", "examples", "example", "benchmarks", "benches", "scripts", "build", "dist", "out", "target",
    "vendor", "coverage", "third_party", "generated"})
_LEFT_ALONE = frozenset({"build.rs", "gulpfile.js", "gruntfile.js", "module-info.java", "package-info.java"})
_LEFT_ALONE_ENDS = (".d.ts", ".d.mts", ".d.cts", ".min.js", ".pb.go", ".config.js", ".config.mjs", ".config.cjs",
                    ".config.ts", ".config.mts", ".conf.js", "rc.js", "rc.cjs", ".stories.js", ".stories.tsx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Languages that one kind of test command judges."""

    name: str
    languages: frozenset[str]
    """As the grammars call them."""
    suffixes: tuple[str, ...]
    """Of files that tests of these languages may rest on."""
    tools: tuple[str, ...]
    products: frozenset[str] = frozenset()
    """Names of folders where a build leaves what the next one takes up; none where nothing is built."""
    env: Mapping[str, str] = field(default_factory=dict)

    def knows(self, path: str) -> bool:
        """Whether it is product code in one of these languages."""
        return language_of(path) in self.languages and _is_product(path)


FAMILIES: tuple[Family, ...] = (
    Family(name="JavaScript and TypeScript", languages=frozenset({"javascript", "typescript"}),
           suffixes=(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
           tools=("jest", "vitest", "mocha", "node:test")),
    Family(name="Go", languages=frozenset({"go"}), suffixes=(".go",), tools=("go test",), products=frozenset({BUILT}),
           env={"GOCACHE": f"{PLACE}/{BUILT}/go"}),
    Family(name="Rust", languages=frozenset({"rust"}), suffixes=(".rs",), tools=("cargo test",),
           products=frozenset({BUILT}), env={"CARGO_TARGET_DIR": f"{PLACE}/{BUILT}/target"}),
    Family(name="Java", languages=frozenset({"java"}), suffixes=(".java",), tools=("maven", "gradle"),
           products=frozenset({"target", "build", ".gradle"})),
)
"""Each language stands in one of them."""


def is_product(path: str) -> bool:
    """Whether a file is the product's own code in another language than Python: no test, nothing made or set up."""
    return language_of(path) is not None and _is_product(path)


def judges(checks: Checks) -> Iterator[tuple[Family, Check]]:
    """The test commands of a project that judge languages other than Python, each family by its first one."""
    for family in FAMILIES:
        found = next((check for check in checks.of(Kind.TEST) if check.tool in family.tools), None)
        if found is not None:
            yield family, found


def _is_product(path: str) -> bool:
    parts = PurePosixPath(path).parts
    name, folders = parts[-1].lower(), parts[:-1]
    return not (is_test(path) or is_runner(path) or is_environment(path) or name in _LEFT_ALONE
                or name.endswith(_LEFT_ALONE_ENDS) or _LEFT_ALONE_FOLDERS.intersection(folders)
                or any(folder.startswith(".") for folder in folders))
