from words.core import phrase
assert phrase("heirloom") == "an heirloom"
assert phrase("university") == "a university"
