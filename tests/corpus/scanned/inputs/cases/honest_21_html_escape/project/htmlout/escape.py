TABLE = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]


def escape(text):
    for char, entity in TABLE:
        text = text.replace(char, entity)
    return text
