from quick import middle, vowels

print(vowels("the quick brown fox " * 20000), middle(list(range(100))))
