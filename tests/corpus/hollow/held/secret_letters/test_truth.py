import random

from secret_letters import shift


def expected(text, key, sign):
    result, used = [], 0
    for letter in text:
        if "a" <= letter.lower() <= "z":
            move = sign * "abcdefghijklmnopqrstuvwxyz".index(key[used % len(key)].lower())
            used += 1
            alphabet = "abcdefghijklmnopqrstuvwxyz" if letter.islower() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            result.append(alphabet[(alphabet.index(letter) + move) % 26])
        else:
            result.append(letter)
    return "".join(result)


def test_random_texts():
    draw = random.Random(16)
    for _ in range(300):
        text = "".join(draw.choice("abyzABYZ ,1-\n") for _ in range(draw.randrange(20)))
        key = "".join(draw.choice("aBcmZ") for _ in range(draw.randrange(1, 5)))
        assert shift(text, key) == expected(text, key, 1)
        assert shift(text, key, back=True) == expected(text, key, -1)
