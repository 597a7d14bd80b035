"""Text in lines of a given width."""


def wrap(text: str, width: int) -> list[str]:
    """Lines of whole words, at most so wide; a word that is wider is cut into pieces."""
    lines, line = [], ""
    for word in text.split():
        if len(word) > width:
            lines.append(word[:width])
            word = word[width:]
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        lines.append(line)
    return lines


def indent(text: str, width: int, *, by: int = 4) -> str:
    """The same as one text with spaces before each line; the width counts them."""
    return "\n".join(" " * by + line for line in wrap(text, width - by))
