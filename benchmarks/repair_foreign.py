"""Small functions of JavaScript, Java, Go and Rust with one fault each: how many are repaired, and how many rightly.

A project has the broken function and its tests, written as its language writes them. A fix is right when the function
then gives what the good one gives for arguments that no test has; ends that are no value are told apart too. Nobody who
writes edits or orders looks into these programs: what is known of them are the counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.repair_corpus import Fault, faults, sample
from benchmarks.repair_errors import Language, behaviour, lay_out, prepared
from benchmarks.repair_outcomes import GROUP, Fix, Hopes, Outcome, ask, rows, scratch
from benchmarks.rows import Row
from benchmarks.timing import NotRun

PART = "other languages"
FOLDER = "foreign/functions"
BUDGET_SECONDS = 120.0
"""Compilers are asked for every proposal."""
_HOPES = Hopes(right=60.0)
_DECLARED = re.compile(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
_EQUAL = re.compile(r" ={2,3} ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """How the functions of one language are tested, and how they are asked for values."""

    language: Language
    """Its commands run the tests."""
    tested: str
    """The file of the tests."""
    tests: Callable[[Fault], str]
    values: Language
    """Its commands print a value for each of the inputs."""
    asked: str
    inputs: Callable[[Fault], str]
    end: Callable[[Fault], str] = lambda _: ""
    """What stands behind the program in its file."""


def _frame(head: str, line: str, tail: str = "") -> Callable[[list[str]], str]:
    """A file with one line for each expression, which is ``{one}``; ``{number}`` counts them."""
    def made(expressions: list[str]) -> str:
        numbered = enumerate(expressions, 1)
        return head + "".join(line.replace("{number}", str(at)).replace("{one}", one) for at, one in numbered) + tail
    return made


def _inputs(fault: Fault) -> list[str]:
    return [line for line in fault.inputs.splitlines() if line.strip()]


def _sides(expression: str) -> tuple[str, str] | None:
    """Both sides of an expression that is one comparison and nothing else."""
    found = _EQUAL.split(expression)
    plain = len(found) == 2 and not re.search(r"&&|\|\|", expression)
    return (found[0], found[1]) if plain else None


def _exports(fault: Fault) -> str:
    return f"\nmodule.exports = {{ {', '.join(_DECLARED.findall(fault.good))} }};\n"


def _required(fault: Fault) -> str:
    return f'const {{ {", ".join(_DECLARED.findall(fault.good))} }} = require("./subject");\n'


def _javascript_test(line: str) -> str:
    sides = _sides(line)
    return f"assert.strictEqual({sides[0]}, {sides[1]})" if sides else f"assert.ok({line})"


def _javascript_tests(fault: Fault) -> str:
    head = f'const test = require("node:test");\nconst assert = require("node:assert");\n{_required(fault)}\n'
    return _frame(head, 'test("subject {number}", () => { {one}; });\n')([_javascript_test(one) for one in fault.tests])


def _javascript_inputs(fault: Fault) -> str:
    line = "try { console.log(JSON.stringify({one})); } catch (error) { console.log(error.name); }\n"
    return _frame(_required(fault), line)(_inputs(fault))


def _java_tests(fault: Fault) -> str:
    head = """\
import java.util.*;

