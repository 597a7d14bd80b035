from last_messages import LastMessages


def test_every_length():
    text = "abcdefghijklmnopqrstuvwxyz"
    for size in range(1, 8):
        messages = LastMessages(size)
        for count, letter in enumerate(text, 1):
            messages.add(letter)
            assert messages.all() == list(text[max(0, count - size):count])
            assert messages.lost == max(0, count - size)


def test_any_order_of_words():
    messages = LastMessages(3)
    for word in ("z", "", "y", "b", "a"):
        messages.add(word)
    assert messages.all() == ["y", "b", "a"]
