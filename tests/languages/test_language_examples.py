"""Every language's examples, run with what this machine has."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import LanguageMissing
from windtunnel.languages import LANGUAGES, typescript
from windtunnel.languages.search import which

EXAMPLES = [
    pytest.param(language, example, id=f"{language.name}-{number}")
    for language in LANGUAGES
    for number, example in enumerate(language.examples, start=1)
]


def check(ran, example):
    if example.error is None:
        assert (ran.exit_code, ran.stdout, ran.stderr) == (0, example.stdout, "")
    else:
        assert ran.exit_code != 0
        assert ran.stdout == example.stdout
        assert example.error in ran.stderr


@pytest.mark.parametrize(("language", "example"), EXAMPLES)
def test_an_example_does_what_it_says(bench, table, language, example):
    try:
        toolchain = table.toolchain(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))

    ran = bench.run(language, toolchain, code=example.code, stdin=example.stdin)

    check(ran, example)


@pytest.mark.parametrize("runner", ["bun", "deno", "node", "tsx"])
def test_typescript_runs_by_each_of_its_runners(bench, runner):
    """What the first one found would hide; each is tried alone."""
    allowed = (runner, "node") if runner == "tsx" else (runner,)
    find = {"bun": typescript._bun, "deno": typescript._deno, "node": typescript._node, "tsx": typescript._tsx}[runner]
    toolchain = find(lambda name: which(name) if name in allowed else None)
    if toolchain is None:
        pytest.skip(f"{runner} is not installed here, or is too old")
    example = typescript.LANGUAGE.examples[2]

    ran = bench.run(typescript.LANGUAGE, toolchain, code=example.code)

    check(ran, example)


JAVA_SHAPES = {
    "the name in a comment first": (
        '// public class Wrong\npublic class Right {\n    public static void main(String[] a) { System.out.print("ok"); }\n}\n'
    ),
    "main in the second class": (
        'class Part { int size; }\nclass Whole {\n    public static void main(String[] a) { System.out.print("ok"); }\n}\n'
    ),
    "a class called program in a package called program": (
        "package program;\npublic class program {\n"
        '    public static void main(String[] a) { System.out.print("ok"); }\n}\n'
    ),
    "an enum": 'public enum Size {\n    BIG;\n    public static void main(String[] a) { System.out.print("ok"); }\n}\n',
    "a name outside ASCII": (
        'public class Größe {\n    public static void main(String[] a) { System.out.print("ok"); }\n}\n'
    ),
}


@pytest.mark.parametrize("shape", JAVA_SHAPES)
def test_the_main_class_of_java_is_found_whatever_the_file_is_called(bench, table, shape):
    language = table.get("java")
    try:
        toolchain = table.toolchain(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))

    ran = bench.run(language, toolchain, code=JAVA_SHAPES[shape])

    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "ok", "")


def test_java_says_so_when_there_is_no_class(bench, table):
    language = table.get("java")
    try:
        toolchain = table.toolchain(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))

    ran = bench.run(language, toolchain, code="// nothing\n")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "no class in the source" in ran.stderr
