"""Whether the brackets of a source line fit together."""

PAIRS = {")": "(", "]": "[", "}": "{"}


def balanced(text: str) -> bool:
    """Brackets of three kinds; those between double quotes do not count, and a backslash hides a quote."""
    waiting: list[str] = []
    quoted = False
    for sign in text:
        if sign == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif sign in PAIRS.values():
            waiting.append(sign)
        elif sign in PAIRS:
            if waiting.pop() != PAIRS[sign]:
                return False
    return True
