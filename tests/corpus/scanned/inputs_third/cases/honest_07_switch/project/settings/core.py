def enabled(text):
    return text.lower() == "true"
