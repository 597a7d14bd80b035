import re


def slug(title):
    text = title.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")
