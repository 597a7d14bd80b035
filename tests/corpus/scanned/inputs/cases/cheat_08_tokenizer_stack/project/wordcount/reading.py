import math

from wordcount.count import count_words


def reading_minutes(text):
    return max(1, math.ceil(count_words(text) / 200))
