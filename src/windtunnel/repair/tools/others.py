"""Fixers of JavaScript, TypeScript, Go and Rust."""

from __future__ import annotations

from windtunnel.core.problem import ProblemKind
from windtunnel.repair.tools.tool import Tool

_LINTED = frozenset({ProblemKind.STYLE, ProblemKind.UNUSED, ProblemKind.GENERIC, ProblemKind.FLOW})

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="eslint",
        command=("eslint", "--fix", "--no-error-on-unmatched-pattern"),
        suffixes=(".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts"),
        languages=("javascript", "typescript"),
        kinds=_LINTED | {ProblemKind.IMMUTABLE},
        prior=0.1,
        reason="eslint mends what its rules in this project can mend by themselves.",
        before="var total = 1;",
        after="const total = 1;",
    ),
    Tool(
        name="goimports",
        command=("goimports", "-w"),
        suffixes=(".go",),
        languages=("go",),
        kinds=frozenset({ProblemKind.NAME, ProblemKind.UNUSED, ProblemKind.IMPORT, ProblemKind.STYLE}),
        prior=0.3,
        reason="goimports adds the imports that are missing and takes out those that nothing uses.",
        before='import "os"',
        after='import "fmt"',
    ),
    Tool(
        name="gofmt",
        command=("gofmt", "-s", "-w"),
        suffixes=(".go",),
        languages=("go",),
        kinds=frozenset({ProblemKind.STYLE}),
        prior=0.1,
        reason="gofmt writes Go in its one layout, and what can be said shorter in the shorter way.",
        before="for _ = range items {",
        after="for range items {",
    ),
    Tool(
        name="cargo fix",
        command=("cargo", "fix", "--allow-no-vcs", "--allow-dirty", "--broken-code", "--all-targets", "--offline",
                 "--quiet"),
        suffixes=(".rs",),
        languages=("rust",),
        kinds=frozenset(),
        prior=0.3,
        reason="cargo fix takes the compiler's own suggestions that are sure to be meant.",
        before="let mut total = 1;",
        after="let total = 1;",
        names_paths=False,
        manifest="Cargo.toml",
        env={"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"},
    ),
)
