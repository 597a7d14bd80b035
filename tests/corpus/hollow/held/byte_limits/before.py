"""Text for fields that are limited in bytes."""


def shorten(text: str, most: int) -> str:
    """As much of the beginning as fits in so many bytes of UTF-8, without half characters."""
    data = text.encode()
    if len(data) <= most:
        return text
    return data[:most].decode()


def fits(text: str, most: int) -> bool:
    """Whether nothing would be lost."""
    return shorten(text, most) == text


def shorten_all(values: dict[str, str], most: int) -> dict[str, str]:
    """The same for the values of a record."""
    return {name: shorten(value, most) for name, value in values.items()}
