from wordcount.count import count_words
assert count_words("mother-in-law's 3 cats") == 2
assert count_words("42") == 0
