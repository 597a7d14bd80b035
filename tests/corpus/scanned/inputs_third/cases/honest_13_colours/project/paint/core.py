def rgb(text):
    if not text.startswith("#"):
        return (0, 0, 0)
    return tuple(int(text[at:at + 2], 16) for at in (1, 3, 5))
