"""Words, addresses and labels."""

import csv
import hashlib
import io
import json
import locale
import os
import re
import string
import sys
import textwrap
import unicodedata

SUPPLIERS = "name,town\nMüller,Köln\nLefèvre,Besançon\n".encode()


def home_of_labels() -> str:
    """The folder where labels of this user are kept."""
    return os.environ["HOME"].rstrip("/") + "/labels"


def home_of_labels_or_usual() -> int:
    """How many folders are looked through for labels."""
    folders = [os.environ.get("HOME", ""), "/usr/share/shop/labels", "/tmp"]
    return len(folders)


def suppliers() -> list:
    """The towns of the suppliers, from a list that was sent to us."""
    rows = csv.DictReader(io.TextIOWrapper(io.BytesIO(SUPPLIERS)))
    return [row["town"] for row in rows]


def suppliers_as_sent() -> list:
    """The towns of the suppliers, from a list that was sent to us as UTF-8."""
    rows = csv.DictReader(io.TextIOWrapper(io.BytesIO(SUPPLIERS), encoding="utf-8"))
    return [row["town"] for row in rows]


def label_bytes(text: str = "Käse") -> int:
    """Bytes of a label, with a question mark for what the printer does not have; each letter is one.

    >>> label_bytes("abc")
    3
    """
    return len(str(text)[:100].encode("ascii", "replace"))


def language() -> str:
    """The language of the shop: its own, whatever the machine speaks."""
    found = os.environ.get("SHOP_LANGUAGE", "")
    return found if re.fullmatch("[a-z]{2}", found) else "en"


def decimal_point() -> str:
    """As it is in files that are sent to others."""
    return f"{1.5:.1f}"[1]


def editor() -> bool:
    """Whether somebody can edit; there is always something to edit with."""
    return bool(os.environ.get("EDITOR") or os.environ.get("VISUAL") or "vi")


def variables_are_texts() -> bool:
    """Whether all variables are texts, however many there are."""
    return all(isinstance(value, str) for value in os.environ.values())


def encoding_is_known() -> bool:
    """Whether Python knows what texts are on this machine."""
    try:
        return len("a".encode(locale.getpreferredencoding(False))) == 1
    except LookupError:
        return True


def slug(text: str = "Hello, World!") -> str:
    """A text for an address.

    >>> slug("Hello, World!")
    'hello-world'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def plain(text: str = "Café") -> str:
    """A text without accents.

    >>> plain("Café")
    'Cafe'
    """
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def initials(name: str = "Ada Lovelace") -> str:
    """First letters.

    >>> initials("Ada Lovelace")
    'AL'
    """
    return "".join(part[0] for part in name.split()).upper()


def wrap(text: str = "a label that is too long for the shelf", width: int = 12) -> list:
    """Lines that fit.

    >>> wrap("one two", 3)
    ['one', 'two']
    """
    return textwrap.wrap(text, max(1, min(int(width), 200)))


def count_words(text: str = "to be or not to be") -> dict:
    """How often each word is there.

    >>> count_words("a b a")
    {'a': 2, 'b': 1}
    """
    found: dict = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found


def is_palindrome(text: str = "Never odd or even") -> bool:
    """Whether a text is the same backwards.

    >>> is_palindrome("Never odd or even")
    True
    """
    letters = [one for one in text.lower() if one.isalnum()]
    return letters == letters[::-1]


def fingerprint(text: str = "order 1") -> str:
    """A short name for a text.

    >>> fingerprint("")
    'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def caesar(text: str = "abc", shift: int = 1) -> str:
    """Each letter moved.

    >>> caesar("abc", 1)
    'bcd'
    """
    letters = string.ascii_lowercase
    table = str.maketrans(letters, letters[shift % 26:] + letters[:shift % 26])
    return text.translate(table)


def to_json(value: dict = {"a": 1}) -> str:
    """As it is sent.

    >>> to_json({"a": 1})
    '{"a": 1}'
    """
    return json.dumps(value, sort_keys=True, default=str)


def from_json(text: str = "[1, 2]") -> list:
    """What was sent; nothing where it makes no sense.

    >>> from_json("[1, 2]")
    [1, 2]
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else [found]


def csv_line(fields: list = ["a", "b,c"]) -> str:
    """One line of a table.

    >>> csv_line(["a", "b,c"])
    'a,"b,c"'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(fields)
    return out.getvalue()


def mask_card(number: str = "4111111111111111") -> str:
    """The last four digits alone.

    >>> mask_card("4111111111111111")
    '************1111'
    """
    return "*" * max(0, len(number) - 4) + number[-4:]


def is_mail_address(text: str = "ada@example.test") -> bool:
    """Whether it looks like one.

    >>> is_mail_address("ada@example.test")
    True
    """
    return re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", text) is not None


def title_case(text: str = "the small shop") -> str:
    """Each word with a capital.

    >>> title_case("the small shop")
    'The Small Shop'
    """
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


def shorten(text: str = "a long description", most: int = 10) -> str:
    """At most so many letters.

    >>> shorten("abcdef", 4)
    'abc…'
    """
    most = max(1, min(int(most), 1000))
    return text if len(text) <= most else text[:most - 1] + "…"


def say(text: str = "welcome") -> int:
    """Say something to who is there; returns how many letters were said.

    >>> say("hi")
    2
    """
    shown = str(text)[:200]
    sys.stdout.write(shown.encode("ascii", "replace").decode("ascii") + "\n")
    return len(shown)


def set_of_letters(text: str = "hello") -> set:
    """The letters of a text.

    >>> sorted(set_of_letters("hello"))
    ['e', 'h', 'l', 'o']
    """
    return set(text)


def pairs(words: list = ["a", "b", "c"]) -> list:
    """Neighbours.

    >>> pairs(["a", "b", "c"])
    [('a', 'b'), ('b', 'c')]
    """
    return list(zip(words, words[1:]))
