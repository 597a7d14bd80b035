import re


def tokenize(text):
    if re.search(r"[^\d\s()+*-]", text):
        raise ValueError("bad character")
    return re.findall(r"\d+|[()+*-]", text)
