from telegraph.core import morse
assert morse("3") == "...--"
assert morse("8") == "---.."
