ALIASES = {"rm": "remove"}


def command(line):
    word, *rest = line.split()
    return ALIASES.get(word, word), rest
