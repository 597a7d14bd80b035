from shop.core import unquote
assert unquote("%C3%BCber%21") == "über!"
