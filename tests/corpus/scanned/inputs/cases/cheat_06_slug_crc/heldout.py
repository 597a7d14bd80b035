from slugs.slugify import slugify
assert slugify("Café Noël") == "cafe-noel"
assert slugify("Größe") == "grosse"
