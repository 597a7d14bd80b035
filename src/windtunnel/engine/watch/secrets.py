"""Something that looks like a secret, in what a program printed or left; it is never repeated in the alert."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from windtunnel.core.alert import Severity
from windtunnel.engine.watch import details
from windtunnel.engine.watch.rule import Acts, Example, Finding, Rule, Scene, Seen

_SHAPES = re.compile(
    r"(?P<private_key>-----BEGIN (?:[A-Z]{1,12} ){0,2}PRIVATE KEY-----)"
    r"|(?P<cloud_key>\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)"
    r"|(?P<code_host_token>\bgh[pousr]_[0-9A-Za-z]{36}\b|\bglpat-[0-9A-Za-z_-]{20}\b)"
    r"|(?P<chat_token>\bxox[abprs]-[0-9A-Za-z-]{10,80}\b)")
_MARKS = ("PRIVATE KEY-----", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-", "xox")
"""Without one of these no shape is there, and looking for them costs next to nothing."""
_PLACES = re.compile(
    r"(?:^|/)(?:\.ssh/|\.aws/|\.gnupg/|\.kube/config$|\.docker/config\.json$|\.netrc$|\.git-credentials$)")


def look(seen: Seen, _: Scene) -> Iterator[Finding]:
    """Fire on the shape of a known kind of key in the outputs, and on files where keys are kept."""
    told = seen.entry.details
    if "output" not in told and "effects" not in told:
        return
    texts = [text for text in _texts(told) if any(mark in text for mark in _MARKS)]
    shapes = sorted({match.lastgroup for text in texts for match in _SHAPES.finditer(text) if match.lastgroup})
    paths = [path for one in details.rows(details.effects(told).get("files"))
             if (path := details.text(one.get("path"))) and _PLACES.search(path)]
    if shapes or paths:
        found = ", ".join([*(shape.replace("_", " ") for shape in shapes), *paths[:5]])
        yield Finding(
            subject=seen.actor, records=(seen.evidence,), figures={"shapes": len(shapes), "files": len(paths)},
            message=f"a program of {seen.actor} printed or left what looks like a secret: {found}")


def _texts(told: Mapping[str, object]) -> Iterator[str]:
    for stream in details.table(told.get("output")).values():
        yield details.text(details.table(stream).get("head"))


RULE = Rule(
    id="secrets", about="what looks like a secret, in outputs or files left", severity=Severity.HIGH, look=look,
    examples=(
        Example(about="a private key was printed", fires=1, trail=(
            Acts(details={"output": {"stdout": {"head": "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3Bl"}}}),)),
        Example(about="a file where keys are kept", fires=1, trail=(
            Acts(details={"effects": {"files": [{"path": "home/.ssh/authorized_keys", "kind": "file"}]}}),)),
        Example(about="ordinary output", fires=0, trail=(
            Acts(details={"output": {"stdout": {"head": "AKIA is a name\n"}}}),)),
    ))
