"""Prices, carts, discounts and deliveries of a small shop."""

__version__ = "1.4.0"
