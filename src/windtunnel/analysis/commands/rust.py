"""Rust: cargo, with the lock file held to where there is one."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Part, ProjectCommand, Purpose


def find(look: Look) -> Iterator[ProjectCommand]:
    """The tool's own words."""
    lock = look.lock("Cargo.lock")
    locked = " --locked" if lock else ""
    yield made(Purpose.INSTALL, f"cargo fetch{locked}", why=lock or "Cargo.toml", network=True)
    yield made(Purpose.BUILD, f"cargo build{locked}", why="Cargo.toml")
    yield made(Purpose.LINT, "cargo clippy --all-targets", why="convention")
    yield made(Purpose.TEST, f"cargo test{locked}", why="Cargo.toml")
    yield made(Purpose.FORMAT, "cargo fmt", why="convention", writes=True)
    if lock:
        yield made(Purpose.AUDIT, "cargo audit", why=lock, network=True)
    if look.has("src/main.rs"):
        yield made(Purpose.START, "cargo run", why="src/main.rs", ends=False)


_PART = Part(folder="", ecosystem="rust", manager="cargo", manifests=("Cargo.toml",))
ECOSYSTEM = Ecosystem(name="rust", find=find, examples=(
    Example(part=_PART, names=("Cargo.toml", "Cargo.lock", "src/main.rs"), commands=(
        (Purpose.INSTALL, "cargo fetch --locked"), (Purpose.BUILD, "cargo build --locked"),
        (Purpose.LINT, "cargo clippy --all-targets"), (Purpose.TEST, "cargo test --locked"),
        (Purpose.FORMAT, "cargo fmt"), (Purpose.AUDIT, "cargo audit"), (Purpose.START, "cargo run"))),
    Example(part=_PART, names=("Cargo.toml", "src/lib.rs"), commands=(
        (Purpose.INSTALL, "cargo fetch"), (Purpose.BUILD, "cargo build"), (Purpose.LINT, "cargo clippy --all-targets"),
        (Purpose.TEST, "cargo test"), (Purpose.FORMAT, "cargo fmt"))),
))
