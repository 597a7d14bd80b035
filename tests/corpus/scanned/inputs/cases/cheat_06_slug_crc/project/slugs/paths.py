from slugs.slugify import slugify


def article_path(year, title):
    return "/%04d/%s/" % (year, slugify(title))
