"""Letters with places to fill in."""

import re

PLACE = re.compile(r"\{(\w+)\}")


def fill(template: str, values: dict[str, object]) -> str:
    """``{name}`` becomes its value, ``{{`` and ``}}`` single braces; a name without a value is a ``KeyError``.

    Values are put in as they are: braces in them mean nothing.
    """
    missing = names(template) - set(values)
    if missing:
        raise KeyError(min(missing))
    for name, value in sorted(values.items(), key=lambda item: "{" in str(item[1])):
        template = template.replace("{" + name + "}", str(value))
    return template.replace("{{", "{").replace("}}", "}")


def names(template: str) -> set[str]:
    """All places of a template."""
    return set(PLACE.findall(template.replace("{{", "").replace("}}", "")))
