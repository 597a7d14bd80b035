from last_messages import LastMessages


def filled(size, text):
    messages = LastMessages(size)
    for letter in text:
        messages.add(letter)
    return messages


def test_not_full():
    assert filled(3, "ab").all() == ["a", "b"]


def test_written_over():
    assert filled(3, "abcd").all() == ["b", "c", "d"]


def test_lost():
    assert filled(3, "abcd").lost == 1


def test_full_round():
    assert filled(2, "abcd").all() == ["c", "d"]
