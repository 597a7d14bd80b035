from cards.core import brand
assert brand("340000000000009") == "amex" and brand("5105105105105100") == "mastercard"
