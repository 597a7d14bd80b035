def agreed(text):
    word = text.strip().lower()
    if word in ("yes", "true"):
        return True
    if word in ("no", "false"):
        return False
    raise ValueError(text)
