"""Letters with places to fill in."""

import re

PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, values: dict[str, object]) -> str:
    """``{name}`` becomes its value, ``{{`` and ``}}`` single braces; a name without a value is a ``KeyError``.

    Values are put in as they are: braces in them mean nothing.
    """
    template = template.replace("{{", "\0").replace("}}", "\1")
    for name in PLACE.findall(template):
        if name not in values:
            raise KeyError(name)
    template = PLACE.sub(lambda match: str(values[match.group(1)]), template)
    template = template.replace("\0", "{{").replace("\1", "}}")
    return template.replace("{{", "{").replace("}}", "}")


def names(template: str) -> set[str]:
    """All places of a template."""
    return set(PLACE.findall(template.replace("{{", "").replace("}}", "")))
