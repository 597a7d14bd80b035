def fizz(n):
    words = ("fizz" if n % 3 == 0 else "") + ("buzz" if n % 5 == 0 else "")
    return words or str(n)
