"""Fixes out of the words of compilers and runtimes: one file for each tool, one literal table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.core.repair import FileEdit, Proposal, Scene
from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.said import go, javac, node, rustc, tsc
from windtunnel.repair.foreign.said.brackets import syntax
from windtunnel.repair.foreign.said.spot import MOST_TEXT, Fix, Row, Spot, near
from windtunnel.repair.foreign.tree import parsed

_ROWS: dict[str, tuple[Row, ...]] = {
    "javascript": node.ROWS,
    "typescript": tsc.ROWS + node.ROWS,
    "java": javac.ROWS,
    "go": go.ROWS,
    "rust": rustc.ROWS,
}
_MOST_PROBLEMS = 40
_MOST_FIXES = 40
"""Of one problem."""
_MISSING = re.compile(
    r"undefined: (\w+)|symbol: +(?:method|class|variable) (\w+)|(\w+) is not (?:defined|a function)|"
    r"(?:cannot find (?:function|value|type)|no method named) `(\w+)`|Cannot find name '(\w+)'|"
    r"has no exported member '(\w+)'|"
    r"unresolved import `[\w:]*?(\w+)`"
)


def rules(scene: Scene) -> Iterator[Proposal]:
    """What the problems' own words lead to: all first answers together where there are several, then each alone."""
    found = [
        (spot, fixes)
        for problem in scene.problems[:_MOST_PROBLEMS]
        if problem.severity == "error" and (spot := _spot(problem, scene)) is not None and (fixes := _fixes(spot))
    ]
    told: set[str] = set()
    for proposal in _all(found, scene):
        if proposal.key not in told:
            told.add(proposal.key)
            yield proposal


def _all(found: list[tuple[Spot, list[Fix]]], scene: Scene) -> Iterator[Proposal]:
    both = _together(found)
    if both is not None:
        yield both
    ranked = sorted(
        ((fix.prior, -at, spot, fix) for at, (spot, fixes) in enumerate(found) for fix in fixes),
        key=lambda row: row[:2],
        reverse=True,
    )
    yield from (_proposal(spot, fix) for _, _, spot, fix in ranked)
    yield from _definitions(scene)


def _spot(problem: Problem, scene: Scene) -> Spot | None:
    """The innermost place that may be changed."""
    for place in (problem.place, *reversed(problem.own)):
        if place is None or place.file not in scene.paths or table_of(place.file) is None:
            continue
        text = scene.read(place.file)
        if text and len(text) <= MOST_TEXT:
            last = text.count("\n") + 1
            column = place.column or 0
            return Spot(
                path=place.file,
                text=text,
                line=min(max(place.line or 1, 1), last),
                column=max(column, 0),
                problem=problem,
                scene=scene,
            )
    return _broken(problem, scene) if problem.place is None and problem.kind == ProblemKind.SYNTAX else None


def _is_blank(fix: Fix) -> bool:
    """Whether a compiler left a blank in what it suggests, for somebody to fill in."""
    return fix.name == "compiler-suggestion" and ("/* " in fix.text or "todo!()" in fix.text)


def _broken(problem: Problem, scene: Scene) -> Spot | None:
    """A file that is not its language, where the tool told no place: at its end, which it did not expect."""
    for path in [
        one
        for one in scene.paths
        if (table := table_of(one)) is not None and problem.language in {table.name, "", "javascript"}
    ][:50]:
        text = scene.read(path)
        tree = parsed(text, path=path) if text and len(text) <= MOST_TEXT else None
        if text and tree is not None and tree.root.has_error:
            return Spot(
                path=path, text=text, line=max(1, text.rstrip().count("\n") + 1), column=0, problem=problem, scene=scene
            )
    return None


def _fixes(spot: Spot) -> list[Fix]:
    """The best first, each text once; a text that is not the language is mended mark by mark."""
    table = table_of(spot.path)
    found: list[Fix] = []
    if table is not None:
        found += list(rustc.suggested(spot))[:_MOST_FIXES] if table.name == "rust" else []
        for words, rule in _ROWS[table.name]:
            said = words.search(spot.problem.message)
            found += list(rule(said, spot))[:_MOST_FIXES] if said is not None else []
        if spot.problem.kind == ProblemKind.SYNTAX:
            mended = list(_first(syntax(spot)))
            found += [
                Fix(
                    start=one.start,
                    end=one.end,
                    text=one.text,
                    name=one.name,
                    reason=one.reason,
                    prior=one.prior / (1 + 0.15 * at),
                )
                for at, one in enumerate(mended)
            ]
    unlike = [fix for fix in found if spot.text[fix.start : fix.end] != fix.text and not _is_blank(fix)]
    return sorted(
        {(fix.start, fix.end, fix.text): fix for fix in reversed(unlike)}.values(), key=lambda fix: -fix.prior
    )


