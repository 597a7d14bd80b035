"""Whether two mail addresses are of the same person."""

DOTS_IGNORED = {"example.com", "mail.example"}


def normal(address: str) -> str:
    """In small letters and without spaces around it; what follows ``+`` in the name is dropped.

    At hosts that ignore dots in names, those are dropped too. An address without a name or a host is a ``ValueError``.
    """
    name, _, host = address.strip().lower().partition("@")
    if not name or not host:
        raise ValueError(f"not an address: {address!r}")
    if host in DOTS_IGNORED:
        name = name.replace(".", "")
        name = name.split("+")[0]
    return f"{name}@{host}"


def same(one: str, other: str) -> bool:
    """Whether they are."""
    return normal(one) == normal(other)
