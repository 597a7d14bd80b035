"""What is known here, as rows for people."""

from __future__ import annotations

from windtunnel.core.repair import Rule
from windtunnel.repair.foreign.edits import SORTS
from windtunnel.repair.foreign.languages import TABLES

_ALL = tuple(table.name for table in TABLES)
_SCRIPTS = ("javascript", "typescript")
_SAID: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    (
        "misspelt-name",
        _ALL,
        "a name that is not there becomes one that is nearly the same",
        "return totl;",
        "return total;",
    ),
    ("misspelt-keyword", _ALL, "a word that is nearly one of the language's own", "retrun a;", "return a;"),
    ("misspelt-definition", _ALL, "a test calls a function by its right name", "func Totl()", "func Total()"),
    (
        "missing-import",
        _ALL,
        "a name of the standard library or of the project is brought in",
        "strconv.Itoa(1)",
        'import "strconv"',
    ),
    ("syntax", _ALL, "a mark too few or too many, as the grammar finds it", "f(1;", "f(1);"),
    ("together", _ALL, "the best answer to each of several problems, all at once", "two errors", "none"),
    ("compiler-suggestion", ("rust",), "what rustc suggests, as it draws it", "let n = 0;", "let mut n = 0;"),
    ("conversion", _ALL, "a value becomes one of the type that is wanted", "int x = 1.5;", "int x = (int) 1.5;"),
    ("annotation", ("typescript", "java"), "a type that was written down is what is wrong", "f(x)", "f(x: any)"),
    ("method", (*_SCRIPTS, "java", "go"), "a method by its name in this language", "xs.len()", "len(xs)"),
    ("no-call", _SCRIPTS, "a value that is called", "xs.length()", "xs.length"),
    ("null-check", _SCRIPTS, "what may be nothing is asked first", "a.b.length", "a.b?.length ?? 0"),
    ("missing-await", _SCRIPTS, "a promise is used as its value", "const x = load();", "const x = await load();"),
    (
        "missing-async",
        _SCRIPTS,
        "a function that waits says so",
        "function f() { await g(); }",
        "async function f() { await g(); }",
    ),
    ("missing-new", _SCRIPTS, "a class is called", "Point()", "new Point()"),
    ("missing-this", _SCRIPTS, "a member without its owner", "size + 1", "this.size + 1"),
    ("missing-super", _SCRIPTS, "what is inherited is set up first", "this.x = 1;", "super(); this.x = 1;"),
    ("module-path", _SCRIPTS, "a path that leads nowhere", 'require("./cart")', 'require("./carts")'),
    ("module-kind", _SCRIPTS, "an import in a file that is no module", 'import a from "a";', 'const a = require("a");'),
    (
        "constant-changed",
        (*_SCRIPTS, "java"),
        "what is changed is declared to stay",
        "const n = 1; n = 2;",
        "let n = 1; n = 2;",
    ),
    ("declared-twice", (*_SCRIPTS, "java", "go"), "declared already", "let a = 1; let a = 2;", "let a = 1; a = 2;"),
    ("declaration", (*_SCRIPTS, "go"), "not declared at all", "n = 1", "n := 1"),
    ("access", ("typescript",), "private, and used from outside", "private x = 1;", "x = 1;"),
    ("missing-return", ("typescript", "java", "go"), "nothing is given back", "sum += x; }", "sum += x; } return sum;"),
    (
        "unreported-exception",
        ("java",),
        "an exception that must be declared or caught",
        "void f() {",
        "void f() throws IOException {",
    ),
    ("static", ("java",), "used without an object", "int g() {", "static int g() {"),
    ("captured", ("java",), "a lambda changes a variable", "int n = 0;", "int[] n = {0};"),
    ("unused-import", ("go",), "imported and not used", 'import "os"', ""),
    ("unused-variable", ("go",), "declared and not used", "for i, x := range xs", "for _, x := range xs"),
    ("shadowed", ("go",), "declared anew where the outer one is meant", "n := 2", "n = 2"),
    (
        "error-check",
        ("go",),
        "an error that nobody looked at",
        "n := f()",
        "n, err := f(); if err != nil { return err }",
    ),
    ("error-dropped", ("go",), "an error that is dropped on purpose", "n := f()", "n, _ := f()"),
    ("boundary", _ALL, "the bound itself belongs to it, or not", "i <= xs.length", "i < xs.length"),
    ("cast", ("java", "rust"), "a cast to another type, or none", "n as i32", "n as i64"),
    ("condition-dropped", _ALL, "a part of a condition too many", "a && b", "a"),
    ("excess", _ALL, "a part of a sum too many", "n + 1", "n"),
    ("function", _ALL, "another function of the file that takes as much", "low(a)", "high(a)"),
    ("operands", _ALL, "both sides of a sign change places", "a - b", "b - a"),
    ("pointer", ("go",), "only the pointer has the method", "T{}", "&T{}"),
    ("mutable", ("rust",), "changed, so it must be mutable", "let n = 0;", "let mut n = 0;"),
)
_SEARCHED = frozenset({"boundary", "cast", "condition-dropped", "excess", "function", "operands"})

RULES: tuple[Rule, ...] = (
    *(
        Rule(
            name=sort.name,
            origin="search",
            languages=_ALL,
            what=sort.title,
            before=sort.examples[0].before,
            after=sort.examples[0].after,
        )
        for sort in SORTS
    ),
    *(
        Rule(
            name=name,
            origin="search" if name in _SEARCHED else "rule",
            languages=languages,
            what=what,
            before=before,
            after=after,
        )
        for name, languages, what, before, after in _SAID
    ),
)
