"""What the words of real tools lead to: recorded for all, and asked anew of those that are installed here."""

from __future__ import annotations

import json
import subprocess

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from foreign_errors import COMMANDS, ERRORS, FILES, broken, placed, program, scene_of

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.foreign import RULES, rules

CASES = [(language, *row) for language in FILES for row in broken(language)]
LIVE = {"javascript": "method of another language", "typescript": "misspelt member", "java": "exception not declared",
        "go": "error not taken", "rust": "derive missing"}

NOTHING_THERE = ('Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because '
                 '"<parameter1>" is null\n\tat A.f(A.java:3)\n')


def said_of(language, name):
    return json.loads((ERRORS / f"{language}.json").read_text())[name]


@pytest.mark.parametrize(("language", "name", "wrong", "right"), CASES, ids=[f"{row[0]}: {row[1]}" for row in CASES])
def test_the_first_proposal_out_of_the_words_of_a_tool_is_right(language, name, wrong, right):
    first = next(rules(scene_of(language, wrong, said_of(language, name))))

    assert first.edits[0].text == right


@pytest.mark.slow
@pytest.mark.parametrize("language", LIVE)
def test_what_a_tool_says_here_leads_to_the_same(language, tmp_path):
    if program(language) is None:
        pytest.skip(f"{COMMANDS[language][0]} is not installed")
    wrong, right = next((wrong, right) for name, wrong, right in broken(language) if name == LIVE[language])
    placed(tmp_path, language, wrong)

    done = subprocess.run([program(language), *COMMANDS[language][1:]], cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    first = next(rules(scene_of(language, wrong, done.stdout + done.stderr, root=str(tmp_path))))

    assert first.edits[0].text == right


@pytest.mark.parametrize(("language", "output", "wrong", "right"), [
    ("go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.F()\n\t/workspace/p.go:5 +0x32\n",
     "package p\n\nfunc F() {\n\tvar seen map[int]bool\n\tseen[1] = true\n}\n",
     "package p\n\nfunc F() {\n\tvar seen map[int]bool = map[int]bool{}\n\tseen[1] = true\n}\n"),
    ("go", "panic: runtime error: index out of range [2] with length 2\n\ngoroutine 1 [running]:\nmain.F()\n\t/workspace/p.go:5 +0x3\n",
     "package p\n\nfunc F(xs []int) {\n\tfor i := 0; i <= len(xs); i++ {\n\t\tprintln(xs[i])\n\t}\n}\n",
     "package p\n\nfunc F(xs []int) {\n\tfor i := 0; i < len(xs); i++ {\n\t\tprintln(xs[i])\n\t}\n}\n"),
    ("java", NOTHING_THERE, "class A {\n    static int f(String a) {\n        return a.length();\n    }\n}\n",
     "class A {\n    static int f(String a) {\n        if (a == null) {\n            return 0;\n        }\n        return a.length();\n    }\n}\n"),
], ids=["map that is nothing", "round past the end", "parameter that is nothing"])
def test_what_a_program_says_when_it_ends_leads_to_a_fix(language, output, wrong, right):
    first = next(rules(scene_of(language, wrong, output)))

    assert first.edits[0].text == right


def test_every_name_of_a_proposal_is_a_row_for_people():
    known = {rule.name for rule in RULES}

    told = {proposal.name for language, name, wrong, _ in CASES
            for proposal in rules(scene_of(language, wrong, said_of(language, name)))}

    assert told - known == set()


def test_a_name_that_is_like_no_other_is_left_alone():
    problem = Problem(kind="name", message="undefined: zebra", place=Place(file="p.go", line=4, column=9))
    text = "package p\n\nfunc F(a int) int {\n\treturn zebra\n}\n"

    assert list(rules(Scene(paths=("p.go",), read={"p.go": text}.get, problems=(problem,)))) == []


def test_a_problem_outside_of_what_may_be_changed_gives_nothing():
    problem = Problem(kind="name", message="totl is not defined", place=Place(file="lib.test.js", line=1, column=1))
    texts = {"lib.test.js": "totl(total);\n", "lib.js": "const a = 1;\n"}
    scene = Scene(paths=("lib.js",), read=texts.get, problems=(problem,), test_paths=("lib.test.js",))

    assert list(rules(scene)) == []


def test_a_definition_gets_the_name_that_the_tests_call():
    problem = Problem(kind="name", message="undefined: Total", place=Place(file="p_test.go", line=6, column=5))
    texts = {"p.go": "package p\n\nfunc Totl(a int) int {\n\treturn a\n}\n", "p_test.go": "package p\n"}
    scene = Scene(paths=("p.go",), read=texts.get, problems=(problem,), test_paths=("p_test.go",))

    assert [proposal.edits[0].text for proposal in rules(scene)] == ["package p\n\nfunc Total(a int) int {\n\treturn a\n}\n"]


def test_a_module_of_the_project_is_imported_by_its_path():
    problem = Problem(kind="name", message="total is not defined", place=Place(file="src/app.js", line=1, column=13))
    texts = {"src/app.js": "console.log(total([1]));\n", "lib/sum.js": "exports.total = (xs) => xs.length;\n"}
    scene = Scene(paths=("src/app.js", "lib/sum.js"), read=texts.get, problems=(problem,))

    assert next(rules(scene)).edits[0].text == 'const { total } = require("../lib/sum");\nconsole.log(total([1]));\n'


def test_the_answers_to_several_problems_come_together_first():
    text = "package p\n\nfunc F(total int) int {\n\tunused := 1\n\treturn totl\n}\n"
    output = "./p.go:4:2: unused declared but not used\n./p.go:5:9: undefined: totl\n"

    first = next(rules(scene_of("go", text, output)))

    assert (first.name, first.edits[0].text) == ("together", "package p\n\nfunc F(total int) int {\n\treturn total\n}\n")


def test_a_suggestion_of_rustc_is_read_from_its_machine_format_too():
    rendered = ("error[E0596]: cannot borrow `v` as mutable\n --> lib.rs:3:5\n  |\n3 |     v.push(1);\n  |     ^ cannot borrow\n  |\n"
                "help: consider changing this to be mutable\n  |\n2 |     let mut v = vec![0];\n  |         +++\n")
    event = {"level": "error", "message": "cannot borrow `v` as mutable", "code": {"code": "E0596"}, "rendered": rendered,
             "spans": [{"file_name": "lib.rs", "line_start": 3, "column_start": 5, "is_primary": True, "label": None}]}
    text = "pub fn f() {\n    let v = vec![0];\n    v.push(1);\n}\n"

    first = next(rules(scene_of("rust", text, json.dumps(event))))

    assert (first.name, first.edits[0].text) == ("compiler-suggestion", text.replace("let v", "let mut v"))
