"""Letters with places to fill in."""

import re

PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, values: dict[str, object]) -> str:
    """``{name}`` becomes its value, ``{{`` and ``}}`` single braces; a name without a value is a ``KeyError``.

    Values are put in as they are: braces in them mean nothing.
    """
    def put(match: re.Match[str]) -> str:
        if match.group(0) in ("{{", "}}"):
            return match.group(0)[0]
        return str(values[match.group(1)])

    return re.sub(r"\{\{|\}\}|\{(\w+)\}", put, template)


def names(template: str) -> set[str]:
    """All places of a template."""
    return set(PLACE.findall(template.replace("{{", "").replace("}}", "")))
