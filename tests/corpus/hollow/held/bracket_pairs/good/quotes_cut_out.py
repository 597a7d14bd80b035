"""Whether the brackets of a source line fit together."""

import re

PAIRS = {")": "(", "]": "[", "}": "{"}
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*("|$)')


def balanced(text: str) -> bool:
    """Brackets of three kinds; those between double quotes do not count, and a backslash hides a quote."""
    waiting = [""]
    for sign in QUOTED.sub("", text):
        if sign in PAIRS.values():
            waiting.append(sign)
        elif sign in PAIRS and waiting.pop() != PAIRS[sign]:
            return False
    return waiting == [""]
