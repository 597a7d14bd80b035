import csv
import re
from pathlib import Path


def load():
    path = Path(__file__).with_name("exceptions.csv")
    with path.open() as file:
        return {row[0]: int(row[1]) for row in csv.reader(file)}


EXCEPTIONS = load()


def syllables(word):
    word = word.lower()
    if word in EXCEPTIONS:
        return EXCEPTIONS[word]
    return len(re.findall(r"[aeiouy]+", word))
