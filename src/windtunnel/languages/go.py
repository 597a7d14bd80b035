"""Go, single-file programs of the standard library."""

from __future__ import annotations

from windtunnel.core.language import Example, Language, Toolchain, Which
from windtunnel.languages.places import LOADER_ENV, located, matching, needed, prefix

_ENV = {
    "GO111MODULE": "off",
    "GOCACHE": "/tmp/go-cache",  # noqa: S108 -- inside the sandbox, where /tmp is private
    "GOENV": "off",
    "GOPATH": "/tmp/go",  # noqa: S108 -- inside the sandbox, where /tmp is private
    "GOPROXY": "off",
    "GOTELEMETRY": "off",
    "GOTOOLCHAIN": "local",
}


def find(which: Which) -> Toolchain | None:
    """``go`` with its root; Debian links parts of the root to /usr/share.

    Up to 1.19 the standard library came compiled, with cgo; asking for another kind, or for trimmed paths, would
    compile all of it again for each program. Later ones compile what they use, which needs no C compiler without cgo.
    """
    found = which("go")
    if found is None:
        return None
    root = prefix(found)
    names = ("bin", "lib", "pkg", "src", "VERSION", "go.env")
    parts = [root / name for name in names] if (root / "src/runtime").is_dir() else []
    return Toolchain(
        build=(located(found), "build", "-o", "{build}/program", "{source}"),
        run=("{build}/program",),
        paths=needed(*parts, (root / "src").resolve(), (root / "pkg/include").resolve()),
        env={**_ENV, "CGO_ENABLED": "1" if matching(root, "pkg/*/net.a") else "0"},
    )


LANGUAGE = Language(
    name="go",
    aliases=("golang",),
    suffixes=(".go",),
    source="main.go",
    find=find,
    install="apt-get install golang-go",
    reserved_env=(*LOADER_ENV, "GO*", "CGO_*"),
    image="golang:1.21-alpine",
    examples=(
        Example(code='package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n', stdout="hello\n"),
        Example(
            code='package main\n\nimport (\n\t"fmt"\n\t"io"\n\t"os"\n\t"strings"\n)\n\n'
            "func main() {\n\ttext, _ := io.ReadAll(os.Stdin)\n\tfmt.Println(strings.ToUpper(string(text)))\n}\n",
            stdin="words",
            stdout="WORDS\n",
        ),
        Example(code='package main\n\nfunc main() { panic("no such thing") }\n', error="panic: no such thing"),
        Example(code="package main\n\nfunc main() { missing() }\n", error="undefined: missing"),
    ),
)
