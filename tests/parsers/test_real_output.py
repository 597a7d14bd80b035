"""Further output of real tools, some of it shortened, beside the whole examples that the parsers carry."""

from __future__ import annotations

from windtunnel.core.problem import Place
from windtunnel.parsers import problems


def test_a_failed_assertion_of_c_names_its_function():
    stderr = "x: /sandbox/assert.c:2: main: Assertion `argc == 2' failed.\nAborted\n"

    (found,) = problems("c", stderr=stderr)

    assert (found.kind, found.message) == ("Assertion", "`argc == 2' failed.")
    assert found.place == Place(file="/sandbox/assert.c", line=2, symbol="main")


def test_a_double_free_is_an_abort():
    (found,) = problems("c", stderr="free(): double free detected in tcache 2\nAborted\n")

    assert (found.kind, found.message) == ("abort", "free(): double free detected in tcache 2")


def test_a_library_the_linker_does_not_find_is_said_to_be_missing():
    stderr = "/usr/bin/ld: cannot find -lnothere: No such file or directory\ncollect2: error: ld returned 1 exit status\n"

    (found,) = problems("c++", stderr=stderr)

    assert (found.kind, found.message) == ("linker error", "cannot find -lnothere: No such file or directory")
    assert found.causes == ("a library that is not installed in the sandbox",)


def test_clang_is_read_like_gcc_and_its_warnings_are_left_alone():
    stderr = """\
/sandbox/type.c:4:9: warning: incompatible pointer to integer conversion initializing 'int' with an expression of type 'char[6]' [-Wint-conversion]
    int count = "three";
        ^       ~~~~~~~
/sandbox/type.c:5:20: error: use of undeclared identifier 'total'
    printf("%d\\n", total);
                   ^
1 warning and 1 error generated.
"""
    (found,) = problems("c", stderr=stderr)

    assert (found.message, found.place) == (
        "use of undeclared identifier 'total'",
        Place(file="/sandbox/type.c", line=5, column=20),
    )


def test_what_go_says_below_a_compile_error_belongs_to_it():
    stderr = """\
# command-line-arguments
./args.go:6:4: not enough arguments in call to f
	have (string)
	want (int, string)
"""
    (found,) = problems("go", stderr=stderr)

    assert found.message == "not enough arguments in call to f\nhave (string)\nwant (int, string)"


def test_the_coloured_output_of_tsc_is_read_like_the_plain():
    stdout = (
        "\x1b[96mtype.ts\x1b[0m:\x1b[93m4\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0m"
        "Type 'string' is not assignable to type 'number'.\n"
    )
    (found,) = problems("typescript", stderr="", stdout=stdout)

    assert (found.kind, found.message) == ("TS2322", "Type 'string' is not assignable to type 'number'.")
    assert found.place == Place(file="type.ts", line=4, column=7)


def test_a_transform_that_failed_is_placed_in_the_source():
    stderr = """\
Error: Transform failed with 1 error:
/sandbox/syntax.ts:1:18: ERROR: Unexpected ";"
    at failureErrorWithLog (/opt/node_modules/esbuild/lib/main.js:1752:15)
"""
    first, second = problems("typescript", stderr=stderr)

    assert (first.message, first.place) == ('Unexpected ";"', Place(file="/sandbox/syntax.ts", line=1, column=18))
    assert second.kind == "Error"


def test_a_rejected_value_is_an_unhandled_rejection():
    stderr = """\
node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block.
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)
    at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2
"""
    (found,) = problems("javascript", stderr=stderr)

    assert (found.kind, found.place) == ("UnhandledPromiseRejection", None)
    assert "nothing caught it" in found.causes[0]


def test_what_bun_says_without_a_stack_is_read():
    stderr = "error: Cannot find package 'left-pad' from '/sandbox/missing.js'\n\nBun v1.4.4 (Linux x64)\n"

    (found,) = problems("typescript", stderr=stderr)

    assert found.message == "Cannot find package 'left-pad' from '/sandbox/missing.js'"


def test_a_parse_error_of_php_has_its_line():
    stderr = 'PHP Parse error:  syntax error, unexpected token "echo", expecting "," or ";" in /sandbox/syntax.php on line 3\n'

    (found,) = problems("php", stderr=stderr)

    assert (found.kind, found.message, found.place) == (
        "Parse error",
        'syntax error, unexpected token "echo", expecting "," or ";"',
        Place(file="/sandbox/syntax.php", line=3),
    )


def test_a_syntax_error_of_sh_is_one_of_bash_too():
    (dash,) = problems("sh", stderr='/sandbox/syntax.sh: 3: Syntax error: end of file unexpected (expecting "fi")\n')
    (bash,) = problems("bash", stderr="/sandbox/syntax.sh: line 3: syntax error: unexpected end of file\n")

    assert (dash.kind, dash.place) == (bash.kind, bash.place) == ("syntax error", Place(file="/sandbox/syntax.sh", line=3))


def test_a_stack_of_thousands_keeps_its_two_ends():
    frames = "".join(f"\tat Deep.down(Deep.java:{line})\n" for line in range(1, 1001))

    (found,) = problems("java", stderr=f'Exception in thread "main" java.lang.StackOverflowError\n{frames}')

    assert [frame.line for frame in found.frames] == [*range(1000, 950, -1), *range(50, 0, -1)]
    assert found.place == Place(file="Deep.java", line=1, symbol="Deep.down")


def test_a_suppressed_exception_is_not_taken_for_the_one_that_ended_the_program():
    stderr = """\
Exception in thread "main" java.lang.Exception
	at sup.main(sup.java:1)
	Suppressed: java.lang.RuntimeException: a
b
		at sup.main(sup.java:1)
"""
    (found,) = problems("java", stderr=stderr)

    assert (found.kind, len(found.frames)) == ("java.lang.Exception", 1)


def test_a_note_on_a_python_exception_is_part_of_its_message():
    stderr = """\
Traceback (most recent call last):
  File "/sandbox/note.py", line 2, in <module>
    int("x")
ValueError: invalid literal for int() with base 10: 'x'
while reading the header
"""
    (found,) = problems("python", stderr=stderr)

    assert found.message == "invalid literal for int() with base 10: 'x'\nwhile reading the header"
