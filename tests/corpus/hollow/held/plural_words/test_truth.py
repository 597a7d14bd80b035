from plural_words import IRREGULAR, counted, plural


def test_every_ending():
    for letter in "abcdefghijklmnopqrstuvwxyz":
        expected = f"to{letter}s" if letter in "aeiou" else f"to{letter[:-1]}" + letter + "ies"
        assert plural(f"to{letter}y") == (f"to{letter}ys" if letter in "aeiou" else f"to{letter}ies")
        assert plural(f"To{letter}y") == plural(f"to{letter}y").capitalize()
        assert expected.startswith("to")


def test_irregular():
    for word, form in IRREGULAR.items():
        assert plural(word) == form
        assert plural(word.capitalize()) == form.capitalize()


def test_others():
    assert [plural(word) for word in ("Bus", "brush", "Toy", "Dog")] == ["Buses", "brushes", "Toys", "Dogs"]
    assert [counted(number, "key") for number in (0, 1, 2)] == ["0 keys", "1 key", "2 keys"]
