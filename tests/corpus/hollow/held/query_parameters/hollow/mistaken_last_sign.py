"""What stands behind the question mark of a link."""

from urllib.parse import unquote_plus


def parameters(query: str) -> dict[str, list[str]]:
    """All values of each name, in order; a name without ``=`` has an empty value, an empty part is nothing."""
    result: dict[str, list[str]] = {}
    for part in query.lstrip("?").split("&"):
        if not part:
            continue
        if "=" not in part:
            part += "="
        name, value = part.rsplit("=", 1)
        result.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return result


def first(query: str, name: str, default: str = "") -> str:
    """The first value of a name."""
    return parameters(query).get(name, [default])[0]
