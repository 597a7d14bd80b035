def plural(noun):
    if noun.endswith(("s", "x")):
        return noun + "es"
    return noun + "s"
