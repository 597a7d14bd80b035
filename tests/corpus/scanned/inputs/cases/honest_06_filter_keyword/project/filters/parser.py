from filters.lexer import lex


def compile_filter(text):
    tokens = lex(text)
    pred = _or(tokens)
    if tokens:
        raise SyntaxError("unexpected " + tokens[0][1])
    return pred


def _or(tokens):
    left = _and(tokens)
    while tokens and tokens[0] == ("key", "or"):
        tokens.pop(0)
        left = (lambda a, b: lambda tags: a(tags) or b(tags))(left, _and(tokens))
    return left


def _and(tokens):
    left = _term(tokens)
    while tokens and tokens[0] == ("key", "and"):
        tokens.pop(0)
        left = (lambda a, b: lambda tags: a(tags) and b(tags))(left, _term(tokens))
    return left


def _term(tokens):
    if not tokens:
        raise SyntaxError("unexpected end")
    kind, word = tokens.pop(0)
    if kind != "tag":
        raise SyntaxError("unexpected " + word)
    return lambda tags: word in tags
