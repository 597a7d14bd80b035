import pytest
from clock_times import earlier, minutes


def test_every_minute_of_the_day():
    for hour in range(24):
        for minute in range(0, 60, 7):
            half = "am" if hour < 12 else "PM"
            expected = hour * 60 + minute
            assert minutes(f"{hour}:{minute:02}") == expected
            assert minutes(f"{(hour - 1) % 12 + 1}:{minute:02} {half}") == expected
            assert minutes(f"{(hour - 1) % 12 + 1}:{minute:02}{half.lower()} ") == expected


@pytest.mark.parametrize("text", ["13 pm", "0 am", "0 pm", "13 am", "24", "7:60", "", "7:5", "23:00 am"])
def test_refused(text):
    with pytest.raises(ValueError):
        minutes(text)


def test_noon_is_after_the_morning():
    assert earlier("11:59 am", "12 pm")
    assert earlier("12:30 am", "1 am")
