def unquote(text):
    return text.replace("+", " ")


def query(text):
    return dict(part.split("=", 1) for part in unquote(text).split("&"))
