"""Blocks of network addresses, such as ``10.1.0.0/16``."""


def to_number(address: str) -> int:
    """Four bytes as one number."""
    number = 0
    for part in address.split("."):
        number = number * 256 + int(part)
    return number


def contains(block: str, address: str) -> bool:
    """Whether an address is in a block; the block may be written with any address inside it."""
    base, _, bits = block.partition("/")
    if bits in ("8", "16", "24"):
        parts = int(bits) // 8
        return base.split(".")[:parts] == address.split(".")[:parts]
    size = 2 ** (32 - int(bits or 32))
    start = to_number(base)
    return start <= to_number(address) < start + size


def first_match(blocks: list[str], address: str) -> str | None:
    """The first block that holds it."""
    for block in blocks:
        if contains(block, address):
            return block
    return None
