import re

KEYWORDS = {"and", "or"}


def lex(text):
    words = text.split()
    for word in words:
        if not re.fullmatch(r"[a-z]+", word):
            raise SyntaxError("bad word: " + word)
    return [("key" if w in KEYWORDS else "tag", w) for w in words]
