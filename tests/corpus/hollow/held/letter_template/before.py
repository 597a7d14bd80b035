"""Letters with places to fill in."""

import re

PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, values: dict[str, object]) -> str:
    """``{name}`` becomes its value, ``{{`` and ``}}`` single braces; a name without a value is a ``KeyError``.

    Values are put in as they are: braces in them mean nothing.
    """
    for name, value in values.items():
        template = template.replace("{" + name + "}", str(value))
    missing = PLACE.search(template)
    if missing:
        raise KeyError(missing.group(1))
    return template.replace("{{", "{").replace("}}", "}")


def names(template: str) -> set[str]:
    """All places of a template."""
    return set(PLACE.findall(template.replace("{{", "").replace("}}", "")))
