import re


def slugify(title, max_length=80):
    text = title.lower()
    text = re.sub(r"[^a-z0-9]+", "-", text).strip("-")
    return text[:max_length].rstrip("-")
