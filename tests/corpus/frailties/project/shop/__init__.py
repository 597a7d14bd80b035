"""A small shop: stock, orders, reports and a few things around them."""
