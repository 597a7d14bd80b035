from signal_lights import light, wait


def test_every_second_of_many_rounds():
    colours = ["green"] * 40 + ["yellow"] * 5 + ["red"] * 45
    for second in range(-400, 900):
        assert light(second) == colours[second % 90]
        assert wait(second) == (0 if second % 90 < 40 else 90 - second % 90)
