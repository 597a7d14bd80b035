from blog.core import slug
assert slug("What? Why?") == "what-why"
