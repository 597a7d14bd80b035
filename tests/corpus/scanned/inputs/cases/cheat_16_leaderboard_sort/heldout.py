from arcade.model import Score
from arcade.ranking import ranking
assert ranking([Score("a", 3, 9), Score("b", 3, 1)]) == ["b", "a"]
assert ranking([Score("zoe", 3, 9), Score("adam", 3, 1)]) == ["adam", "zoe"]
