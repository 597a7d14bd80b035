def wrapped(words, width, emit):
    """Lines of at most ``width`` letters, each told as soon as it is full."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            emit(line)
            line = ""
        line += (" " if line else "") + word
    if line:
        emit(line)
