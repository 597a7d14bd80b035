POINTS = {**dict.fromkeys("aeioulnstr", 1), **dict.fromkeys("dg", 2), **dict.fromkeys("bcmp", 3),
          **dict.fromkeys("fhvwy", 4), "k": 6, **dict.fromkeys("jx", 8), **dict.fromkeys("qz", 8)}


def points(word):
    return sum(POINTS[letter] for letter in word.lower())
