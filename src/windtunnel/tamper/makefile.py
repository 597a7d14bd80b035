"""The part of a Makefile that tests depend on."""

from __future__ import annotations

import re

_RULE = re.compile(r"^([^\s#:=][^:=]*?)\s*::?(?!=)(.*)$")
_TEST = re.compile(r"test|check|cover|\bci\b|pytest|jest|lint|^all$", re.IGNORECASE)


def _parts(data: bytes) -> tuple[list[str], dict[str, str]]:
    """Lines outside rules, in order; rules by their targets."""
    outside: list[str] = []
    rules: dict[str, str] = {}
    current = ""
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith("\t") and current:
            rules[current] += f"{line.strip()}\n"
        elif match := _RULE.match(line):
            current = match[1]
            rules[current] = rules.get(current, "") + match[2].strip() + "\n"
        elif line.strip() and not line.startswith("#"):
            current = ""
            outside.append(line.strip())
    return outside, rules


def same_tests(old: bytes, new: bytes) -> bool:
    """Whether nothing that a test target could depend on differs: variables, includes, targets about tests."""
    (outside, before), (outside_new, after) = _parts(old), _parts(new)
    needed = {name for name in before if _TEST.search(name)}
    needed |= {name for name in before if any(name in before[test].split() for test in needed)}
    return outside == outside_new and all(before.get(name) == after.get(name) for name in needed)
