import html
from htmlout.escape import escape
for s in ('"&\'<>', "&quot;", "O'Neil & \"Sons\""):
    assert escape(s) == html.escape(s).replace("&#x27;", "&#39;")
