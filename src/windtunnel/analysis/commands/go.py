"""Go: modules, with golangci-lint where the project is set up for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from windtunnel.analysis.commands.base import Ecosystem, Example, Look, made
from windtunnel.core.analysis import Part, ProjectCommand, Purpose


def find(look: Look) -> Iterator[ProjectCommand]:
    """The tool's own words; modules are fetched only where a sum file says that there are any."""
    if look.has("go.sum"):
        yield made(Purpose.INSTALL, "go mod download", why="go.sum", network=True)
    yield made(Purpose.BUILD, "go build ./...", why="go.mod")
    if look.tool("golangci-lint"):
        yield made(Purpose.LINT, "golangci-lint run", why="set up for golangci-lint")
    else:
        yield made(Purpose.LINT, "go vet ./...", why="convention")
    if look.some("_test.go") or look.part.tests:
        yield made(Purpose.TEST, "go test ./...", why=look.some("_test.go") or "tests")
    yield made(Purpose.FORMAT, "gofmt -w .", why="convention", writes=True)
    yield made(Purpose.AUDIT, "govulncheck ./...", why="convention", network=True)
    if look.has("main.go"):
        yield made(Purpose.START, "go run .", why="main.go", ends=False)
    elif main := look.some("/main.go", below="cmd/"):
        yield made(Purpose.START, shlex.join(("go", "run", f"./{main.removesuffix('/main.go')}")), why=main, ends=False)


_PART = Part(folder="", ecosystem="go", manager="go", manifests=("go.mod",))
ECOSYSTEM = Ecosystem(name="go", find=find, examples=(
    Example(part=_PART, names=("go.mod", "go.sum", "main.go", "main_test.go"), commands=(
        (Purpose.INSTALL, "go mod download"), (Purpose.BUILD, "go build ./..."), (Purpose.LINT, "go vet ./..."),
        (Purpose.TEST, "go test ./..."), (Purpose.FORMAT, "gofmt -w ."), (Purpose.AUDIT, "govulncheck ./..."),
        (Purpose.START, "go run ."))),
    Example(part=_PART, names=("go.mod", "cmd/shop/main.go"), commands=(
        (Purpose.BUILD, "go build ./..."), (Purpose.LINT, "go vet ./..."), (Purpose.FORMAT, "gofmt -w ."),
        (Purpose.AUDIT, "govulncheck ./..."), (Purpose.START, "go run ./cmd/shop"))),
))
