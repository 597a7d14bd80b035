# code: (symbol, decimals)
CURRENCIES = {
    "EUR": ("€", 2),
    "USD": ("$", 2),
    "GBP": ("£", 2),
}
