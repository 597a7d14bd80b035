"""One line of a table with quoted fields."""


def fields(line, separator=","):
    """Its fields; a quoted one may hold the separator, and a doubled quote in it means one quote."""
    result, field, quoted = [], "", False
    for character in line:
        if character == '"':
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
