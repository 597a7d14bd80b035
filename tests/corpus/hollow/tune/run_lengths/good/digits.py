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
    result = length = ""
    for character in text:
        if character.isdigit():
            length += character
        else:
            result += character * int(length)
            length = ""
    return result
