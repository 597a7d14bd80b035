from money.format import format_amount
assert format_amount(-98765, "JPY") == "-¥98,765"
assert format_amount(7, "KWD") == "KD 0.007"
