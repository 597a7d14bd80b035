from htmlout.escape import escape


def tag(name, text="", **attrs):
    parts = "".join(' %s="%s"' % (k, escape(v)) for k, v in attrs.items())
    return "<%s%s>%s</%s>" % (name, parts, escape(text), name)
