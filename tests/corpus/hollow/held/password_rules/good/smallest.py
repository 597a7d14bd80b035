"""Which passwords are accepted."""

COMMON = {"password", "letmein", "qwertyuiop"}


def complaints(password: str, user: str = "") -> list[str]:
    """What is wrong with it: ``short`` under ten signs, ``no digit``, ``no letter``, ``common``, ``name``.

    Common words and the user's name are looked for without regard to case, and anywhere in it.
    """
    found = []
    if len(password) < 10:
        found.append("short")
    if not any(sign.isdigit() for sign in password):
        found.append("no digit")
    if not any(sign.isalpha() for sign in password):
        found.append("no letter")
    lowered = password.lower()
    if any(word in lowered for word in COMMON):
        found.append("common")
    if user and user.lower() in lowered:
        found.append("name")
    return found
