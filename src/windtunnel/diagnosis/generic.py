"""Output that no reader knows: its most telling lines, and a place where one is named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import kind_of, patterns, problem
from windtunnel.diagnosis.text import number

_TELLING = re.compile(
    r"[A-Z]\w{1,60}(?:Error|Exception)\b|"
    r"\b(?:error|fatal|exception|fail(?:ed|ure)?|panic|abort(?:ed)?|cannot|can't|could not|unable|denied|not found|"
    r"undefined|unresolved|invalid|illegal|missing|segmentation|killed|refused|no such|traceback|fehler|fehlgeschlagen|"
    r"erreur|échec|errore|fallo|erro|falha|błąd|chyba|hata|virhe)\b|ошибк|错误|失敗|失败|エラー|오류", re.IGNORECASE)
_CLEAN = re.compile(
    r"\b(?:0|no) (?:errors?|failures?|failed|problems|warnings|fehler|issues)\b|errors?[:=] ?0\b|"
    r"fail(?:ed|ures?)[:=] ?0\b|"
    r"(?:error|fail)\w*\.(?:py|js|ts|go|rs|java|c|md|txt|log)\b|\b0 failed\b|# fail 0", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:^|[\s('\"\[])((?:[A-Za-z]:)?[\w./@+~-]{1,300}\.[A-Za-z]\w{0,7})"
    r"(?::|\(|, line | line |, Zeile |:\[)([0-9]{1,9})"
    r"(?:[:,.]([0-9]{1,9}))?")
_KINDS = patterns(
    (r"segmentation fault|core dumped|SIGSEGV|SIGABRT|Illegal instruction|Bus error|stack smashing", ProblemKind.CRASH),
    (r"out of memory|Cannot allocate memory|oom-kill|\bKilled\b|std::bad_alloc", ProblemKind.MEMORY),
    (r"[Pp]ermission denied|Operation not permitted|EACCES|EPERM", ProblemKind.PERMISSION),
    (r"timed? ?out\b|deadline exceeded", ProblemKind.TIMEOUT),
    ((r"Connection refused|Name or service not known|Temporary failure in name|Network is unreachable|"
      r"Could not resolve host"),
     ProblemKind.NETWORK),
    (r"command not found|: not found$|No such file or directory|No space left|Is a directory", ProblemKind.IO),
    (r"[Ss]yntax error|[Pp]arse error", ProblemKind.SYNTAX), (r"[Aa]ssertion .{0,200}failed", ProblemKind.ASSERTION),
    (r"undefined reference|undeclared|not declared", ProblemKind.NAME),
)
_FEW = 5


def telling(lines: Sequence[str], *, failed: bool | None) -> Problem | None:
    """One problem of what the lines say; None where they say nothing, unless it is known that something failed."""
    told = [line.strip() for line in lines if _TELLING.search(line) and not _CLEAN.search(line)]
    if not told and not failed:
        return None
    kept = list(dict.fromkeys(told))[:_FEW] or [line.strip() for line in lines if line.strip()][-_FEW:]
    if not kept:
        return None
    message = "\n".join(kept)
    return problem(kind_of(message, _KINDS) or ProblemKind.GENERIC, message, name="output",
                   place=_place(kept) or _place(lines))


def _place(lines: Sequence[str]) -> Place | None:
    said = next((found for line in lines[:2000] if (found := _PLACE.search(line[:1000])) is not None), None)
    return Place(file=said[1], line=number(said[2]), column=number(said[3])) if said is not None else None
