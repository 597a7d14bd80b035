"""Texts that say something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import called
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTED = re.compile(r"(\"|'|`)(.*)\1", re.DOTALL)
_MESSAGES = re.compile(
    r"(?:.*[.:])?(?:\w*(?:Error|Exception)|expect|expect_err|panic|Errorf|Wrapf?|warn|assert\w*|deprecate|fail|invariant|"
    r"checkNotNull|requireNonNull|checkArgument|checkState)|errors\.New", re.DOTALL)
_MOST_UP = 12


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """XX around it; messages for people are left alone."""
    match = _QUOTED.fullmatch(place.text(node))
    if match is None or match[2].startswith('""') or _is_message(place) or _is_of_a_type(place):
        return
    yield instead(node, f"{match[1]}XX{match[2]}XX{match[1]}")


def _is_of_a_type(place: Place) -> bool:
    """Whether it is compared in TypeScript, where a text that the other side cannot have is an error."""
    return place.grammar.name == "typescript" and place.kind_above() in {"binary_expression", "switch_case"}


def _is_message(place: Place) -> bool:
    for count, (node, _) in enumerate(place.upward()):
        if node.type == "throw_statement" or (
                node.type in place.grammar.calls and _MESSAGES.fullmatch(called(node, place))):
            return True
        if node.type.endswith(("_statement", "_declaration")) or count > _MOST_UP:
            break
    return False


OPERATOR = Operator(
    name="strings", title="a text with XX around it", propose=propose, examples={
        "javascript": examples(('x = "a";', 'x = "XXaXX";'), ("x = '';", "x = 'XXXX';"),
                               ("x = `a ${b}`;", "x = `XXa ${b}XX`;"),
                               left=('"use strict";', 'x = require("a");', 'throw new Error("a");', "x = tag`a`;",
                                     'x = {"a": b};', 'import x from "a";', 'export * from "a";',
                                     'x = <A b="c">d</A>;')),
        "typescript": examples(('x = "a";', 'x = "XXaXX";'),
                               left=('type T = "a";', 'x = "a" as const;', 'x = a === "b";')),
        "go": examples(('g("a")', 'g("XXaXX")'), ("g(`a`)", "g(`XXaXX`)"),
                       left=('panic("a")', 'g(errors.New("a"))', 'fmt.Println("a")', 'import "a"\n',
                             'type T struct {\n\tA int `json:"a"`\n}\n', "g('a')")),
        "java": examples(('g("a");', 'g("XXaXX");'),
                         left=('throw new B("a");', 'g(new IllegalStateException("a"));', '@B("a") int x;')),
        "rust": examples(('g("a");', 'g("XXaXX");'),
                         left=('x.expect("a");', 'g(b"a");', 'println!("a");', 'match a { "b" => g(), _ => h() }',
                               '#[doc = "a"]\nfn g() {}')),
    })
