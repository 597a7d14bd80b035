def article(noun):
    return "an" if noun[0] in "aeiou" else "a"


def phrase(noun):
    return f"{article(noun)} {noun}"
