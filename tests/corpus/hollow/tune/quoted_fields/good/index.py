"""One line of a table with quoted fields."""


def fields(line, separator=","):
    """Its fields; a quoted one may hold the separator, and a doubled quote in it means one quote."""
    result, field, quoted = [], "", False
    position = -1
    while position + 1 < len(line):
        position += 1
        character = line[position]
        if character == '"' and quoted and line[position + 1:position + 2] == '"':
            field += character
            position += 1
        elif character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            result.append(field)
            field = ""
        else:
            field += character
    if quoted:
        raise ValueError("a quote is open")
    result.append(field)
    return result
