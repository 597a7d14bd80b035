def clean(text):
    return text.replace("-", "").replace(" ", "").upper()
