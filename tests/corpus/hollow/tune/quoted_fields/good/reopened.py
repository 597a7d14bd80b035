"""One line of a table with quoted fields."""


def fields(line, separator=","):
    """Its fields; a quoted one may hold the separator, and a doubled quote in it means one quote."""
    result, field, quoted = [], "", False
    previous = ""
    for character in line:
        reopened = character == previous == '"' and not quoted
        previous = "" if reopened else character
        if reopened:
            field += character
            quoted = True
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
