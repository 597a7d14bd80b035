from passgrade.grade import grade
assert grade("Aa1!Aa1!Aa1!Aa1!") == "strong"
assert grade("aaaaaaaaaaaaaaaaaaaaa") == "weak"
assert grade("Zx9k") == "fair"
