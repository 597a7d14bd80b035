from size_texts import size_text


def test_around_every_step():
    for power, unit, smaller in ((6, "MB", "KB"), (9, "GB", "MB"), (12, "TB", "GB")):
        step = 10**power
        for part, text in ((0.9994, "999.4"), (0.9999, "999.9"), (0.99994, "999.9"), (0.9, "900.0")):
            assert size_text(int(step * part)) == f"{text} {smaller}"
        for part in (0.99996, 0.99999, 1, 1.00001):
            assert size_text(int(step * part)) == f"1.0 {unit}"
        assert size_text(step * 3 // 2) == f"1.5 {unit}"


def test_ends():
    assert [size_text(count) for count in (0, 1, 999, 1000, 1049)] == ["0 B", "1 B", "999 B", "1.0 KB", "1.0 KB"]
    assert size_text(4_000 * 10**12) == "4000.0 TB"
