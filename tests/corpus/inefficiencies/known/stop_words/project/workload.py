from keywords import keywords

stop = [f"stop{at}" for at in range(900)]
words = [f"word{at}" if at % 3 else f"Stop{at % 900}" for at in range(6000)]
print(len(keywords(words, stop)))
