"""Rust, single-crate programs of the standard library."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.c import COMPILER_ENV, compiler
from windtunnel.languages.places import located, matching, needed, prefix


def find(which: Which) -> Toolchain | None:
    """``rustc`` itself, not rustup's stand-in, and a C compiler to link with."""
    found, linker = which("rustc"), compiler(which, "cc", "gcc", "clang")
    if found is None or linker is None:
        return None
    rustc, root = located(found), prefix(found)
    return Toolchain(
        # The checks of a debug build stay on, so that an overflow is an error and not a wrong answer.
        build=(
            rustc, "--edition", "2021", "--crate-name", "main", "-C", "opt-level=1", "-C", "debug-assertions=yes",
            "-C", f"linker={linker[0]}", "-o", "{build}/program", "{source}",
        ),
        run=("{build}/program",),
        paths=needed(
            rustc, root / "lib/rustlib", *matching(root, "lib/libLLVM*"), *matching(root, "lib/librustc_driver-*"),
            *linker[1],
        ),
    )  # fmt: skip


LANGUAGE = Language(
    name="rust",
    aliases=("rs",),
    suffixes=(".rs",),
    source="main.rs",
    find=find,
    install="apt-get install rustc gcc",
    reserved_env=(*COMPILER_ENV, "RUSTFLAGS", "RUSTC*", "RUSTUP_*", "RUST_TARGET_PATH", "RUST_MIN_STACK", "CARGO_*"),
    image="rust:1.79-slim",
    examples=(
        Example(code='fn main() { println!("hello"); }\n', stdout="hello\n"),
        Example(
            code="fn main() {\n    let mut word = String::new();\n"
            "    std::io::stdin().read_line(&mut word).unwrap();\n"
            '    println!("{}", word.trim().to_uppercase());\n}\n',
            stdin="words\n",
            stdout="WORDS\n",
        ),
        Example(code='fn main() { panic!("no such thing"); }\n', error="no such thing"),
        Example(code="fn main() { missing(); }\n", error="error[E0425]"),
    ),
)
