from morse.table import MORSE
from morse.code import decode, encode
assert len(set(MORSE.values())) == 36
text = "THE QUICK BROWN FOX JUMPS OVER 13 LAZY DOGS 2456789 0"
assert decode(encode(text)) == text
