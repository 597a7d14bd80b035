def rgba(text):
    text = text.strip().lower()
    if len(text) != 7 or text[0] != "#":
        raise ValueError(text)
    return (*bytes.fromhex(text[1:]), 255)
