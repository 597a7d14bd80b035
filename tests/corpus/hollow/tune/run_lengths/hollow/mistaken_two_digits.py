"""Text with its repetitions counted: ``aaab`` is ``3a1b``."""


def encode(text: str) -> str:
    """Each run as its length and its character; digits in the text are not allowed."""
    if any(character.isdigit() for character in text):
        raise ValueError("digits cannot be told from lengths")
    result = ""
    index = 0
    while index < len(text):
        end = index
        while end < len(text) and text[end] == text[index]:
            end += 1
        result += f"{end - index}{text[index]}"
        index = end
    return result


def decode(text: str) -> str:
    """The text again."""
    result = ""
    index = 0
    while index < len(text):
        width = 2 if text[index + 1].isdigit() else 1
        result += text[index + width] * int(text[index:index + width])
        index += width + 1
    return result
