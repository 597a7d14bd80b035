from spell.spell import spell, unspell
text = "THEQUICKBROWNFOXJUMPSOVERTHELAZYDOG0123456789"
assert unspell(spell(text)) == text
