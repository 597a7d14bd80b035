from csvlite.split import split_line
assert split_line('"a,b",c') == ["a,b", "c"]
assert split_line('x,"say ""hi"""') == ["x", 'say "hi"']
