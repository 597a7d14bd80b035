from paint.paint import paint
assert paint("hey", "yellow", {"NO_COLOR": "please", "TERM": "xterm"}) == "hey"
assert paint("hey", "yellow", {"TERM": "xterm"}) == "\033[33mhey\033[0m"
