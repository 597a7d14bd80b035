"""Findings of linters, type checkers and compilers that other parts already read, as problems."""

from __future__ import annotations

import re
from dataclasses import replace

from windtunnel.core.problem import Place, Problem
from windtunnel.core.problem import ProblemKind as K
from windtunnel.core.trial import ExecutionTestResult, LintResult
from windtunnel.diagnosis import kinds_go, kinds_java, kinds_rust, problems_in, typescript
from windtunnel.diagnosis.base import kind_of, patterns, problem
from windtunnel.diagnosis.sources import Sources

_RULES = patterns(
    (r"^(?:E9|E999|invalid-syntax|syntax|parse)|syntax-error|fatal", K.SYNTAX),
    (r"^(?:F821|F822|no-undef|undefined-variable|name-defined|reportUndefinedVariable|used-before-def)", K.NAME),
    (r"^(?:F401|F841|F811|unused|no-unused|W061[1-4]|reportUnused|ARG0|ERA)|unused", K.UNUSED),
    (r"^(?:import|E0401|reportMissing(?:Import|Module)|no-unresolved|no-name-in-module|reportAttributeAccessIssue\.import)",
     K.IMPORT),
    (r"^(?:union-attr|reportOptional)", K.NULL), (r"^(?:attr-defined|no-member|reportAttributeAccess)", K.ATTRIBUTE),
    (r"^(?:call-arg|too-many-function-args|no-value-for|unexpected-keyword|reportCallIssue)", K.ARGUMENT),
    (r"^(?:no-redef|no-dupe|no-redeclare|duplicate|reportRedeclaration)", K.DUPLICATE),
    (r"^(?:no-const-assign|misc-final)", K.IMMUTABLE), ((r"^(?:return|possibly-undefined|no-unreachable|unreachable|"
                                                        r"inconsistent-return|reportPossiblyUnbound)"), K.FLOW),
    (r"^(?:abstract|override|reportAbstract|reportIncompatible)", K.INTERFACE),
)
_CATEGORIES = {"style": K.STYLE, "type": K.TYPE, "syntax": K.SYNTAX}
_TEST_CATEGORIES = {"assertion": K.ASSERTION, "timeout": K.TIMEOUT, "import": K.IMPORT, "collection": K.IMPORT,
                    "crash": K.CRASH}
_LANGUAGES = {
    "typescript": "typescript", "eslint": "javascript", "jest": "javascript", "vitest": "javascript",
    "mocha": "javascript", "node-test": "javascript", "go": "go", "go-vet": "go", "go-build": "go", "go-test": "go",
    "cargo": "rust", "clippy": "rust", "javac": "java", "maven": "java", "gradle": "java"}


def language_of(tool: str) -> str:
    """The language that a tool is for; most of the others are Python's."""
    head = re.split(r"[-_ ]", tool)[0]
    python = head in {"ruff", "flake8", "pylint", "mypy", "pyright", "pytest", "unittest", "python"}
    return "python" if python else _LANGUAGES.get(tool, _LANGUAGES.get(head, ""))


def finding_kind(finding: LintResult) -> K:
    """By the rule where its tool has one, else by what it says."""
    language = language_of(finding.tool)
    if language == "typescript":
        return typescript.code_kind(finding.rule)
    if language == "rust":
        return kinds_rust.code_kind(finding.rule, finding.message)
    if language == "go":
        return kinds_go.build_kind(finding.message)
    if language == "java":
        return kinds_java.said_kind(*finding.message.partition("\n")[::2])
    return kind_of(finding.rule, _RULES) or _CATEGORIES.get(finding.category, K.STYLE)


def of_finding(finding: LintResult) -> Problem:
    """One finding, not yet finished."""
    place = None if finding.path is None else Place(file=finding.path, line=finding.line, column=finding.column)
    made = problem(finding_kind(finding), finding.message, name=finding.rule, place=place, severity=finding.severity)
    return replace(made, tool=finding.tool, language=language_of(finding.tool))


def of_test(test: ExecutionTestResult, sources: Sources) -> tuple[Problem, ...]:
    """What a test that failed said, read as its runner would have shown it; where that says nothing, how it ended."""
    found = [one for one in problems_in(_shown(test), sources=sources) if one.tool != "output"]
    if found:
        return tuple(replace(one, test=test.id, tool=test.tool or one.tool) for one in found)
    place = None if test.path is None else Place(file=test.path, line=test.line)
    kind = _TEST_CATEGORIES.get(test.category, K.GENERIC)
    made = problem(kind, test.message or test.status, name=test.category or "test", place=place, test=test.id)
    return (replace(made, tool=test.tool, language=language_of(test.tool)),)


def _shown(test: ExecutionTestResult) -> str:
    """The message in its runner's frame, so that its reader knows it."""
    name = test.id.rpartition("::")[2] if "::" in test.id else test.id
    if test.tool == "pytest":
        body = test.message.partition("\n")[2] if "\nE  " in test.message else test.message
        return f"=== FAILURES ===\n___ {name} ___\n{body}\n"
    if test.tool.startswith("go"):
        indented = "\n".join(f"    {line.strip()}" for line in test.message.splitlines())
        return f"--- FAIL: {test.id.rpartition('/')[2] or name} (0.00s)\n{indented}\n"
    return test.message
