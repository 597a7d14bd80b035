import re


def words(text):
    return re.findall(r"\w+", text)


def count_words(text):
    return len(words(text))
