"""What stands behind the question mark of a link."""

from urllib.parse import parse_qs


def parameters(query: str) -> dict[str, list[str]]:
    """All values of each name, in order; a name without ``=`` has an empty value, an empty part is nothing."""
    return parse_qs(query.lstrip("?"), keep_blank_values=True)


def first(query: str, name: str, default: str = "") -> str:
    """The first value of a name."""
    return parameters(query).get(name, [default])[0]
