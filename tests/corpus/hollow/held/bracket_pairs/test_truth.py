import itertools

from bracket_pairs import balanced


def expected(text):
    kept, quoted, hidden = "", False, False
    for sign in text:
        if quoted and sign == "\\" and not hidden:
            hidden = True
            continue
        if sign == '"' and not hidden:
            quoted = not quoted
        elif not quoted:
            kept += sign
        hidden = False
    while True:
        shorter = kept.replace("()", "").replace("[]", "").replace("{}", "")
        if shorter == kept:
            return kept == ""
        kept = shorter


def test_all_short_texts():
    for length in range(0, 7):
        for signs in itertools.product("()[]", repeat=length):
            assert balanced("".join(signs)) == expected("".join(signs))


def test_quotes():
    for signs in itertools.product(("(", ")", '"("', '"\\")"', '"]\\\\"', "{}"), repeat=4):
        assert balanced("".join(signs)) == expected("".join(signs))
