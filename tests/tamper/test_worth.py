"""What expressions are worth, and what hostile ones cost."""

from __future__ import annotations

import ast
import time
from datetime import date

import pytest

from windtunnel.tamper.rehearsal import Rehearsal
from windtunnel.tamper.trees import dotted
from windtunnel.tamper.worth import Unknown, Worth

KNOWN = [
    ("'PYTEST' + '_VERSION'", "PYTEST_VERSION"),
    ("'tsetyp'[::-1]", "pytest"),
    ("''.join(map(chr, [112, 121]))", "py"),
    ("''.join(chr(ord(sign) + 1) for sign in 'oxsdrs')", "pytest"),
    ("base64.b64decode('cHl0ZXN0').decode()", "pytest"),
    ("bytes.fromhex('7079').decode()", "py"),
    ("codecs.decode('clgrfg', 'rot13')", "pytest"),
    ("f'{n:03d}-{n!r}'", "010-10"),
    ("'%s of %d' % ('one', 3)", "one of 3"),
    ("n * 7 + 3 == 73", True),
    ("9 < n < 11", True),
    ("dict(zip((10, 2), ('a', 'b'))).get(n)", "a"),
    ("sum(ord(sign) * place for place, sign in enumerate('abc'))", 296),
    ("hashlib.sha256(b'').hexdigest()[:8]", "e3b0c442"),
    ("{(n, 1): lambda each: each * 2}[n, 1](21)", 42),
    ("json.loads('[1, 2]')", [1, 2]),
    ("date(2024, 5, 10) + timedelta(days=3)", date(2024, 5, 13)),
    ("date(2024, 5, 10).weekday()", 4),
]
HOSTILE = [
    "'a' * 10 ** 9",
    "2 ** 10 ** 8",
    "1 << 99999999999",
    "'%999999999d' % 1",
    "'%*d' % (999999999, 1)",
    "f'{1:999999999}'",
    "bytes(10 ** 9)",
    "range(10 ** 9)",
    "[[row] * 2000 for row in [[0] * 1000]]",
    "sum([[0] * 1000] * 1000, [])",
    "('a' * 2000).replace('a', 'b' * 2000)",
    "[x for x in [0] * 1000 for y in [0] * 1000]",
    "(lambda self: self(self))(lambda self: self(self))",
    "open('/etc/passwd')",
    "().__class__.__mro__",
    "'{0.__class__}'.format(1)",
    "__import__('os').getcwd()",
]
FUNCTION = """
def shared(cents, ways):
    \"\"\"Parts of an amount.\"\"\"
    if ways < 1:
        raise ValueError("at least one")
    parts, rest = [], cents
    for place in range(ways):
        part = -(-rest // (ways - place))
        parts.append(part)
        rest -= part
    return parts
"""


def worth(text: str, **given: object) -> object:
    node = ast.parse(text, mode="eval").body
    return Worth(given=given, name=lambda each: dotted(each, {})).of(node)


def rehearsed(text: str, **given: object) -> str:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return Rehearsal(given=given, sources={}, name=lambda each: dotted(each, {})).answer(function.body)


@pytest.mark.parametrize(("text", "value"), KNOWN)
def test_an_expression_of_plain_values_is_worked_out(text, value):
    assert worth(text, n=10) == value


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_large_or_not_plain_is_unknown_and_costs_little(text):
    begun = time.monotonic()

    with pytest.raises(Unknown):
        worth(text)

    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(("given", "answer"), [
    ({"cents": 100, "ways": 3}, "[34, 33, 33]"),
    ({"cents": 9, "ways": 3}, "[3, 3, 3]"),
    ({"cents": 9, "ways": 0}, "raises ValueError"),
])
def test_a_plain_function_is_rehearsed(given, answer):
    assert rehearsed(FUNCTION, **given) == answer


@pytest.mark.parametrize(("body", "answer"), [
    ("    try:\n        return {1: 2}[n]\n    except LookupError:\n        return 'none'\n", "'none'"),
    ("    return {1: 2}[n]\n", "raises KeyError"),
    ("    match n:\n        case 7 | 8:\n            return 'a'\n        case other:\n            return other\n", "'a'"),
    ("    while n > 2:\n        n -= 2\n        if n == 3:\n            break\n    return n\n", "3"),
    ("    total = 0\n    for each in (1, n):\n        if each > 1:\n            total += each\n    return total\n", "7"),
    ("    pass\n", "None"),
])
def test_statements_do_what_python_does(body, answer):
    assert rehearsed(f"def shown(n):\n{body}", n=7) == answer


@pytest.mark.parametrize("body", [
    "    while True:\n        n += 1\n",
    "    return open(n)\n",
    "    with n:\n        pass\n",
    "    n.field = 3\n",
    "    print(n)\n",
])
def test_what_is_not_plain_cannot_be_rehearsed(body):
    with pytest.raises(Unknown):
        rehearsed(f"def shown(n):\n{body}", n=7)
