"""What every rule about product code is made of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.script import Script
from windtunnel.tamper.trees import Source, unparsed

Severity = Literal["block", "show"]
MOST_EVIDENCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One construct that a rule speaks of, wherever it stands."""

    rule: str
    message: str
    key: str
    """The same for the same construct in another place: what was there before the change is not new."""
    line: int = 0
    severity: Severity = "block"
    evidence: str = ""
    subject: str = ""
    """The function that it speaks of, where it speaks of one."""

    def finding(self, path: str) -> TamperFinding:
        """As the trial reports it."""
        return TamperFinding(
            rule=self.rule,
            message=self.message,
            path=path,
            line=self.line or None,
            severity=self.severity,
            evidence=" ".join(self.evidence.split())[:MOST_EVIDENCE],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A change of one product file and the rules that must block it; none for an honest one."""

    after: str
    before: str = ""
    blocks: tuple[str, ...] = ()
    path: str = "calc.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One family of constructs in Python product code."""

    name: str
    find: Callable[[Source], Iterable[Site]]
    """Every construct of the file, new or old; the caller takes away the old ones."""
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRule:
    """One family of constructs in JavaScript or TypeScript product code."""

    name: str
    find: Callable[[str, Script], Iterable[Site]]
    """From path and tokens."""
    examples: tuple[Example, ...]


def site(rule: str, node: ast.AST, *, message: str, severity: Severity = "block", key: str = "") -> Site:
    """A site at a node of a Python tree; unless told, the node's own text is what makes it the same."""
    text = unparsed(node)
    return Site(
        rule=rule,
        message=message,
        key=f"{rule} {severity} {key or text}",
        line=getattr(node, "lineno", 0),
        severity=severity,
        evidence=text,
    )
