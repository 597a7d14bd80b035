"""What no operator touches in other languages, each kind with examples by language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import bare, called
from windtunnel.mutation.grammars.parts import first

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place

_LOGGING = re.compile(
    r"(?:.*\.)?_*(?:(?:[a-zA-Z]+_)?(?:log|logger|logging|LOG|LOGGER|Log|Logger)|\w*[a-z]Logger|slog|klog|glog|zap|winston)"
    r"(?:\(\))?\.(?i:trace|debug|info|notice|warn|warning|error|fatal|critical|severe|fine|finer|finest|log|print)"
    r"(?:f|ln|w|Context)?", re.DOTALL)
_PRINTING = re.compile(
    r"console\.\w+|System\.(?:out|err)\.\w+|fmt\.Print\w*|\w+\.printStackTrace|print(?:ln)?|process\.std(?:out|err)\.write")
_PRINTING_TO = re.compile(r"fmt\.Fprint\w*")
_ASSERTING = re.compile(r"assert(?:\.\w+)?|console\.assert")
_WAITING = re.compile(r"time\.Sleep|Thread\.sleep|(?:std::)?thread::sleep|TimeUnit\.\w+\.sleep|sleep")
_STATEMENTS = frozenset({"expression_statement", "await_expression"})
_LENGTH = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Arid:
    """One kind of code that is left alone."""

    name: str
    applies: Callable[[Node, Place], bool]
    examples: Mapping[str, str]
    """By language: a source without a single mutant."""


def is_left_alone(node: Node, place: Place) -> bool:
    """Whether nothing at or below the node is mutated."""
    return place.grammar.leaves(node, place) or any(rule.applies(node, place) for rule in ARID)


def _call(node: Node, place: Place) -> Node | None:
    """A call, or that of a statement that is nothing else."""
    kind = node.type
    if kind not in _STATEMENTS:
        return node if kind in place.grammar.calls else None
    for _ in range(len(_STATEMENTS)):
        if node.type in _STATEMENTS:
            node = first(node) or node
    return node if node.type in place.grammar.calls else None


def _calls(node: Node, place: Place, *patterns: re.Pattern[str]) -> bool:
    call = _call(node, place)
    name = called(call, place) if call is not None else ""
    return 0 < len(name) <= _LENGTH and any(pattern.fullmatch(name) for pattern in patterns)


def _logging(node: Node, place: Place) -> bool:
    if _calls(node, place, _LOGGING, _PRINTING):
        return True
    call = _call(node, place) if _calls(node, place, _PRINTING_TO) else None
    given = call.child_by_field_name("arguments") if call is not None else None
    return given is not None and place.text(given).startswith("(os.Std")


def _asserting(node: Node, place: Place) -> bool:
    return _calls(node, place, _ASSERTING)


def _waiting(node: Node, place: Place) -> bool:
    return _calls(node, place, _WAITING)


def _dead(_node: Node, place: Place) -> bool:
    """The branch of a condition that is never true."""
    if place.field not in {"consequence", "condition"}:
        return False
    branch = place.above()
    condition = branch.child_by_field_name("condition") if branch is not None else None
    return condition is not None and place.text(bare(condition)) == "false"


def _nothing(_node: Node, _place: Place) -> bool:
    """Left to the tables of the languages."""
    return False


ARID = (
    Arid(name="logging and printing", applies=_logging, examples={
        "javascript": "console.log(a + 1);", "typescript": 'this.logger.info("a", b + 1);',
        "go": 'log.Printf("%d", a+1)', "java": 'System.out.println("a" + 1); LOG.warn("a", a + 1);',
        "rust": 'println!("{}", a + 1); log::info!("{}", a + 1);'}),
    Arid(name="assertions", applies=_asserting, examples={
        "javascript": "assert.equal(a + 1, b);", "typescript": 'console.assert(a > 1, "a");',
        "java": 'assert a > 0 : "a";', "rust": "assert!(a > 0); debug_assert_eq!(a, 1);"}),
    Arid(name="waiting", applies=_waiting, examples={
        "javascript": "async () => { await sleep(100); }", "go": "time.Sleep(5 * time.Second)",
        "java": "Thread.sleep(100);", "rust": "std::thread::sleep(g(1));"}),
    Arid(name="code that never runs", applies=_dead, examples={
        "javascript": "if (false) { x = a + 1; }", "go": "if false {\n\t\tg(1)\n\t}", "java": "if (false) { g(1); }",
        "rust": "if false { g(1); }"}),
    Arid(name="imports and packages", applies=_nothing, examples={
        "javascript": 'import a from "b";\nexport * from "c";', "typescript": 'import type { A } from "b";',
        "go": 'import "fmt"\n', "java": "import a.b.C;\nclass A {}", "rust": "use a::b;"}),
    Arid(name="types, annotations and attributes", applies=_nothing, examples={
        "typescript": 'interface A { b: "c" | 1 }\ntype D = A["b"];\ndeclare const e: 1;\n@f(1) class G {}',
        "go": 'type T struct {\n\tA [4]int `json:"a"`\n}\n',
        "java": '@B(value = 1, c = "d") class A<T> { @E(2) int x; }',
        "rust": '#[repr(align(4))]\nstruct S { a: [u8; 4] }\n#[deprecated(note = "a")]\nfn g() {}'}),
    Arid(name="formatting for people", applies=_nothing, examples={
        "javascript": 'class A { toString() { return "a" + this.b; } }',
        "go": 'func (a A) String() string { return "a" + a.b }\n',
        "java": 'class A { public String toString() { return "a" + 1; } }',
        "rust": 'impl fmt::Debug for A { fn fmt(&self, f: &mut F) -> R { f.write_str("a") } }'}),
    Arid(name="tests beside the code", applies=_nothing, examples={
        "javascript": "if (import.meta.vitest) { test(1, 2); }",
        "rust": "#[cfg(test)]\nmod tests {\n    fn g() -> u32 { 1 }\n}\n#[test]\nfn h() { g(1); }"}),
)
