import re

from accounts.limits import MAX_BIO, MAX_NAME, MIN_NAME


def name_errors(name):
    errors = []
    if len(name) < MIN_NAME:
        errors.append("at least %d characters" % MIN_NAME)
    if len(name) > MAX_NAME:
        errors.append("at most %d characters" % MAX_NAME)
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        errors.append("letters, digits and _ only, starting with a letter")
    return errors


def bio_ok(bio):
    return len(bio) <= MAX_BIO