def _first(fixes: Iterator[Fix]) -> Iterator[Fix]:
    for _, fix in zip(range(12), fixes, strict=False):
        yield fix


def _proposal(spot: Spot, fix: Fix) -> Proposal:
    text = spot.text[: fix.start] + fix.text + spot.text[fix.end :]
    place = Place(
        file=spot.path, line=spot.line_at(fix.start), symbol=spot.problem.place.symbol if spot.problem.place else None
    )
    return Proposal(
        edits=(FileEdit(path=spot.path, text=text),),
        origin="rule",
        name=fix.name,
        reason=fix.reason,
        place=place,
        prior=min(1.0, fix.prior),
        features={"compiler": float(bool(spot.problem.help))},
    )


def _together(found: list[tuple[Spot, list[Fix]]]) -> Proposal | None:
    """The best answer to each problem, all at once; None where they are one, or in each other's way."""
    chosen: dict[str, dict[tuple[int, int, str], Fix]] = {}
    texts = {spot.path: spot.text for spot, _ in found}
    for spot, fixes in found:
        best = fixes[0]
        own = chosen.setdefault(spot.path, {})
        if all(best.end <= other.start or other.end <= best.start for other in own.values()):
            own.setdefault((best.start, best.end, best.text), best)
    parts = [fix for own in chosen.values() for fix in own.values()]
    if len(parts) < 2:  # noqa: PLR2004 -- one alone is told alone
        return None
    edits = tuple(FileEdit(path=path, text=_applied(texts[path], list(own.values()))) for path, own in chosen.items())
    prior = min(0.97, 0.2 + 0.8 * min(fix.prior for fix in parts))
    return Proposal(
        edits=edits,
        origin="rule",
        name="together",
        prior=prior,
        place=Place(file=found[0][0].path, line=found[0][0].line),
        reason="; ".join(dict.fromkeys(fix.reason for fix in parts))[:400],
    )


def _applied(text: str, fixes: list[Fix]) -> str:
    ordered = sorted(fixes, key=lambda one: (one.start, one.end, one.text), reverse=True)
    for fix, before in zip(ordered, [None, *ordered], strict=False):
        # Two imports at one place: the empty line comes once, behind both.
        again = before is not None and before.start == fix.start == fix.end and fix.text.endswith("\n\n")
        text = text[: fix.start] + (fix.text[:-1] if again else fix.text) + text[fix.end :]
    return text


def _definitions(scene: Scene) -> Iterator[Proposal]:
    """A test asks for a name that the project has misspelt where it defines it."""
    for problem in scene.problems[:_MOST_PROBLEMS]:
        place, said = problem.place, _MISSING.search(problem.message)
        if place is None or said is None or place.file in scene.paths or place.file not in scene.test_paths:
            continue
        name = next(part for part in said.groups() if part)
        for path in [one for one in scene.paths if table_of(one) is table_of(place.file)][:50]:
            text = scene.read(path) or ""
            if len(text) > MOST_TEXT or re.search(rf"\b{re.escape(name)}\b", text):
                continue
            defined = re.findall(
                r"\b(?:func(?:tion)?|fn|class|struct|const|let|type|int|void|String|\w+>|boolean|double)"
                r"(?: \([^()\n]*\))? (\w+)",
                text,
            )
            for rank, other in enumerate(near(name, list(dict.fromkeys(defined)))):
                new = re.sub(rf"\b{re.escape(other)}\b", name, text)
                yield Proposal(
                    edits=(FileEdit(path=path, text=new),),
                    origin="rule",
                    name="misspelt-definition",
                    reason=f"tests call {name} what is defined as {other}",
                    place=Place(file=path, line=1),
                    prior=0.6 / (1 + rank),
                )
