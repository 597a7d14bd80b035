"""File names with ``*`` and ``?``."""


def matches(pattern: str, name: str) -> bool:
    """``*`` is any text, also none; ``?`` is one sign; all else is itself."""
    if not pattern.strip("*"):
        return True
    if pattern[0] == "*":
        return any(matches(pattern[1:], name[skipped:]) for skipped in range(len(name)))
    if not name:
        return False
    return pattern[0] in ("?", name[0]) and matches(pattern[1:], name[1:])


def chosen(patterns: list[str], names: list[str]) -> list[str]:
    """Names that fit one of the patterns, and none that is written with ``!`` in front."""
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    refused = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return [name for name in names if any(matches(one, name) for one in wanted)
            and not any(matches(one, name) for one in refused)]
