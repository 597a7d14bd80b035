def number(text):
    return int(text)
