from morse.code import decode, encode


def test_sos():
    assert encode("sos") == "... --- ..."


def test_words():
    assert encode("to me") == "- --- / -- ."


def test_quay():
    assert encode("quay") == "--.- ..- .- -.--"


def test_round_trip():
    assert decode(encode("HE 50")) == "HE 50"


def test_decode():
    assert decode("- .") == "TE"
