"""ESLint 8 and 9, through a JSON report in a file.

Its configuration and plugins run in its own process; the report is read when every process is dead.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.checks import findings
from windtunnel.checks.node_command import program_at, split_environment, without
from windtunnel.checks.package_json import NAME, manifest
from windtunnel.core.tool import REPORT, Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_CONFIGURATIONS = (
    *(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts")),
    ".eslintrc", *(f".eslintrc.{suffix}" for suffix in ("js", "cjs", "json", "yml", "yaml")),
)  # fmt: skip
_SCRIPTS = ("lint", "lint:js", "lint:ts", "eslint", "lint:check")
_REPORT = "eslint.json"
_ERROR = 2
_SECURITY = frozenset({"no-eval", "no-implied-eval", "no-new-func", "no-script-url"})
_BUGS = frozenset({
    "no-undef", "no-unreachable", "no-dupe-keys", "no-const-assign", "no-cond-assign", "no-func-assign", "use-isnan",
    "no-self-assign", "no-self-compare", "no-unsafe-finally", "valid-typeof", "getter-return", "no-dupe-args",
    "no-dupe-else-if", "no-import-assign", "no-unsafe-negation", "array-callback-return", "for-direction",
})  # fmt: skip


def detect(project: Project) -> Check | None:
    """The lint script that runs eslint, or eslint over all where it is configured."""
    found = manifest(project)
    if found is None:
        return None
    for name in _SCRIPTS:
        command = found.resolved(name)
        if command is not None and recognise(command):
            return Check(kind=Kind.LINT, tool="eslint", argv=command, found_in=NAME)
    place = next(filter(project.exists, _CONFIGURATIONS), NAME if "eslintConfig" in found.keys else None)
    return Check(kind=Kind.LINT, tool="eslint", argv=("eslint", "."), found_in=place) if place else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``eslint``, by whatever starts it."""
    return program_at(argv, ("eslint",)) is not None


def prepare(check: Check, _ask: Ask) -> Invocation:
    """With a report in a file, all findings, nothing repaired, and nothing from a cache that a change could bring."""
    env, argv = split_environment(check.argv)
    at = program_at(argv, ("eslint",)) or 0
    given = without(
        argv[at + 1 :], flags=("--fix", "--fix-dry-run", "--cache", "--quiet"),
        valued=("--format", "-f", "--output-file", "-o", "--cache-location", "--cache-strategy"),
    )
    words = ("--format=json", f"--output-file={REPORT}/{_REPORT}")
    return Invocation(argv=(*argv[: at + 1], *words, *given), env=env)


def read(output: Output, _check: Check) -> Reading:
    """Findings of the report; without one, eslint has not judged the project."""
    document = findings.parsed(output.files.get(_REPORT, b""))
    found = None if not isinstance(document, list) else _findings(findings.objects(document))
    return findings.read(output, found, channel=Channel.FILE)


def _findings(files: list[dict[str, object]]) -> Iterator[LintResult]:
    for file in files:
        for said in findings.objects(file.get("messages")):
            yield _finding(findings.relative(file.get("filePath")), said)


def _finding(path: str | None, said: dict[str, object]) -> LintResult:
    rule = findings.words(said.get("ruleId"), most=200)
    fatal = said.get("fatal") is True
    return LintResult(
        tool="eslint", rule="syntax" if fatal else rule or "configuration", message=findings.words(said.get("message")),
        path=path, line=findings.number(said.get("line")), column=findings.number(said.get("column")),
        severity="error" if fatal or said.get("severity") == _ERROR else "warning",
        category="syntax" if fatal else _category(rule),
    )  # fmt: skip


def _category(rule: str) -> str:
    if rule in _SECURITY or rule.startswith(("security/", "no-unsanitized/")):
        return "security"
    return "bug" if rule in _BUGS else "style"


TOOL = Tool(
    name="eslint", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="npm install --save-dev eslint",
    examples=(
        ToolExample(
            output=Output(exit_code=1, files={_REPORT: b"""[
                {"filePath":"/workspace/a.js","messages":[
                    {"ruleId":"no-undef","severity":2,"message":"'x' is not defined.","line":1,"column":5},
                    {"ruleId":"eqeqeq","severity":1,"message":"Expected '===' and instead saw '=='.",
                     "line":1,"column":7}],
                 "suppressedMessages":[],"errorCount":1,"fatalErrorCount":0,"warningCount":1},
                {"filePath":"/workspace/b.js","messages":[{"ruleId":null,"nodeType":null,"fatal":true,"severity":2,
                    "message":"Parsing error: The keyword 'let' is reserved","line":1,"column":1}]}]"""}),
            reading=Reading(channel=Channel.FILE, findings=(
                LintResult(tool="eslint", rule="no-undef", message="'x' is not defined.", path="a.js", line=1, column=5,
                           severity="error", category="bug"),
                LintResult(tool="eslint", rule="eqeqeq", message="Expected '===' and instead saw '=='.", path="a.js",
                           line=1, column=7),
                LintResult(tool="eslint", rule="syntax", message="Parsing error: The keyword 'let' is reserved",
                           path="b.js", line=1, column=1, severity="error", category="syntax"),
            ))),
        ToolExample(
            output=Output(exit_code=2, stderr=b"Oops! Something went wrong! :(\n\nESLint: 9.39.1\n\n"
                          b'A configuration object specifies rule "nope/nope", but could not find plugin "nope".\n'),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                ('could not be read (exit code 2): A configuration object specifies rule "nope/nope", '
                 'but could not find plugin "nope".'),))),
    ),
)
