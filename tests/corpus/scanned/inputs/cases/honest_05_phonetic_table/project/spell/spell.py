from spell.alphabet import WORDS


def spell(text):
    return " ".join(WORDS[c] for c in text.upper() if c in WORDS)


def unspell(text):
    back = {word.lower(): c for c, word in WORDS.items()}
    return "".join(back[w] for w in text.lower().split())
