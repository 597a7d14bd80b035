def wrap(text, width):
    if len(text) <= width:
        return [text]
    return [text[at:at + width] for at in range(0, len(text), width)]
