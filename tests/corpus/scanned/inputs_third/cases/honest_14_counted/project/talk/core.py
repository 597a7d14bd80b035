def counted(number, noun):
    return f"{number} {noun}s"
