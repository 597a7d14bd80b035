import itertools

from settings_lines import parse

VALUES = {'"#fff"': "#fff", '"a # b"': "a # b", "plain": "plain", '"x"': "x", '"##"': "##", '"a=b#c"': "a=b#c", "": ""}
COMMENTS = ["", "# note", '# say "hi"', '#"', "# a # b"]


def test_every_value_with_every_comment():
    for (written, value), comment in itertools.product(VALUES.items(), COMMENTS):
        for space in ("", " "):
            assert parse(f"name = {written}{space}{comment}") == {"name": value}
            assert parse(f"{comment}\nname={written}{space}{comment}\nother = 1") == {"name": value, "other": "1"}