class SubjectTest {
    interface Question { boolean holds() throws Exception; }
    static boolean failed = false;
    static void check(int number, Question question) {
        boolean held = false;
        try { held = question.holds(); } catch (Exception thrown) { thrown.printStackTrace(); }
        failed |= !held;
        System.out.println((held ? "ok " : "not ok ") + number + " - subject " + number);
    }
    public static void main(String[] given) {
"""
    line = "        check({number}, () -> {one});\n"
    return _frame(head, line, "        System.exit(failed ? 1 : 0);\n    }\n}\n")(list(fault.tests))


def _java_inputs(fault: Fault) -> str:
    head = """\
import java.util.*;

class Inputs {
    interface Question { Object value() throws Exception; }
    static void show(Question question) {
        try {
            System.out.println(Arrays.deepToString(new Object[] {question.value()}));
        } catch (Throwable thrown) { System.out.println(thrown.getClass()); }
    }
    public static void main(String[] given) {
"""
    return _frame(head, "        show(() -> {one});\n", "    }\n}\n")(_inputs(fault))


def _go_test(line: str) -> str:
    sides = _sides(line)
    if sides is None:
        return f'if !({line}) {{\n\t\tt.Error("does not hold")\n\t}}'
    return f'if got := {sides[0]}; got != {sides[1]} {{\n\t\tt.Errorf("got %v", got)\n\t}}'


def _go_tests(fault: Fault) -> str:
    line = "\nfunc TestSubject{number}(t *testing.T) {\n\t{one}\n}\n"
    return _frame('package subject\n\nimport "testing"\n', line)([_go_test(one) for one in fault.tests])


def _go_inputs(fault: Fault) -> str:
    head = """\
package subject

import (
	"fmt"
	"testing"
)

func show(ask func() interface{}) {
	defer func() {
		if caught := recover(); caught != nil {
			fmt.Println("panic")
		}
	}()
	fmt.Printf("%#v\\n", ask())
}

func TestMain(m *testing.M) {
"""
    return _frame(head, "\tshow(func() interface{} { return {one} })\n", "}\n")(_inputs(fault))


def _rust_test(line: str) -> str:
    sides = _sides(line)
    return f"assert_eq!({sides[0]}, {sides[1]})" if sides else f"assert!({line})"


def _rust_tests(fault: Fault) -> str:
    line = "\n#[test]\nfn subject_{number}() {\n    {one};\n}\n"
    return _frame("use example::*;\n", line)([_rust_test(one) for one in fault.tests])


def _rust_inputs(fault: Fault) -> str:
    line = '    println!("{:?}", std::panic::catch_unwind(|| {one}).map_err(|_| "panic"));\n'
    return _frame("use example::*;\n\nfn main() {\n", line, "}\n")(_inputs(fault))


_MODULE = {"go.mod": "module example\n\ngo 1.19\n"}
_CRATE = {"Cargo.toml": '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n'}
KITS = (
    Kit(language=Language(name="javascript", file="subject.js", run="node --test", needs=("node",)),
        tested="subject.test.js", tests=_javascript_tests, end=_exports,
        values=Language(name="javascript", file="subject.js", run="node inputs.js"), asked="inputs.js",
        inputs=_javascript_inputs),
    Kit(language=Language(name="java", file="Subject.java", build="javac -d out Subject.java SubjectTest.java",
                          run="java -cp out SubjectTest", needs=("javac", "java")),
        tested="SubjectTest.java", tests=_java_tests,
        values=Language(name="java", file="Subject.java", build="javac -d out Subject.java Inputs.java",
                        run="java -cp out Inputs"), asked="Inputs.java", inputs=_java_inputs),
    Kit(language=Language(name="go", file="subject.go", run="go test ./...", needs=("go",), others=_MODULE),
        tested="subject_test.go", tests=_go_tests,
        values=Language(name="go", file="subject.go", build="go test -c -o values .", run="./values", others=_MODULE),
        asked="values_test.go", inputs=_go_inputs),
    Kit(language=Language(name="rust", file="src/lib.rs", run="cargo test --offline", needs=("cargo", "rustc"),
                          others=_CRATE),
        tested="tests/subject.rs", tests=_rust_tests,
        values=Language(name="rust", file="src/lib.rs", build="cargo build --offline",
                        run="cargo run --offline --quiet --bin inputs", others=_CRATE),
        asked="src/bin/inputs.rs", inputs=_rust_inputs),
)
"""Each with all that a project of its language has."""


def part_rows(ground: Ground, fix: Fix, *, most: int | None) -> Iterator[Row]:
    """Of each language and of all of them; ``most`` of each language."""
    every: list[Outcome] = []
    for kit in KITS:
        try:
            prepared(ground, kit.language)
        except NotRun as missing:
            yield Row(group=GROUP, name=f"{PART}, {kit.language.name}: first diff right", missing=str(missing))
            continue
        found = [measured(ground, fix, kit=kit, fault=fault) for fault in sample(of_kit(kit), most)]
        every.extend(found)
        yield from list(rows(f"{PART}, {kit.language.name}", found, hopes=Hopes(), by_kind=False))[:2]
    yield from rows(PART, every, hopes=_HOPES, note="gives what the good function gives where no test asks")


def of_kit(kit: Kit) -> list[Fault]:
    """The programs of its language."""
    return [fault for fault in faults(FOLDER) if fault.name.startswith(f"{kit.language.name}_")]


def measured(ground: Ground, fix: Fix, *, kit: Kit, fault: Fault) -> Outcome:
    """One fix."""
    language = kit.language
    project = with_tests(kit, fault, scratch(ground, fault.name), source=fault.broken)
    commands = {"test": language.run, **({"build": language.build} if language.build else {})}
    return ask(fix, project, name=fault.name, kind=fault.kind, budget=BUDGET_SECONDS,
               differs=_against(ground, kit, fault), **commands)


def with_tests(kit: Kit, fault: Fault, folder: Path, *, source: str) -> Path:
    """A function and its tests as a project."""
    others = {**kit.language.others, kit.tested: kit.tests(fault)}
    return lay_out(replace(kit.language, others=others), folder, source=source + kit.end(fault))


def told(kit: Kit, fault: Fault, folder: Path, *, text: str) -> tuple[int, str]:
    """What a file of the program gives for the inputs, line by line, and how it ends."""
    others = {**kit.values.others, kit.asked: kit.inputs(fault)}
    return behaviour(kit.values, lay_out(replace(kit.values, others=others), folder, source=text))


def _against(ground: Ground, kit: Kit, fault: Fault) -> Callable[[Mapping[str, str]], str]:
    def differs(texts: Mapping[str, str]) -> str:
        others = sorted(texts.keys() - {kit.language.file})
        if others:
            return f"writes {', '.join(others)}"
        wanted = told(kit, fault, scratch(ground, f"{fault.name}-good"), text=fault.good + kit.end(fault))
        given = told(kit, fault, scratch(ground, f"{fault.name}-fixed"), text=texts[kit.language.file])
        return "" if given == wanted else f"{given} is given, not {wanted}"[:300]
    return differs
