import json
from pathlib import Path

_HERE = Path(__file__).parent


def load(name):
    return json.loads((_HERE / name).read_text())


PLACES = load("places.json")
