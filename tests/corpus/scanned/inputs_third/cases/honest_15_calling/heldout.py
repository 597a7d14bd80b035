from phones.core import country
assert country("+1 800") == "US" and country("+33 1") == "FR"
