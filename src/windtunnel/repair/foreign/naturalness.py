"""How likely people are to write what an edit makes: less for ``x - x``, more where a forgotten name is used."""

from __future__ import annotations

import re

from windtunnel.repair.foreign.edit import Edit
from windtunnel.repair.foreign.here import Here

_WORD = re.compile(r"[A-Za-z_]\w*")
_SAME = re.compile(r"(?<![\w.\])])([\w.]+(?:\[\w+\])?) (-|/|%|==|!=|===|!==|<|<=|>|>=|&&|\|\||=) \1(?![\w.\[(])")
_CONSTANT = re.compile(r"(?<![\w.\])])(\d+) (==|!=|===|!==|<|<=|>|>=) (\d+)\b")
_ODD = 3.0
"""For what makes use of a variable of which no use was made."""
_NOTHING = re.compile(r"(?<![\w.\])])(?:[\w.]+ [-+] 0\b(?!\.)|[\w.]+ (?:[*/]|%) 1\b(?!\.)|\w+ % 0\b)")


def naturalness(edit: Edit, here: Here) -> float:
    """From 0 to 1; 0.4 where nothing speaks for or against it, as a factor of the prior."""
    content = here.tree.content
    first, last = content.rfind(b"\n", 0, edit.start) + 1, content.find(b"\n", edit.end)
    last = len(content) if last < 0 else last
    before = content[first:last].decode("utf-8", "replace")
    after = (content[first : edit.start] + edit.text.encode() + content[edit.end : last]).decode("utf-8", "replace")
    score = 0.4
    for pattern, share in ((_SAME, 0.1), (_CONSTANT, 0.1), (_NOTHING, 0.15)):
        if len(pattern.findall(after)) > len(pattern.findall(before)):
            score *= share
    gone = content[edit.start : edit.end].decode("utf-8", "replace")
    return min(1.0, score * _uses(gone, edit.text, here=here))


def _uses(gone: str, new: str, *, here: Here) -> float:
    """More where a parameter that nobody used is used now, less where a variable is used no longer."""
    lost, won = set(_WORD.findall(gone)), set(_WORD.findall(new))
    locals_ = {name.name: name for name in here.names}
    share = 1.0
    for name in lost - won:
        if name in locals_ and here.uses[name] - _counted(gone, name) <= (0 if locals_[name].parameter else 1):
            share *= 0.1 if here.table.strict and not locals_[name].parameter else 0.3
    for name in won - lost:
        if name in locals_ and here.uses[name] == 0 and locals_[name].parameter:
            share *= 2.5
        elif name in (here.unchanged if _sets(new, name) else here.unread):
            share *= _ODD
    return share


def _sets(text: str, name: str) -> bool:
    """Whether a text gives a variable another value, or puts something into it."""
    return re.search(rf"\b{re.escape(name)}(?: [-+*/]?= |\+\+|--|\.(?:push|add|append|insert)\w*\()", text) is not None


def _counted(text: str, name: str) -> int:
    return sum(1 for word in _WORD.findall(text) if word == name)
